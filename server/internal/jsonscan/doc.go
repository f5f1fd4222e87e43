// Package jsonscan walks JSON texts without building values of them: for the doors'
// events, for the log's, and for bodies that are redacted.
//
// In: a text. Out: its pieces, as parts of the text where they need no decoding, and
// whether it is JSON, as encoding/json sees it. It never allocates for what it skips,
// never recurses, and never keeps a text.
package jsonscan
