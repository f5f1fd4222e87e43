package eventjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/jsonscan"
)

const (
	// Strings up to maxShared bytes are kept once in a Reader, up to mostShared of
	// them: names come again and again.
	maxShared  = 64
	mostShared = 4096
)

// Reader reads events that Append wrote. The zero value is ready. It is reused, by one
// goroutine at a time.
type Reader struct {
	scan   jsonscan.Scan
	shared map[string]string
	event  *umpire.Event
	seen   uint64 // which members were there, by their number
}

// Read sets e, which is zero, from the first JSON value of body, as a json.Decoder
// with UseNumber would: what Append writes at a tenth of the cost, anything else by
// that. Raw values of the event are parts of body, which must not be changed.
func (r *Reader) Read(body []byte, e *umpire.Event) error {
	switch {
	case r.shared == nil:
		r.shared = map[string]string{}
	case len(r.shared) >= mostShared:
		clear(r.shared)
	}
	r.scan.Text, r.scan.At, r.event, r.seen = body, 0, e, 0
	ok := r.members()
	r.scan.Text, r.event = nil, nil
	if ok {
		return nil
	}
	*e = umpire.Event{}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return d.Decode(e)
}

// members reads the whole body; false is "not sure", as it is with all that follow.
func (r *Reader) members() bool {
	return r.object(r.member) && r.scan.Peek() == 0 && r.scan.At == len(r.scan.Text)
}

// object calls read for each member of the object that comes next.
func (r *Reader) object(read func(name []byte) bool) bool {
	if r.scan.Peek() != '{' {
		return false
	}
	r.scan.At++
	for first := true; ; first = false {
		name, more, err := r.scan.Member(first)
		if err != nil {
			return false
		}
		if !more {
			return true
		}
		if !read(name) {
			return false
		}
	}
}

// once is false for a member that was there: encoding/json merges the two.
func (r *Reader) once(number int) bool {
	bit := uint64(1) << number
	fresh := r.seen&bit == 0
	r.seen |= bit
	return fresh
}

// own reads a string that hardly comes twice.
func (r *Reader) own(into *string) bool {
	if r.scan.Peek() != '"' {
		return false
	}
	b, err := r.scan.Str()
	*into = string(b)
	return err == nil
}

// string reads a string that may well come again.
func (r *Reader) string(into *string) bool {
	if r.scan.Peek() != '"' {
		return false
	}
	b, err := r.scan.Str()
	if err != nil {
		return false
	}
	*into = r.share(b)
	return true
}

func (r *Reader) share(b []byte) string {
	if len(b) > maxShared {
		return string(b)
	}
	if s, ok := r.shared[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(r.shared) < mostShared {
		r.shared[s] = s
	}
	return s
}

func (r *Reader) flag(into *bool) bool {
	switch r.scan.Peek() {
	case 't':
		*into = true
		return r.scan.Word("true") == nil
	case 'f':
		return r.scan.Word("false") == nil
	}
	return false
}

// whole reads a number that is written as a whole one.
func (r *Reader) whole() (n int64, ok bool) {
	if c := r.scan.Peek(); c != '-' && c-'0' > 9 {
		return 0, false
	}
	raw, _, err := r.scan.Value()
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

func (r *Reader) number(into *int) bool {
	n, ok := r.whole()
	*into = int(n)
	return ok && int64(*into) == n
}

func (r *Reader) measure(into **int64) bool {
	n, ok := r.whole()
	*into = &n
	return ok
}

// raw takes a value as it is.
func (r *Reader) raw(into *json.RawMessage) bool {
	if r.scan.Peek() == 'n' {
		return false
	}
	raw, deep, err := r.scan.Value()
	if err != nil || deep {
		return false
	}
	*into = slices.Clip(raw)
	return true
}

func (r *Reader) texts(into *[]string) bool {
	if r.scan.Peek() != '[' {
		return false
	}
	r.scan.At++
	out := []string{}
	for first := true; ; first = false {
		more, err := r.scan.Element(first)
		if err != nil {
			return false
		}
		if !more {
			*into = out
			return true
		}
		var s string
		if !r.string(&s) {
			return false
		}
		out = append(out, s)
	}
}

// other reads a rare value by encoding/json.
func (r *Reader) other(into any) bool {
	raw, deep, err := r.scan.Value()
	if err != nil || deep {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into) == nil
}

func (r *Reader) peer(into *umpire.Peer) bool {
	seen := r.seen
	r.seen = 0
	ok := r.object(func(name []byte) bool {
		switch string(name) {
		case "name":
			return r.once(0) && r.string(&into.Name)
		case "version":
			return r.once(1) && r.string(&into.Version)
		case "env":
			return r.once(2) && r.string(&into.Env)
		}
		return false
	})
	r.seen = seen
	return ok
}

func (r *Reader) types(into *map[string]string) bool {
	out := map[string]string{}
	*into = out
	return r.object(func(name []byte) bool {
		key := r.share(name)
		var value string
		ok := r.string(&value)
		out[key] = value
		return ok
	})
}

// meta reads flat properties; a nested value is left to encoding/json.
func (r *Reader) meta(into *map[string]any) bool {
	out := map[string]any{}
	*into = out
	return r.object(func(name []byte) bool {
		key := r.share(name)
		switch r.scan.Peek() {
		case '"':
			var s string
			ok := r.string(&s)
			out[key] = s
			return ok
		case 't', 'f':
			var v bool
			ok := r.flag(&v)
			out[key] = v
			return ok
		case 'n':
			out[key] = nil
			return r.scan.Word("null") == nil
		case '{', '[':
			var v any
			ok := r.other(&v)
			out[key] = v
			return ok
		}
		raw, _, err := r.scan.Value()
		out[key] = json.Number(raw)
		return err == nil
	})
}
