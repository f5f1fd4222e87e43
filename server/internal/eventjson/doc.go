// Package eventjson writes events as JSON: what the log keeps, and what made-up
// traffic sends.
//
// In: an event of the root package. Out: the same bytes that encoding/json would
// write, but for the escapes of HTML. It never changes a value and never reads one.
package eventjson
