package yavio

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
)

// requestID is no argument: Yavio's SDK puts the id of the request among them.
const requestID = "_requestId"

func isYavio(f door.Fields) bool { return f.Has("event_type") }

func (b *reading) base(f door.Fields) umpire.Event {
	return umpire.Event{
		Client:  umpire.Peer{Name: f.Text("client_name"), Version: f.Text("client_version")},
		Session: f.Text("session_id"),
		User:    f.Text("user_id"),
		SeenBy:  "yavio",
		SDK:     umpire.Peer{Name: "yavio", Version: f.Text("sdk_version")},
	}
}

// meet notes the client of a session, which only the first call's connection names.
func (b *reading) meet(f door.Fields) {
	if f.Text("event_type") == "connection" {
		e := b.base(f)
		b.clients.Carry(b.project, &e)
	}
}

// fromYavio makes the event of f; ok is false for what is none of ours.
func (b *reading) fromYavio(f door.Fields, raw json.RawMessage) (e umpire.Event, ok bool) {
	e = b.base(f)
	e.ID = b.id("yavio", f.Text("event_id"), raw)
	b.began(&e, f.Time("timestamp"))
	b.clients.Carry(b.project, &e)
	if e.Platform = umpire.PlatformOf(e.Client.Name, ""); e.Client.Name == "" {
		e.Platform = umpire.PlatformOf(f.Text("platform"), "")
	}
	switch f.Text("event_type") {
	case "tool_call":
		b.yavioCall(&e, f)
	case "connection":
		e.Kind, e.Protocol = "session", f.Text("protocol_version")
	case "tool_discovery":
		// Its session is another one than that of the calls. Its schema is the inside of
		// a library and no JSON Schema: without it there is no hash of the definition.
		e.Kind, e.Session = "catalog", ""
		if name := f.Text("tool_name"); name != "" {
			e.Tools = []umpire.ToolDefinition{{Name: name, Description: f.Text("description")}}
		}
	case "step", "track", "conversion":
		e.Kind, e.Meta = "custom", map[string]any{"umpire.event": f.Text("event_name")}
	default:
		return e, false
	}
	return e, true
}

// yavioCall judges a tool call. Its status is success for a result with isError, and
// its timestamp is when the call ended.
func (b *reading) yavioCall(e *umpire.Event, f door.Fields) {
	e.Kind = "call"
	failed := f.Text("status") == "error"
	r := door.Report{
		Tool:    f.Text("event_name"),
		Failed:  failed,
		Message: f.Text("error_message"),
		// The SDK reports an error only where the handler threw.
		Thrown: failed && f.Text("error_category") != "tool_error",
		Result: f.Raw("output_content"),
	}
	if arguments := f.Object("input_values"); arguments != nil {
		delete(arguments, requestID)
		r.Arguments = reencoded(arguments)
	}
	took := f.Micros(time.Millisecond, "latency_ms")
	e.Call = r.Judge()
	e.DurationUS = took
	e.StartedAt = door.Began(e.StartedAt, took)
	r.Describe(e)
	if r.Arguments == nil {
		e.InputKeys = names(f.Object("input_keys"))
	}
	named(e, f.Object("input_types"))
	e.Intent = f.Object("intent_signals").Text("intent")
}

// reencoded is the object again; its members were valid JSON.
func reencoded(f door.Fields) json.RawMessage {
	out, err := json.Marshal(f)
	if err != nil {
		return nil
	}
	return out
}

func names(f door.Fields) []string { return slices.Sorted(maps.Keys(f)) }
