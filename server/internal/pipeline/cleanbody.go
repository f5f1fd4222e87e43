package pipeline

import (
	"encoding/json"

	"github.com/umpire-mcp/umpire/redact"
	"github.com/umpire-mcp/umpire/server/internal/eventjson"
	"github.com/umpire-mcp/umpire/server/internal/jsonscan"
)

// maxNested is how deep encoding/json follows a value.
const maxNested = 10_000

// redactJSON returns the same JSON with its strings redacted, names of members
// included, and a number that is a find replaced by the token as a string. A
// member's name takes part: {"password":"x"} is read like password=x. What is no JSON
// is not ok.
func redactJSON(r *redact.Redactor, raw []byte) (out json.RawMessage, ok bool) {
	w := bodyWriter{redact: r, out: make([]byte, 0, len(raw)+16)}
	w.scan.Text = raw
	if !w.text() {
		return nil, false
	}
	return w.out, true
}

// bodyWriter writes a JSON text down again, in one pass.
type bodyWriter struct {
	redact *redact.Redactor
	scan   jsonscan.Scan
	out    []byte
	stack  []byte // '{' or '[', of what is open
	name   string // of the member whose value comes next, or of the list
}

func (w *bodyWriter) text() (ok bool) {
	for {
		opened, ok := w.value()
		if !ok {
			return false
		}
		for first := opened; ; first = false {
			if len(w.stack) == 0 {
				return w.scan.Peek() == 0 && w.scan.At == len(w.scan.Text)
			}
			more, err := w.next(first)
			if err != nil {
				return false
			}
			if more {
				break
			}
			w.out = append(w.out, w.stack[len(w.stack)-1]+2) // '}' follows '{', and ']' follows '[', by two
			w.stack = w.stack[:len(w.stack)-1]
			w.valueDone()
		}
	}
}

// next goes to the next value of what is open; more is false when that ends.
func (w *bodyWriter) next(first bool) (more bool, err error) {
	if w.stack[len(w.stack)-1] == '[' {
		more, err = w.scan.Element(first)
		if more && !first {
			w.out = append(w.out, ',')
		}
		return more, err
	}
	name, more, err := w.scan.Member(first)
	if !more || err != nil {
		return false, err
	}
	if !first {
		w.out = append(w.out, ',')
	}
	w.name = string(name)
	w.out = eventjson.AppendString(w.out, w.redact.String(valid(w.name)))
	w.out = append(w.out, ':')
	return true, nil
}

// value writes the scalar that comes next, or the beginning of an object or a list.
func (w *bodyWriter) value() (opened, ok bool) {
	switch c := w.scan.Peek(); c {
	case '{', '[':
		w.scan.At++
		w.out = append(w.out, c)
		w.stack = append(w.stack, c)
		return true, len(w.stack) <= maxNested
	case '"':
		b, err := w.scan.Str()
		if err != nil {
			return false, false
		}
		w.out = eventjson.AppendString(w.out, redactNamed(w.redact, w.name, valid(string(b))))
	default:
		raw, _, err := w.scan.Value()
		if err != nil {
			return false, false
		}
		if s := string(raw); raw[0] == '-' || raw[0]-'0' <= 9 {
			if clean := redactNamed(w.redact, w.name, s); clean != s {
				w.out = eventjson.AppendString(w.out, clean)
				break
			}
		}
		w.out = append(w.out, raw...)
	}
	w.valueDone()
	return false, true
}

// valueDone says that a value of whatever kind is complete.
func (w *bodyWriter) valueDone() {
	if n := len(w.stack); n > 0 && w.stack[n-1] == '{' {
		w.name = ""
	}
}
