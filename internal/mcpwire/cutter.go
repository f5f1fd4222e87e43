package mcpwire

// LineCutter cuts a stream into frames that end in a newline, as on stdio. The
// zero value is ready. Chunks may end anywhere, and hold any number of frames.
// Blank lines are no frames; what is no JSON is a frame all the same.
type LineCutter struct{ buffer buffer }

// Write takes the next chunk, and tells emit of each frame that ends in it. It
// keeps nothing of p.
func (c *LineCutter) Write(p []byte, emit func(Frame)) {}

// Close tells emit of what stands behind the last newline, if anything does.
func (c *LineCutter) Close(emit func(Frame)) {}

// BodyCutter takes a whole HTTP body for one frame, newlines and all. The zero
// value is ready.
type BodyCutter struct{ buffer buffer }

// Write takes the next chunk. It keeps nothing of p.
func (c *BodyCutter) Write(p []byte) {}

// Close tells emit of the body, unless it was blank.
func (c *BodyCutter) Close(emit func(Frame)) {}

// StreamEvent is one server-sent event.
type StreamEvent struct {
	Name string // of the field event; "" is a message
	ID   string // of the field id of this event; "" if it has none
	Data Frame  // its data lines, joined by newlines
}

// EventCutter cuts a text/event-stream into its events: CR, LF and CRLF end a
// line, a byte order mark at the start is skipped, comments are, too. The zero
// value is ready.
type EventCutter struct{ buffer buffer }

// Write takes the next chunk, and tells emit of each event that ends in it. It
// keeps nothing of p.
func (c *EventCutter) Write(p []byte, emit func(StreamEvent)) {}

// Resumable reports whether an event with an id passed: a client may then ask
// for the rest of a broken stream on another one.
func (c *EventCutter) Resumable() bool { return false }

type buffer struct{}
