package mcpulse

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

func items(list []json.RawMessage, project uint32, receivedAt time.Time) []pipeline.Item {
	var out []pipeline.Item
	for i, raw := range list {
		if e, ok := event(raw, project, receivedAt); ok {
			out = append(out, pipeline.Item{Index: i, Event: e})
		}
	}
	return out
}

// event makes the event of an item; ok is false for what is none of ours.
func event(raw json.RawMessage, project uint32, receivedAt time.Time) (e umpire.Event, ok bool) {
	f := door.Object(raw)
	e = umpire.Event{
		ID:        door.ContentID("mcpulse", project, compact(raw)),
		StartedAt: receivedAt, // a startup has no time
		Session:   f.Text("session_id"),
		SeenBy:    "mcpulse",
		SDK:       umpire.Peer{Name: "mcpulse"},
	}
	if name := f.Text("client_name"); name != "unknown" { // what the SDK sends for none
		e.Client.Name = name
	}
	e.Platform = umpire.PlatformOf(e.Client.Name, "")
	switch f.Text("type") {
	case "call":
		call(&e, f)
	case "startup":
		e.Kind = "catalog"
		for _, one := range door.List(f.Raw("tools")) {
			if t := tool(one); t.Name != "" {
				e.Tools = append(e.Tools, t)
			}
		}
	default:
		return e, false
	}
	return e, true
}

// compact is the item without blanks: what is sent again may be set otherwise.
func compact(raw json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return raw
	}
	return out.Bytes()
}

func tool(raw json.RawMessage) umpire.ToolDefinition {
	f := door.Object(raw)
	t := umpire.ToolDefinition{Name: f.Text("name")}
	if n := f.Size("schema_bytes"); n != nil {
		t.Bytes = int(*n)
	}
	return t
}

// call takes the outcome as it was told.
func call(e *umpire.Event, f door.Fields) {
	e.Kind = "call"
	if at := f.Time("started_at"); !at.IsZero() {
		e.StartedAt = at
	}
	r := door.Report{Tool: f.Text("tool_name")}
	switch f.Text("outcome") {
	case "ok":
		r.Empty = f.True("is_empty")
	case "bad_args":
		r.Cause = "schema" // an unknown tool is in it, too: the SDK does not tell them apart
	case "tool_error":
		r.Failed = true
	case "crashed":
		r.Failed, r.Thrown = true, true
	default:
		// Nothing else is sent to judge from: it is set aside, and in no rate.
		e.Call = umpire.Call{Tool: r.Tool}
		e.Meta = map[string]any{"umpire.sent": f.Word("outcome")}
		return
	}
	e.Call = r.Judge()
	e.DurationUS = f.Micros(time.Millisecond, "duration_ms")
	e.ResponseBytes = f.Size("response_bytes")
	if hash := f.Text("args_hash"); hash != "" {
		// Theirs is the same in every session and without a key, so that it can be
		// guessed: only a hash of it is kept. What pages is not known apart.
		e.Arguments, _ = json.Marshal(map[string]string{"hash": hash})
		e.DigestArguments()
		e.Arguments, e.InputKeys = nil, nil
	}
}
