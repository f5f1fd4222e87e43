package eventjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire"
)

// Append writes an event whose raw JSON is valid and compact as Marshal would, a test
// of the pipeline holds it to the byte, at a third of the cost. What is rare is left
// to encoding/json.
func Append(dst []byte, e *umpire.Event) ([]byte, error) {
	w := writer{b: append(dst, '{')}
	w.member("id")
	w.b = append(w.b, '"')
	id, err := e.ID.MarshalText()
	w.fail(err)
	w.b = append(append(w.b, id...), '"')
	w.member("kind")
	w.string(e.Kind)
	w.member("started_at")
	w.time(e.StartedAt)
	w.peer("server", &e.Server)
	w.peer("client", &e.Client)
	w.text("platform", e.Platform)
	w.text("protocol", e.Protocol)
	w.text("transport", e.Transport)
	w.text("session", e.Session)
	w.text("user", e.User)
	w.text("seen_by", e.SeenBy)
	w.peer("sdk", &e.SDK)
	w.number("rules", e.Rules)
	w.call(&e.Call)
	w.texts("input_keys", e.InputKeys)
	if len(e.InputTypes) > 0 {
		w.other("input_types", e.InputTypes)
	}
	w.raw("input", e.Input)
	w.raw("output", e.Output)
	w.text("intent", e.Intent)
	w.text("trace_id", e.TraceID)
	w.text("span_id", e.SpanID)
	w.text("definition", e.Definition)
	if len(e.Tools) > 0 {
		w.other("tools", e.Tools)
	}
	if len(e.Meta) > 0 {
		w.other("meta", e.Meta)
	}
	return append(w.b, '}'), w.err
}

// writer appends the members of an object, and remembers the first error.
type writer struct {
	b   []byte
	err error
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) call(c *umpire.Call) {
	w.text("tool", c.Tool)
	w.text("outcome", string(c.Outcome))
	w.flag("empty", c.Empty)
	w.text("empty_rule", c.EmptyRule)
	w.text("cause", c.Cause)
	w.text("evidence", c.Evidence)
	w.text("handler_ran", c.HandlerRan)
	w.text("error_type", c.ErrorType)
	w.number("error_status", c.ErrorStatus)
	w.text("error_message", c.ErrorMessage)
	if len(c.BadParams) > 0 {
		w.other("bad_params", c.BadParams)
	}
	w.texts("near", c.Near)
	w.texts("suspects", c.Suspects)
	w.text("fingerprint", c.Fingerprint)
	w.flag("late", c.Late)
	w.measure("duration_us", c.DurationUS)
	w.measure("request_bytes", c.RequestBytes)
	w.measure("response_bytes", c.ResponseBytes)
	w.text("args_hash", c.ArgsHash)
	w.text("ask_hash", c.AskHash)
	w.flag("is_retry", c.IsRetry)
	w.flag("reworded", c.Reworded)
	w.flag("repeated", c.Repeated)
}

// member begins a member; its name needs no escapes.
func (w *writer) member(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *writer) text(name, s string) {
	if s != "" {
		w.member(name)
		w.string(s)
	}
}

func (w *writer) flag(name string, v bool) {
	if v {
		w.member(name)
		w.b = append(w.b, "true"...)
	}
}

func (w *writer) number(name string, n int) {
	if n != 0 {
		w.member(name)
		w.b = strconv.AppendInt(w.b, int64(n), 10)
	}
}

func (w *writer) measure(name string, n *int64) {
	if n != nil {
		w.member(name)
		w.b = strconv.AppendInt(w.b, *n, 10)
	}
}

func (w *writer) time(t time.Time) {
	if y := t.Year(); y >= 0 && y <= 9999 && t.Location() == time.UTC {
		w.b = append(w.b, '"')
		w.b = append(t.AppendFormat(w.b, time.RFC3339Nano), '"')
		return
	}
	out, err := t.MarshalJSON()
	w.fail(err)
	w.b = append(w.b, out...)
}

func (w *writer) peer(name string, p *umpire.Peer) {
	if *p == (umpire.Peer{}) {
		return
	}
	w.member(name)
	w.b = append(w.b, '{')
	w.text("name", p.Name)
	w.text("version", p.Version)
	w.text("env", p.Env)
	w.b = append(w.b, '}')
}

func (w *writer) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.member(name)
	for i, s := range list {
		w.b = append(w.b, "[,"[min(i, 1)])
		w.string(s)
	}
	w.b = append(w.b, ']')
}

// raw writes JSON that redaction has left valid and compact.
func (w *writer) raw(name string, raw json.RawMessage) {
	if len(raw) > 0 {
		w.member(name)
		w.b = append(w.b, raw...)
	}
}

func (w *writer) other(name string, v any) {
	w.member(name)
	out, err := Marshal(v)
	w.fail(err)
	w.b = append(w.b, out...)
}

func (w *writer) string(s string) { w.b = AppendString(w.b, s) }

// Marshal is json.Marshal without the escapes that HTML needs.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}
