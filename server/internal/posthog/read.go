package posthog

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// body is a request: one event, a list, or an object with the list "batch".
type body struct {
	key    string
	events []json.RawMessage
}

// parse returns nil for what is none of the three.
func parse(text []byte) *body {
	text = bytes.TrimSpace(text)
	if len(text) > 0 && text[0] == '[' {
		if list := door.List(text); list != nil {
			return withKey(&body{events: list})
		}
		return nil
	}
	f := door.Object(text)
	if f == nil {
		return nil
	}
	b := &body{key: f.Text("api_key", "token")}
	switch {
	case f.Has("batch"):
		if b.events = door.List(f.Raw("batch")); b.events == nil {
			return nil
		}
	case f.Has("event"):
		b.events = []json.RawMessage{text}
	default:
		return nil
	}
	return withKey(b)
}

// withKey looks for the key inside the events, where older SDKs have it.
func withKey(b *body) *body {
	for i := 0; b.key == "" && i < len(b.events); i++ {
		e := door.Object(b.events[i])
		if b.key = e.Text("api_key", "token"); b.key == "" {
			b.key = e.Object("properties").Text("token", "api_key")
		}
	}
	return b
}

// reading turns one request into events.
type reading struct {
	front      *door.Front
	project    uint32
	receivedAt time.Time
	uuids      []string // by index
	thrown     []exception
}

// sent is one event as it came.
type sent struct {
	name  string
	uuid  string
	at    time.Time
	props door.Fields
	own   door.Fields // what stands beside the properties
	raw   json.RawMessage
}

func (b *reading) items(in *body) []pipeline.Item {
	list := make([]sent, len(in.events))
	for i, raw := range in.events {
		list[i] = b.sent(raw)
		b.uuids = append(b.uuids, list[i].uuid)
		if list[i].name == "$exception" {
			b.thrown = append(b.thrown, exceptionOf(&list[i]))
		}
	}
	var items []pipeline.Item
	for i := range list {
		e, ok := b.event(&list[i])
		if !ok {
			continue // counted as sent; it is not about MCP
		}
		items = append(items, pipeline.Item{Index: i, Event: e})
	}
	return items
}

func (b *reading) sent(raw json.RawMessage) sent {
	f := door.Object(raw)
	s := sent{name: f.Text("event"), uuid: f.Text("uuid"), at: f.Time("timestamp"), props: f.Object("properties"), own: f, raw: raw}
	if s.props == nil {
		s.props = door.Fields{}
	}
	if s.uuid == "" {
		s.uuid = s.props.Text("uuid", "$insert_id")
	}
	if s.at.IsZero() {
		s.at = s.props.Time("timestamp", "$timestamp")
	}
	if s.at.IsZero() {
		s.at = b.receivedAt
	}
	return s
}

// event makes the event of s; ok is false for what is none of ours.
func (b *reading) event(s *sent) (e umpire.Event, ok bool) {
	e = umpire.Event{
		StartedAt: s.at,
		Server:    umpire.Peer{Name: s.text("server_name"), Version: s.text("server_version")},
		Client:    umpire.Peer{Name: s.text("client_name"), Version: s.text("client_version")},
		Protocol:  s.text("protocol_version"),
		SeenBy:    "posthog",
		SDK:       umpire.Peer{Name: s.props.Text("$lib"), Version: s.props.Text("$lib_version")},
		// PostHog's own session ids are kept as they are, so that a team finds its
		// sessions again.
		Session: s.session(),
		User:    s.user(),
	}
	e.Platform = umpire.PlatformOf(e.Client.Name, s.text("client_user_agent"))
	e.Intent = s.text("intent", "user_intent")
	if s.uuid != "" {
		e.ID = door.ID("posthog", b.project, s.uuid)
	} else {
		e.ID = door.ContentID("posthog", b.project, s.raw)
	}
	switch strings.TrimPrefix(s.name, "$") {
	case "mcp_tool_call", unknownTool:
		b.call(&e, s)
	case "mcp_tools_list":
		b.catalog(&e, s)
	case "mcp_initialize":
		e.Kind = "session"
	case "mcp_resource_read":
		e.Kind, e.Tool = "resource", door.Scheme(s.text("resource_name"))
	case "mcp_prompt_get":
		e.Kind, e.Tool = "prompt", s.text("resource_name", "prompt_name")
	case "mcp_missing_capability", "mcp_feedback", "mcp_custom":
		e.Kind = "custom"
		e.Meta = map[string]any{"umpire.event": strings.TrimPrefix(s.name, "$mcp_")}
		if s.name == "$mcp_missing_capability" {
			e.Meta["umpire.event"] = adapter.MissingEvent
		}
	default:
		return e, false
	}
	return e, true
}

// text finds a property under its name in @posthog/mcp or in agentcat's exporter.
func (s *sent) text(names ...string) string {
	for _, name := range names {
		if v := s.props.Text("$mcp_"+name, name); v != "" {
			return v
		}
	}
	return ""
}

func (s *sent) session() string {
	if id := s.props.Text("$session_id", "$mcp_conversation_id", "session_id"); id != "" {
		return id
	}
	return s.own.Text("session_id")
}

// user is who was identified; without anyone the SDK sends the session in its place.
func (s *sent) user() string {
	id := s.own.Word("distinct_id")
	if id == "" {
		id = s.props.Word("distinct_id")
	}
	if id == s.session() || strings.HasPrefix(id, "ses_") || s.anonymous() {
		return ""
	}
	return id
}

func (s *sent) anonymous() bool {
	return string(s.props["$process_person_profile"]) == "false" ||
		string(s.own.Object("options")["process_person_profile"]) == "false"
}
