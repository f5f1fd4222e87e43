package mcpwire

import (
	"bytes"
	"strings"
)

// StreamEvent is one server-sent event.
type StreamEvent struct {
	Name string // of the field event; "" is a message
	ID   string // of the field id of this event; "" if it has none
	Data Frame  // its data lines, joined by newlines
}

// EventCutter cuts a text/event-stream into its events: CR, LF and CRLF end a
// line, a byte order mark at the start is skipped, comments are, too. The zero
// value is ready. An event that the stream ends in the middle of is none.
type EventCutter struct {
	data    buffer // of the event so far
	lines   int    // of data
	name    string
	id      string
	ided    bool   // this event has an id
	resume  bool   // an event with an id passed
	line    []byte // the line so far: up to its colon, or all of it if it is no data
	inData  bool   // the line is one of data, and its text goes to data at once
	first   bool   // the next byte of data may be the space behind the colon
	afterCR bool   // the last byte ended a line: a LF that follows is part of it
	begun   bool   // the byte order mark was looked for
}

// maxLine bounds what is kept of a line that is no data, and maxEventName a name
// or an id.
const (
	maxLine      = 4 << 10
	maxEventName = 1 << 10
)

const byteOrderMark = "\xef\xbb\xbf"

// Write takes the next chunk, and tells emit of each event that ends in it. It
// keeps nothing of p.
func (c *EventCutter) Write(p []byte, emit func(StreamEvent)) {
	for len(p) > 0 {
		if c.afterCR {
			c.afterCR = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		end := indexEither(p, '\r', '\n')
		if end < 0 {
			c.part(p)
			return
		}
		c.part(p[:end])
		c.endLine(emit)
		c.afterCR = p[end] == '\r'
		p = p[end+1:]
	}
}

// part takes a piece of a line.
func (c *EventCutter) part(p []byte) {
	for len(p) > 0 {
		if c.inData {
			if c.first && p[0] == ' ' {
				p = p[1:]
			}
			c.first = false
			c.data.add(p)
			return
		}
		n := bytes.IndexByte(p, ':') + 1
		if n == 0 || len(c.line) > len("data")+len(byteOrderMark) {
			n = len(p)
		}
		if room := maxLine - len(c.line); room > 0 {
			c.line = append(c.line, p[:min(n, room)]...)
		}
		p = p[n:]
		if c.dropMark(); string(c.line) == "data:" {
			c.beginData()
		}
	}
}

// dropMark takes the byte order mark off the first line.
func (c *EventCutter) dropMark() {
	if c.begun || len(c.line) < len(byteOrderMark) && strings.HasPrefix(byteOrderMark, string(c.line)) {
		return
	}
	c.begun = true
	c.line = bytes.TrimPrefix(c.line, []byte(byteOrderMark))
}

func (c *EventCutter) beginData() {
	if c.lines > 0 {
		c.data.add([]byte{'\n'})
	}
	c.lines++
	c.inData, c.first = true, true
}

func (c *EventCutter) endLine(emit func(StreamEvent)) {
	c.begun = true
	line := c.line
	c.line = c.line[:0]
	switch {
	case c.inData:
		c.inData = false
		return
	case len(line) == 0:
		c.dispatch(emit)
		return
	case line[0] == ':':
		return
	}
	name, value, _ := strings.Cut(string(line), ":")
	value = strings.TrimPrefix(value, " ")
	if len(value) > maxEventName {
		value = value[:maxEventName]
	}
	switch name {
	case "data": // without a colon: an empty line of data
		c.beginData()
		c.inData = false
	case "event":
		c.name = value
	case "id":
		if strings.IndexByte(value, 0) < 0 {
			c.id, c.ided = value, true
		}
	}
}

// dispatch ends the event. One without data is none, but its id counts.
func (c *EventCutter) dispatch(emit func(StreamEvent)) {
	if c.ided && c.id != "" {
		c.resume = true
	}
	if c.lines > 0 {
		e := StreamEvent{Name: c.name, ID: c.id}
		c.data.take(func(f Frame) {
			e.Data = f
			emit(e)
		})
	}
	c.data.reset()
	c.lines, c.name, c.id, c.ided = 0, "", "", false
}

// Resumable reports whether an event with an id passed: a client may then ask
// for the rest of a broken stream on another one.
func (c *EventCutter) Resumable() bool { return c.resume }
