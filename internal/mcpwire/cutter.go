package mcpwire

import "bytes"

// LineCutter cuts a stream into frames that end in a newline, as on stdio. The
// zero value is ready. Chunks may end anywhere, and hold any number of frames.
// Blank lines are no frames; what is no JSON is a frame all the same.
type LineCutter struct{ buffer buffer }

// Write takes the next chunk, and tells emit of each frame that ends in it. It
// keeps nothing of p.
func (c *LineCutter) Write(p []byte, emit func(Frame)) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			c.buffer.add(p)
			return
		}
		if c.buffer.size == 0 && end <= MaxFrame { // the usual case: nothing is copied
			if line := p[:end]; len(bytes.TrimSpace(line)) > 0 {
				emit(Whole(line))
			}
		} else {
			c.buffer.add(p[:end])
			c.buffer.take(emit)
		}
		p = p[end+1:]
	}
}

// Close tells emit of what stands behind the last newline, if anything does.
func (c *LineCutter) Close(emit func(Frame)) { c.buffer.take(emit) }

// BodyCutter takes a whole HTTP body for one frame, newlines and all. The zero
// value is ready.
type BodyCutter struct{ buffer buffer }

// Write takes the next chunk. It keeps nothing of p.
func (c *BodyCutter) Write(p []byte) { c.buffer.add(p) }

// Close tells emit of the body, unless it was blank.
func (c *BodyCutter) Close(emit func(Frame)) { c.buffer.take(emit) }
