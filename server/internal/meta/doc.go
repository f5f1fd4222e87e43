// Package meta is the control plane: which projects exist and which keys open
// them, in one SQLite file beside the events.
//
// In: names and keys. Out: projects with a number that is theirs for life, and
// for a key the project it belongs to and what it may do. A key is stored as its
// SHA-256 and shown once, when it is made. Every look-up is answered from
// memory; what the file says and what memory says change together.
//
// It never holds an event, never stores or logs a key, and knows nothing of HTTP.
package meta
