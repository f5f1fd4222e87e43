package posthog

import (
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
)

// exception is an $exception: the sibling of a failed call.
type exception struct {
	tool, session string
	at            time.Time
	name          string
	thrown        bool
	taken         bool // by a call: there is one for each
}

const unknownTool = "mcp_unknown_tool"

// near is how far apart the two may say that they happened.
const near = 2 * time.Second

func exceptionOf(s *sent) exception {
	x := exception{tool: s.text("tool_name", "resource_name"), session: s.session(), at: s.at}
	for _, raw := range door.List(s.props.Raw("$exception_list")) {
		one := door.Object(raw)
		x.name = one.Text("type")
		// A result with isError has no stack: the SDK makes an exception up for it.
		x.thrown = one.Has("stacktrace", "stack") && !one.Object("mechanism").True("synthetic")
		break // the causes come behind it
	}
	if x.name == "" {
		x.name = s.props.Text("$exception_type")
	}
	return x
}

// sibling finds the exception of a failed call.
func (b *reading) sibling(tool string, s *sent) (exception, bool) {
	for i := range b.thrown {
		x := &b.thrown[i]
		if apart := x.at.Sub(s.at).Abs(); !x.taken && x.tool == tool && x.session == s.session() && apart <= near {
			x.taken = true
			return *x, true
		}
	}
	return exception{}, false
}

// call judges a tool call.
func (b *reading) call(e *umpire.Event, s *sent) {
	e.Kind = "call"
	r := door.Report{
		Tool:    s.text("tool_name", "resource_name"),
		Failed:  s.props.True("$mcp_is_error", "is_error"),
		Message: s.text("error_message"),
		Name:    s.text("error_type"),
	}
	params := s.props.Object("$mcp_parameters", "parameters").Object("request").Object("params")
	r.Arguments = params.Raw("arguments")
	response := s.props.Object("$mcp_response", "response")
	if response.Has("content", "structuredContent", "isError", "toolResult") {
		r.Result = door.Unpadded(s.props.Raw("$mcp_response", "response"))
	}
	if strings.HasSuffix(s.name, unknownTool) {
		// The SDK for Python has an event of its own for it, in place of a call's.
		r.Failed, r.Cause = true, "unknown_tool"
	}
	if r.Failed {
		if x, ok := b.sibling(r.Tool, s); ok {
			r.Thrown = x.thrown
			if r.Name == "" || door.Generic[r.Name] {
				r.Name = x.name
			}
		} else if r.Name != "" && !door.Generic[r.Name] {
			r.Thrown = true // a name of its own is a class that was thrown, also where siblings are switched off
		}
		r.Tools = b.front.Learned.Of(b.project, e.Server.Name)
	}
	took := s.props.Micros(time.Millisecond, "$mcp_duration_ms", "duration_ms")
	e.Call = r.Judge()
	e.DurationUS = took
	r.Describe(e)
	if e.Outcome == "" {
		e.Meta = map[string]any{"umpire.sent": strings.TrimSpace(s.name)}
	}
}

// catalog notes what tools/list said.
func (b *reading) catalog(e *umpire.Event, s *sent) {
	e.Kind = "catalog"
	tools := door.List(s.props.Object("$mcp_response", "response").Raw("tools"))
	if tools != nil {
		b.front.Learned.Learn(b.project, e.Server.Name, tools, "context", "conversation_id")
	}
	e.Tools = door.Definitions(tools)
	if len(e.Tools) == 0 {
		for _, raw := range door.List(s.props.Raw("$mcp_listed_tool_names")) {
			if name := (door.Fields{"name": raw}).Text("name"); name != "" {
				e.Tools = append(e.Tools, umpire.ToolDefinition{Name: name})
			}
		}
	}
}
