package agentcat

import (
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
	"github.com/umpire-mcp/umpire/server/internal/door"
)

// event makes the event of what was sent; ok is false for what is none of ours.
func (h *Handler) event(f door.Fields, text []byte, project uint32) (e umpire.Event, ok bool) {
	e = umpire.Event{
		StartedAt: f.Time("timestamp"),
		Server:    umpire.Peer{Name: f.Text("server_name", "serverName"), Version: f.Text("server_version", "serverVersion")},
		Client:    umpire.Peer{Name: f.Text("client_name", "clientName"), Version: f.Text("client_version", "clientVersion")},
		SeenBy:    "agentcat",
		SDK:       umpire.Peer{Name: sdkName(f), Version: f.Text("agentcat_version", "agentcatVersion", "mcpcat_version", "mcpcatVersion")},
		Session:   f.Text("session_id", "sessionId"),
		User:      f.Text("identify_actor_given_id", "identifyActorGivenId"),
		Intent:    f.Text("user_intent", "userIntent"),
	}
	if id := f.Text("id"); id != "" {
		e.ID = door.ID("agentcat", project, id)
	} else {
		e.ID = door.ContentID("agentcat", project, text)
	}
	if e.StartedAt.IsZero() {
		e.StartedAt = time.Now()
	}
	method := strings.TrimPrefix(f.Text("event_type", "eventType"), "mcp:")
	if method == "initialize" && e.Client.Name == "" {
		info := f.Object("parameters").Object("request").Object("params").Object("clientInfo")
		e.Client = umpire.Peer{Name: info.Text("name"), Version: info.Text("version")}
	}
	h.clients.Carry(project, &e)
	e.Platform = umpire.PlatformOf(e.Client.Name, "")
	switch method {
	case "tools/call":
		h.call(&e, f, project)
	case "tools/list":
		e.Kind = "catalog"
		tools := door.List(f.Object("response").Raw("tools"))
		if tools != nil {
			h.front.Learned.Learn(project, e.Server.Name, tools, "context")
		}
		e.Tools = door.Definitions(tools)
	case "initialize":
		e.Kind = "session"
		e.Protocol = f.Object("response").Text("protocolVersion")
	case "resources/read":
		// The address that a client read is not recorded.
		e.Kind, e.Tool = "resource", door.Scheme(f.Text("resource_name", "resourceName"))
	case "prompts/get":
		e.Kind, e.Tool = "prompt", f.Text("resource_name", "resourceName")
	default:
		return e, false
	}
	return e, true
}

func sdkName(f door.Fields) string {
	name := "agentcat"
	if f.Has("mcpcat_version", "mcpcatVersion") && !f.Has("agentcat_version", "agentcatVersion") {
		name = "mcpcat"
	}
	language, _, _ := strings.Cut(f.Text("sdk_language", "sdkLanguage"), " ") // "Python 3.11"
	if language != "" {
		name += "-" + strings.ToLower(language)
	}
	return name
}

const moreTools = "get_more_tools"

// call judges a tool call. A stack tells what was thrown from what was returned;
// the Go SDK gives a made-up one to every error, all of one type, so that there it
// tells nothing.
func (h *Handler) call(e *umpire.Event, f door.Fields, project uint32) {
	if f.Text("resource_name", "resourceName") == moreTools {
		// The SDK's own tool, for what no other does: no call of the server's.
		asked := requested(f).Object("arguments")
		e.Kind, e.Meta = "custom", map[string]any{"umpire.event": adapter.MissingEvent}
		if text := asked.Text("context"); text != "" {
			e.Intent = text
		}
		return
	}
	e.Kind = "call"
	failure := f.Object("error")
	r := door.Report{
		Tool:    f.Text("resource_name", "resourceName"),
		Failed:  f.True("is_error", "isError"),
		Message: failure.Text("message"),
		Name:    errorName(failure),
	}
	request := requested(f)
	if name := request.Text("name"); name != "" {
		r.Tool = name
	}
	r.Arguments = request.Raw("arguments")
	if response := f.Object("response"); response.Has("content", "structuredContent", "isError") {
		r.Result = door.Unpadded(f.Raw("response"))
	}
	if r.Failed {
		made := strings.HasPrefix(r.Name, "*")
		r.Thrown = failure.Has("stack") && !made
		r.Tools = h.front.Learned.Of(project, e.Server.Name)
	}
	e.Call = r.Judge()
	e.DurationUS = f.Micros(time.Millisecond, "duration")
	r.Describe(e)
}

// requested are the parameters of the call. The SDKs for Python send them without
// the request around them.
func requested(f door.Fields) door.Fields {
	parameters := f.Object("parameters")
	if request := parameters.Object("request"); request != nil {
		return request.Object("params")
	}
	return parameters
}

// errorName is that of the error, or of what it was made from where it only wraps:
// FastMCP makes a ToolError of all that a handler raises.
func errorName(failure door.Fields) string {
	name := failure.Text("type")
	if !door.Generic[name] {
		return name
	}
	for _, raw := range door.List(failure.Raw("chained_errors")) {
		if inner := door.Object(raw).Text("type"); inner != "" && !door.Generic[inner] {
			return inner
		}
	}
	return name
}
