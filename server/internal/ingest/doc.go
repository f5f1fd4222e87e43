// Package ingest is the native door, POST /api/v1/events of docs/wire.md.
//
// In: HTTP requests with a write key and a body of JSON or NDJSON, plain, gzip or
// zstd. Out: events for the pipeline, and the answers of the table in
// docs/wire.md. It reads tolerantly, so that a sender of another version loses
// nothing: an unknown field and a value of the wrong type go to the event's meta,
// invalid UTF-8 becomes U+FFFD, of a name given twice the last value counts. An
// event that cannot be used is refused by itself. A JSON body with a syntax error
// is refused as a whole; of NDJSON only the line is. An empty body is unreadable
// in either form: an announcement is the list {"events":[]}.
//
// It never answers 500 for what a sender did, never allocates more than the
// limits allow however a body is made, and never writes to a store.
package ingest
