package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/umpire-mcp/umpire"
)

// maxBody bounds a normalised event. A door has held the event to 256 KiB as it
// was sent; written out anew it may be a little longer.
const maxBody = 512 << 10

type bodyEncoder struct {
	buf bytes.Buffer
	enc *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	b := &bodyEncoder{}
	b.enc = json.NewEncoder(&b.buf)
	b.enc.SetEscapeHTML(false)
	return b
}}

// encode writes the event as the log keeps it. The reason says why it cannot.
func encode(e *umpire.Event) (body []byte, reason, hint string) {
	b := encoders.Get().(*bodyEncoder)
	defer encoders.Put(b)
	b.buf.Reset()
	if err := b.enc.Encode(e); err != nil {
		return nil, "the event cannot be written as JSON", "a field holds what JSON cannot express"
	}
	if b.buf.Len() > maxBody {
		return nil, "the event is larger than 256 KiB", "leave out input and output, or split the list of tools"
	}
	return bytes.Clone(bytes.TrimSuffix(b.buf.Bytes(), []byte("\n"))), "", ""
}

// decode reads what encode wrote.
func decode(body []byte) (e umpire.Event, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&e); err != nil {
		return e, fmt.Errorf("cannot read an event of the log: %w", err)
	}
	return e, nil
}
