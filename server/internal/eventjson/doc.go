// Package eventjson writes events as JSON: what the log keeps, and what made-up
// traffic sends. It reads what it wrote.
//
// In: an event of the root package. Out: the same bytes that encoding/json would
// write, but for the escapes of HTML; and back, the event that encoding/json would
// read. It never changes a value, and where it is not sure it asks encoding/json.
package eventjson
