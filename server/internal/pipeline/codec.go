package pipeline

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/eventjson"
)

// maxBody bounds a normalised event. A door has held the event to 256 KiB as it
// was sent; written out anew it may be a little longer.
const maxBody = 512 << 10

// scratch is what an event is written into before its length is known.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// encode writes the event as the log keeps it. The reason says why it cannot.
func encode(e *umpire.Event) (body []byte, reason, hint string) {
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	out, err := eventjson.Append((*buf)[:0], e)
	if err != nil {
		return nil, "the event cannot be written as JSON", "a field holds what JSON cannot express"
	}
	if len(out) > maxBody {
		return nil, "the event is larger than 256 KiB", "leave out input and output, or split the list of tools"
	}
	*buf = out
	return bytes.Clone(out), "", ""
}

// readers are kept for decode, each with the names that it has met.
var readers = sync.Pool{New: func() any { return new(eventjson.Reader) }}

// decode reads what encode wrote. The event's raw values are parts of body.
func decode(body []byte) (e umpire.Event, err error) {
	r := readers.Get().(*eventjson.Reader)
	defer readers.Put(r)
	if err := r.Read(body, &e); err != nil {
		return e, fmt.Errorf("cannot read an event of the log: %w", err)
	}
	return e, nil
}
