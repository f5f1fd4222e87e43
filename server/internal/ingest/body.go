package ingest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// Limits of docs/wire.md.
const (
	maxBody   = 5 << 20   // bytes, decoded
	maxEvents = 10_000    // in a body
	maxEvent  = 256 << 10 // bytes
	// maxReasons bounds what a sender may name as reasons of its drops.
	maxReasons    = 20
	maxReasonText = 64
)

var (
	errTooMany = errors.New("more than 10,000 events")
	errNoList  = errors.New(`the body is no object with a list "events"`)
	errTwice   = errors.New(`the body holds "events" twice`)
	errTail    = errors.New("something follows the JSON object")
	errEmpty   = errors.New("the body is empty")
)

// body is a decoded request.
type body struct {
	items    []pipeline.Item
	rejected []pipeline.Rejection
	events   int // how many were sent

	open    int64 // calls that the sender holds open; -1: it did not say
	dropped map[string]int64
}

// parseJSON reads {"events":[…]} and what may stand beside it.
func (d *decoder) parseJSON(text []byte) (*body, error) {
	out := &body{open: -1}
	d.reset(text)
	s := &d.scan
	if s.Peek() == 0 && s.At >= len(text) {
		return nil, errEmpty
	}
	if s.Peek() != '{' {
		if _, err := s.Skip(); err != nil {
			return nil, err
		}
		return nil, errNoList
	}
	s.At++
	listed := false
	for first := true; ; first = false {
		name, ok, err := s.Member(first)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		switch string(name) {
		case "events":
			if listed {
				return nil, errTwice
			}
			listed = true
			err = d.events(out)
		case "open":
			err = d.open(out)
		case "dropped":
			err = d.dropped(out)
		default:
			_, err = s.Skip()
		}
		if err != nil {
			return nil, err
		}
	}
	if s.Peek(); s.At < len(text) {
		return nil, errTail
	}
	if !listed {
		return nil, errNoList
	}
	return out, nil
}

// events reads the list; null is an empty one.
func (d *decoder) events(out *body) error {
	s := &d.scan
	switch s.Peek() {
	case 'n':
		return s.Word("null")
	case '[':
		s.At++
		// Most events are larger than this; it spares most of the growing.
		out.items = make([]pipeline.Item, 0, min((len(s.Text)-s.At)/512+1, maxEvents))
	default:
		if _, err := s.Skip(); err != nil {
			return err
		}
		return errNoList
	}
	for first := true; ; first = false {
		ok, err := s.Element(first)
		if err != nil || !ok {
			return err
		}
		if out.events == maxEvents {
			return errTooMany
		}
		if err := d.one(out); err != nil {
			return err
		}
	}
}

// one reads one event: into the items, or among the rejected.
func (d *decoder) one(out *body) error {
	index := out.events
	out.events++
	s := &d.scan
	if s.Peek() != '{' {
		if _, err := s.Skip(); err != nil {
			return err
		}
		out.refuse(index, "", "the event is no object", "send each event as a JSON object")
		return nil
	}
	start := s.At
	out.items = append(out.items, pipeline.Item{Index: index})
	last := len(out.items) - 1
	id, err := d.event(&out.items[last])
	reason, hint := "", ""
	switch {
	case err != nil:
	case s.At-start > maxEvent:
		reason, hint = "the event is larger than 256 KiB", "leave out input and output, or split the list of tools"
	default:
		reason, hint = d.unusable()
	}
	if err == nil && reason == "" {
		return nil
	}
	if err == nil {
		if known := out.items[last].Event.ID; !known.IsZero() {
			id = known.String()
		}
		out.refuse(index, id, reason, hint)
	}
	out.items[last] = pipeline.Item{}
	out.items = out.items[:last]
	return err
}

func (b *body) refuse(index int, id, reason, hint string) {
	b.rejected = append(b.rejected, pipeline.Rejection{Index: index, ID: id, Reason: reason, Hint: hint})
}

// parseLines reads NDJSON: an event a line. A line that is no JSON is refused by
// itself. The index counts the lines that are not blank.
func (d *decoder) parseLines(text []byte) (*body, error) {
	out := &body{open: -1}
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if out.events == maxEvents {
			return nil, errTooMany
		}
		index, kept := out.events, len(out.items)
		d.reset(line)
		err := d.one(out)
		if err == nil && d.scan.At < len(line) {
			err = errTail
		}
		if err != nil {
			out.items = out.items[:kept]
			if n := len(out.rejected); n > 0 && out.rejected[n-1].Index == index {
				out.rejected = out.rejected[:n-1]
			}
			out.refuse(index, "", fmt.Sprintf("the line cannot be read: %v", err), "send one JSON object a line")
		}
	}
	if out.events == 0 {
		return nil, errEmpty
	}
	return out, nil
}

// maxOpen is more than any sender holds open; sums of it do not overflow.
const maxOpen = 1 << 40

// open reads how many calls the sender holds open; anything odd is no answer.
func (d *decoder) open(out *body) error {
	raw, _, err := d.scan.Value()
	if n, ok := integer(raw); err == nil && ok && n >= 0 {
		out.open = min(n, maxOpen)
	}
	return err
}

// dropped reads what the sender had to drop: a number, or numbers by reason.
func (d *decoder) dropped(out *body) error {
	s := &d.scan
	add := func(reason string, raw []byte) {
		n, ok := integer(raw)
		if !ok || n <= 0 || n > 1<<40 {
			return
		}
		if out.dropped == nil {
			out.dropped = map[string]int64{}
		}
		if _, known := out.dropped[reason]; !known && len(out.dropped) >= maxReasons {
			reason = "other"
		}
		out.dropped[reason] += n
	}
	if s.Peek() != '{' {
		raw, _, err := s.Value()
		if err == nil {
			add("unknown", raw)
		}
		return err
	}
	s.At++
	for first := true; ; first = false {
		name, ok, err := s.Member(first)
		if err != nil || !ok {
			return err
		}
		reason := string(bytes.ToValidUTF8(name[:min(len(name), maxReasonText)], nil))
		raw, _, err := s.Value()
		if err != nil {
			return err
		}
		add(reason, raw)
	}
}
