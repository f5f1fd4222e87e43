package generate

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire"
)

// AppendJSON writes a generated event as encoding/json would, at a small part of
// the cost: what loads a server shares the machine with it. It holds for events of
// a Generator only, whose texts need no escapes but for quotes.
func AppendJSON(dst []byte, e *umpire.Event) []byte {
	w := line{append(dst, `{"id":"`...)}
	id, _ := e.ID.MarshalText() // it has no error
	w.b = append(append(w.b, id...), '"')
	w.text("kind", e.Kind)
	w.b = append(w.b, `,"started_at":"`...)
	w.b = append(e.StartedAt.UTC().AppendFormat(w.b, time.RFC3339Nano), '"')
	w.peer("server", &e.Server)
	w.peer("client", &e.Client)
	w.text("platform", e.Platform)
	w.text("protocol", e.Protocol)
	w.text("transport", e.Transport)
	w.text("session", e.Session)
	w.text("user", e.User)
	w.text("seen_by", e.SeenBy)
	w.peer("sdk", &e.SDK)
	w.number("rules", int64(e.Rules))
	w.call(&e.Call)
	w.texts("input_keys", e.InputKeys)
	w.raw("input", e.Input)
	w.raw("output", e.Output)
	w.text("intent", e.Intent)
	w.text("trace_id", e.TraceID)
	w.text("span_id", e.SpanID)
	if len(e.Tools) > 0 {
		w.other("tools", e.Tools)
	}
	return append(w.b, '}')
}

// line appends members to an object that has one.
type line struct{ b []byte }

func (w *line) call(c *umpire.Call) {
	w.text("tool", c.Tool)
	w.text("outcome", string(c.Outcome))
	if c.Empty {
		w.b = append(w.b, `,"empty":true`...)
	}
	w.text("empty_rule", c.EmptyRule)
	w.text("cause", c.Cause)
	w.text("evidence", c.Evidence)
	w.text("handler_ran", c.HandlerRan)
	w.text("error_type", c.ErrorType)
	w.number("error_status", int64(c.ErrorStatus))
	w.text("error_message", c.ErrorMessage)
	if len(c.BadParams) > 0 {
		w.other("bad_params", c.BadParams)
	}
	w.text("fingerprint", c.Fingerprint)
	w.measure("duration_us", c.DurationUS)
	w.measure("request_bytes", c.RequestBytes)
	w.measure("response_bytes", c.ResponseBytes)
	w.text("args_hash", c.ArgsHash)
	w.text("ask_hash", c.AskHash)
}

func (w *line) name(name string) {
	w.b = append(append(append(w.b, ',', '"'), name...), '"', ':')
}

func (w *line) text(name, s string) {
	if s == "" {
		return
	}
	w.name(name)
	w.quote(s)
}

func (w *line) quote(s string) {
	w.b = append(w.b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			w.b = append(w.b, '\\')
		}
		w.b = append(w.b, s[i])
	}
	w.b = append(w.b, '"')
}

func (w *line) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.name(name)
	for i, s := range list {
		w.b = append(w.b, "[,"[min(i, 1)])
		w.quote(s)
	}
	w.b = append(w.b, ']')
}

func (w *line) number(name string, n int64) {
	if n != 0 {
		w.name(name)
		w.b = strconv.AppendInt(w.b, n, 10)
	}
}

func (w *line) measure(name string, n *int64) {
	if n != nil {
		w.name(name)
		w.b = strconv.AppendInt(w.b, *n, 10)
	}
}

func (w *line) peer(name string, p *umpire.Peer) {
	w.name(name)
	w.b = append(w.b, `{"name":"`...)
	w.b = append(append(w.b, p.Name...), `","version":"`...)
	w.b = append(append(w.b, p.Version...), '"')
	w.text("env", p.Env)
	w.b = append(w.b, '}')
}

func (w *line) raw(name string, raw json.RawMessage) {
	if len(raw) > 0 {
		w.name(name)
		w.b = append(w.b, raw...)
	}
}

func (w *line) other(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic("BUG: a generated event is no JSON: " + err.Error())
	}
	w.name(name)
	w.b = append(w.b, text...)
}
