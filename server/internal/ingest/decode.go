package ingest

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/jsonscan"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const (
	// maxOdd bounds, in bytes, what is kept of a value that has no place; the
	// pipeline cuts it to its own limit and marks it.
	maxOdd = 2 << 10
	// maxNumber is the longest number, in characters, that is kept as one.
	maxNumber = 64
	// Strings up to maxShared are kept once in a decoder, up to mostShared of them:
	// the names of tools, clients and servers come again and again.
	maxShared  = 64
	mostShared = 4096
)

// decoder turns JSON into events. It is reused, not shared.
type decoder struct {
	scan   jsonscan.Scan
	shared map[string]string

	// The event at hand: it is read where it will stay.
	item   *pipeline.Item
	badID  string // the id as sent, if it is none
	badAt  bool   // a time was sent, and is none
	badKnd bool
}

func newDecoder() *decoder { return &decoder{shared: map[string]string{}} }

func (d *decoder) reset(text []byte) {
	d.scan.Text, d.scan.At, d.item = text, 0, nil
	if len(d.shared) >= mostShared {
		clear(d.shared)
	}
}

// event reads the event whose '{' comes next into the item. id is what the sender
// called it, for a refusal. An error is a syntax error.
func (d *decoder) event(into *pipeline.Item) (id string, err error) {
	d.item, d.badID, d.badAt, d.badKnd = into, "", false, false
	d.scan.At++
	for first := true; ; first = false {
		name, ok, err := d.scan.Member(first)
		if err != nil {
			return "", err
		}
		if !ok {
			break
		}
		if d.scan.Peek() == 'n' { // null is absent
			err = d.scan.Word("null")
		} else {
			err = d.field(name)
		}
		if err != nil {
			return "", err
		}
	}
	return d.badID, nil
}

// unusable says why the event must be refused; "" if it need not be.
func (d *decoder) unusable() (reason, hint string) {
	e := &d.item.Event
	switch {
	case e.ID.IsZero() && d.badID != "":
		return "the id is no UUID", "make a UUID once, where the event happens, and send the same one again on a retry"
	case e.ID.IsZero():
		return "the event has no id", "make a UUID once, where the event happens, and send the same one again on a retry"
	case e.Kind == "" && d.badKnd:
		return "the kind is no string", `send kind as a string, such as "call"`
	case e.Kind == "":
		return "the event has no kind", `send kind, such as "call"`
	case e.StartedAt.IsZero() && d.badAt:
		return "started_at is no time", "send RFC 3339, such as 2026-01-31T12:00:00.123456Z"
	case e.StartedAt.IsZero():
		return "the event has no started_at", "send when the request arrived, in RFC 3339"
	}
	return "", ""
}

// textField reads the value of a member that holds a string; ok is false if it is another.
func (d *decoder) textField(name []byte) (ok bool, err error) {
	e := &d.item.Event
	switch string(name) {
	case "outcome":
		return true, d.text("outcome", (*string)(&e.Outcome))
	case "platform":
		return true, d.text("platform", &e.Platform)
	case "protocol":
		return true, d.text("protocol", &e.Protocol)
	case "transport":
		return true, d.text("transport", &e.Transport)
	case "session":
		return true, d.own("session", &e.Session)
	case "user":
		return true, d.text("user", &e.User)
	case "seen_by":
		return true, d.text("seen_by", &e.SeenBy)
	case "tool":
		return true, d.text("tool", &e.Tool)
	case "empty_rule":
		return true, d.text("empty_rule", &e.EmptyRule)
	case "cause":
		return true, d.text("cause", &e.Cause)
	case "evidence":
		return true, d.text("evidence", &e.Evidence)
	case "handler_ran":
		return true, d.text("handler_ran", &e.HandlerRan)
	case "error_type":
		return true, d.text("error_type", &e.ErrorType)
	case "error_message":
		return true, d.own("error_message", &e.ErrorMessage)
	case "fingerprint":
		return true, d.text("fingerprint", &e.Fingerprint)
	case "args_hash":
		return true, d.own("args_hash", &e.ArgsHash)
	case "ask_hash":
		return true, d.own("ask_hash", &e.AskHash)
	case "intent":
		return true, d.own("intent", &e.Intent)
	case "trace_id":
		return true, d.own("trace_id", &e.TraceID)
	case "span_id":
		return true, d.own("span_id", &e.SpanID)
	case "definition":
		return true, d.text("definition", &e.Definition)
	}
	return false, nil
}

// field reads the value of one member of an event. The name is valid until then.
func (d *decoder) field(name []byte) error {
	e := &d.item.Event
	if ok, err := d.textField(name); ok {
		return err
	}
	switch string(name) {
	case "id":
		return d.id()
	case "kind":
		return d.kind()
	case "started_at":
		return d.startedAt()
	case "server":
		return d.peer(&serverFields, &e.Server)
	case "client":
		return d.peer(&clientFields, &e.Client)
	case "sdk":
		return d.peer(&sdkFields, &e.SDK)
	default:
		return d.fieldMore(name)
	}
}

// fieldMore reads the fields that are no texts, and unknown ones.
func (d *decoder) fieldMore(name []byte) error {
	e := &d.item.Event
	switch string(name) {
	case "rules":
		return d.number("rules", &e.Rules)
	case "error_status":
		return d.number("error_status", &e.ErrorStatus)
	case "duration_us":
		return d.measure("duration_us", &e.DurationUS)
	case "request_bytes":
		return d.measure("request_bytes", &e.RequestBytes)
	case "response_bytes":
		return d.measure("response_bytes", &e.ResponseBytes)
	case "empty":
		return d.flag("empty", &e.Empty)
	case "late":
		return d.flag("late", &e.Late)
	case "is_retry":
		return d.flag("is_retry", &e.IsRetry)
	case "reworded":
		return d.flag("reworded", &e.Reworded)
	case "repeated":
		return d.flag("repeated", &e.Repeated)
	case "near":
		return d.texts("near", &e.Near)
	case "suspects":
		return d.texts("suspects", &e.Suspects)
	case "input_keys":
		return d.texts("input_keys", &e.InputKeys)
	case "input":
		return d.raw("input", &e.Input)
	case "output":
		return d.raw("output", &e.Output)
	case "input_types":
		return d.types()
	case "bad_params":
		return d.badParams()
	case "tools":
		return d.tools()
	case "meta":
		return d.meta()
	default:
		return d.odd(string(name))
	}
}

func (d *decoder) id() error {
	raw, _, err := d.scan.Value()
	if err != nil {
		return err
	}
	text, ok := d.scan.Unquote(raw)
	var id umpire.ID
	if !ok || id.UnmarshalText(text) != nil {
		if !ok {
			text = raw
		}
		d.badID = string(bytes.ToValidUTF8(text[:min(len(text), maxShared)], nil))
		return nil
	}
	d.item.Event.ID = id
	return nil
}

func (d *decoder) kind() error {
	if d.scan.Peek() != '"' {
		d.badKnd = true
		_, err := d.scan.Skip()
		return err
	}
	return d.text("kind", &d.item.Event.Kind)
}

func (d *decoder) startedAt() error {
	raw, _, err := d.scan.Value()
	if err != nil {
		return err
	}
	text, ok := d.scan.Unquote(raw)
	if !ok || len(text) > maxNumber {
		d.badAt = true
		return nil
	}
	at, ok := readTime(string(text))
	if !ok {
		d.badAt = true
	} else {
		d.item.Event.StartedAt = at
	}
	return nil
}

// readTime reads RFC 3339, which also allows small letters and a leap second. A
// time before the year 1 or its first instant, which stands for none, is the
// second after it.
func readTime(text string) (at time.Time, ok bool) {
	text = strings.ToUpper(text)
	if len(text) > 19 && text[17:19] == "60" {
		text = text[:17] + "59" + text[19:]
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if at = at.UTC(); err != nil || at.Year() < 0 || at.Year() > 9999 {
		return time.Time{}, false
	}
	if first := (time.Time{}).Add(time.Second); at.Before(first) {
		return first, true
	}
	return at, true
}

// text reads a string; what is none goes to meta.
func (d *decoder) text(field string, into *string) error {
	if d.scan.Peek() != '"' {
		return d.odd(field)
	}
	s, err := d.scan.Str()
	if err == nil {
		*into = d.share(s)
	}
	return err
}

// own is text for a string that hardly comes twice.
func (d *decoder) own(field string, into *string) error {
	if d.scan.Peek() != '"' {
		return d.odd(field)
	}
	s, err := d.scan.Str()
	if err == nil {
		*into = string(s)
	}
	return err
}

// share makes a string of b, the same one for the same short bytes.
func (d *decoder) share(b []byte) string {
	if len(b) > maxShared {
		return string(b)
	}
	if s, ok := d.shared[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(d.shared) < mostShared {
		d.shared[s] = s
	}
	return s
}

func (d *decoder) flag(field string, into *bool) error {
	switch d.scan.Peek() {
	case 't':
		*into = true
		return d.scan.Word("true")
	case 'f':
		*into = false
		return d.scan.Word("false")
	}
	return d.odd(field)
}

func (d *decoder) number(field string, into *int) error {
	raw, deep, err := d.scan.Value()
	if err != nil {
		return err
	}
	if n, ok := integer(raw); ok && n == int64(int32(n)) {
		*into = int(n)
		return nil
	}
	d.keep(field, raw, deep)
	return nil
}

func (d *decoder) measure(field string, into **int64) error {
	raw, deep, err := d.scan.Value()
	if err != nil {
		return err
	}
	if n, ok := integer(raw); ok {
		*into = &n
		return nil
	}
	d.keep(field, raw, deep)
	return nil
}

// raw copies a value of any type; one that is nested too deep goes to meta.
func (d *decoder) raw(field string, into *json.RawMessage) error {
	raw, deep, err := d.scan.Value()
	if err != nil {
		return err
	}
	if deep {
		d.keep(field, raw, deep)
		return nil
	}
	*into = bytes.Clone(raw)
	return nil
}
