// Package pipeline is the only way in for events, whatever door they came
// through: validate -> redact -> dedupe -> log -> store.
//
// In: events of one project, decoded by a door. Out: a Receipt, once every
// accepted event is on disk, and later the same events in the store, in the order
// of the log. An event is refused only by itself, never with its batch; what no
// rule understands is kept and marked in meta; the same id twice is one event;
// an event that the store cannot take is set aside in a file and stops nobody.
//
// It never acknowledges what is not synced, never takes more than it can hold
// (it says Unavailable instead), and never changes an identifier, but to shorten
// it to its limit.
package pipeline
