package sentry

import (
	"bytes"

	"github.com/umpire-mcp/umpire/server/internal/door"
)

// maxItems is how many items an envelope may hold.
const maxItems = 1000

// item is one part of an envelope.
type item struct {
	kind    string
	payload []byte
}

// envelope is a request: a header, and items with a header each, by lines. A payload
// is of the length that its header tells, else it is a line.
type envelope struct {
	header door.Fields
	items  []item
}

// parse returns nil for what is no envelope. A broken item ends it: what came before
// is kept.
func parse(body []byte) *envelope {
	line, rest := cutLine(body)
	e := &envelope{header: door.Object(line)}
	if e.header == nil {
		return nil
	}
	for len(e.items) < maxItems {
		for len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		line, rest = cutLine(rest)
		header := door.Object(line)
		if header == nil {
			break
		}
		it := item{kind: header.Text("type")}
		if n := header.Size("length"); n != nil {
			if *n > int64(len(rest)) {
				break
			}
			it.payload, rest = rest[:*n], rest[*n:]
		} else {
			it.payload, rest = cutLine(rest)
		}
		e.items = append(e.items, it)
	}
	return e
}

func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest
}
