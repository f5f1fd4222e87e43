package umpire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"
)

// The journal's own form of an event: numbers and strings one after the other,
// which costs the caller of Record far less than JSON. Unlike the form of the
// native door it holds Arguments and SessionID. It is read by later versions of
// this package, so a change of it needs another eventForm.
const (
	eventForm = 1

	// maxJournalText bounds a free text in the journal. It is far beyond the
	// limits of docs/wire.md, so that what redaction shortens is still whole.
	maxJournalText = 8 << 10
	// A call that fits no slot otherwise is written with the first briefNames of
	// its names only, each of at most briefName bytes.
	briefNames = 18
	briefName  = 48
	// identifiers are how many of the names are not to be cut.
	identifiers = 6
)

// rest holds what ordinary calls do not have, as JSON.
type rest struct {
	Texts      []string          `json:",omitempty"`
	Cut        []string          `json:",omitempty"`
	BadParams  []BadParam        `json:",omitempty"`
	Near       []string          `json:",omitempty"`
	Suspects   []string          `json:",omitempty"`
	InputKeys  []string          `json:",omitempty"`
	InputTypes map[string]string `json:",omitempty"`
	Meta       map[string]any    `json:",omitempty"`
}

func hasRest(e *Event) bool {
	return len(e.Texts)+len(e.Cut)+len(e.BadParams)+len(e.Near)+len(e.Suspects)+len(e.InputKeys)+len(e.InputTypes)+len(e.Meta) > 0
}

// names are the strings of an event, identifiers first, then what else is known
// of a call when it begins. The order is part of the form.
func (e *Event) names() [32]*string {
	return [32]*string{
		&e.SessionID, &e.Session, &e.User, &e.TraceID, &e.SpanID, &e.Definition,
		&e.Kind, &e.Tool, &e.HandlerRan, &e.Server.Name, &e.Server.Version, &e.Server.Env,
		&e.Client.Name, &e.Client.Version, &e.Client.Env, &e.Platform, &e.Protocol, &e.Transport,
		&e.SeenBy, &e.SDK.Name, &e.SDK.Version, &e.SDK.Env, (*string)(&e.Outcome), &e.EmptyRule, &e.Cause, &e.Evidence,
		&e.ErrorType, &e.Fingerprint, &e.ArgsHash, &e.AskHash, &e.ErrorMessage, &e.Intent,
	}
}

// flags are the yes and no of an event.
func (e *Event) flags() [6]*bool {
	return [6]*bool{&e.Empty, &e.Late, &e.IsRetry, &e.Reworded, &e.Repeated, &e.SessionDerived}
}

func (e *Event) numbers() [3]**int64 {
	return [3]**int64{&e.DurationUS, &e.RequestBytes, &e.ResponseBytes}
}

// appendEvent writes e behind b. A list of tools is left out, because the next
// process lists its own. brief leaves out whatever has no small bound.
func appendEvent(b []byte, e *Event, brief bool) []byte {
	b = append(append(b, eventForm), e.ID[:]...)
	b = binary.AppendVarint(b, e.StartedAt.Unix())
	b = binary.AppendUvarint(b, uint64(e.StartedAt.Nanosecond()))
	b = binary.AppendVarint(b, int64(e.Rules))
	b = binary.AppendVarint(b, int64(e.ErrorStatus))
	var bits uint64
	for i, p := range e.flags() {
		if *p {
			bits |= 1 << i
		}
	}
	for i, p := range e.numbers() {
		if *p != nil {
			bits |= 1 << (8 + i)
		}
	}
	if e.Arguments != nil && !brief {
		bits |= 1 << 12
	}
	b = binary.AppendUvarint(b, bits)
	for _, p := range e.numbers() {
		if *p != nil {
			b = binary.AppendVarint(b, **p)
		}
	}
	for i, p := range e.names() {
		s := *p
		switch {
		case brief && (i >= briefNames || i < identifiers && len(s) > briefName):
			s = "" // half of an identifier is another one
		case brief && len(s) > briefName:
			s = cutBytes(s, briefName)
		case len(s) > maxJournalText:
			s = unbroken(s, maxJournalText)
		}
		if len(s) < 0x80 { // the same, quicker
			b = append(append(b, byte(len(s))), s...)
			continue
		}
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	if brief {
		return b
	}
	for _, p := range [4][]byte{e.Arguments, e.Input, e.Output, e.Structured} {
		b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
	}
	if hasRest(e) {
		r := &rest{e.Texts, e.Cut, e.BadParams, e.Near, e.Suspects, e.InputKeys, e.InputTypes, e.Meta}
		if text, err := json.Marshal(r); err == nil { // of scalars; a NaN costs the properties
			b = append(b, text...)
		}
	}
	return b
}

// unbroken cuts s to n bytes, at a space if there is one, so that nothing is
// cut in two before redaction has seen it.
func unbroken(s string, n int) string {
	s = cutBytes(s, n)
	if i := lastSpace(s); i > 0 {
		s = s[:i]
	}
	return s
}

var errEventForm = errors.New("cannot read an event of the journal")

// readEvent is the inverse of appendEvent.
func readEvent(b []byte) (e Event, err error) {
	r := eventReader{b: b}
	if form := r.bytes(1); r.failed || form[0] != eventForm {
		return e, errEventForm
	}
	copy(e.ID[:], r.bytes(len(e.ID)))
	seconds, nanos := r.varint(), r.uvarint()
	e.StartedAt = time.Unix(seconds, int64(nanos)).UTC()
	e.Rules, e.ErrorStatus = int(r.varint()), int(r.varint())
	bits := r.uvarint()
	for i, p := range e.flags() {
		*p = bits&(1<<i) != 0
	}
	for i, p := range e.numbers() {
		if bits&(1<<(8+i)) != 0 {
			n := r.varint()
			*p = &n
		}
	}
	for _, p := range e.names() {
		*p = string(r.bytes(int(r.uvarint())))
	}
	if r.failed || e.ID.IsZero() {
		return e, errEventForm
	}
	if len(r.b) == 0 {
		return e, nil // brief
	}
	for _, p := range []*[]byte{&e.Arguments, (*[]byte)(&e.Input), (*[]byte)(&e.Output), &e.Structured} {
		if n := int(r.uvarint()); n > 0 {
			*p = bytes.Clone(r.bytes(n))
		}
	}
	if e.Arguments == nil && bits&(1<<12) != 0 {
		e.Arguments = []byte{}
	}
	if r.failed {
		return e, errEventForm
	}
	if len(r.b) > 0 {
		var more rest
		d := json.NewDecoder(bytes.NewReader(r.b))
		d.UseNumber()
		if d.Decode(&more) != nil {
			return e, errEventForm
		}
		e.Texts, e.Cut, e.BadParams, e.Near, e.Suspects = more.Texts, more.Cut, more.BadParams, more.Near, more.Suspects
		e.InputKeys, e.InputTypes, e.Meta = more.InputKeys, more.InputTypes, more.Meta
	}
	return e, nil
}

// eventReader takes values from the front of b. Once that failed it returns
// nothing any more.
type eventReader struct {
	b      []byte
	failed bool
}

func (r *eventReader) bytes(n int) []byte {
	if r.failed || n < 0 || n > len(r.b) {
		r.failed, r.b = true, nil
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *eventReader) varint() int64 {
	n, size := binary.Varint(r.b)
	if r.bytes(size); size <= 0 {
		r.failed = true
	}
	return n
}

func (r *eventReader) uvarint() uint64 {
	n, size := binary.Uvarint(r.b)
	if r.bytes(size); size <= 0 {
		r.failed = true
	}
	return n
}
