package amplitude

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// prefix begins the names of all events and properties of the SDKs.
const prefix = "[MCP] "

func items(list []json.RawMessage, project uint32, receivedAt time.Time) []pipeline.Item {
	var out []pipeline.Item
	for i, raw := range list {
		if e, ok := event(raw, project, receivedAt); ok {
			out = append(out, pipeline.Item{Index: i, Event: e})
		}
	}
	return out
}

// properties are those of an event, without the prefix.
type properties struct{ f door.Fields }

func (p properties) text(name string) string { return p.f.Text(prefix + name) }
func (p properties) size(name string) *int64 { return p.f.Size(prefix + name) }

// known is text without the word that the SDKs send for what they do not know.
func (p properties) known(name string) string {
	if text := p.text(name); text != "unknown" {
		return text
	}
	return ""
}

// event makes the event of what was sent; ok is false for what is none of ours.
func event(raw json.RawMessage, project uint32, receivedAt time.Time) (e umpire.Event, ok bool) {
	f := door.Object(raw)
	name, ours := strings.CutPrefix(f.Text("event_type"), prefix)
	if !ours {
		return e, false
	}
	p := properties{f.Object("event_properties")}
	e = umpire.Event{
		StartedAt: f.Time("time"),
		Server:    umpire.Peer{Name: p.known("Server Name"), Version: p.known("Server Version")},
		Client:    umpire.Peer{Name: p.known("Client Name"), Version: p.known("Client Version")},
		Protocol:  p.known("Protocol Version"),
		Transport: transport(p.text("Transport")),
		Session:   session(p, f.Text("user_id")),
		User:      user(f.Text("user_id"), p.text("Anchor Type")),
		SeenBy:    "amplitude",
	}
	e.SDK.Name, e.SDK.Version, _ = strings.Cut(f.Text("library"), "/")
	e.Platform = umpire.PlatformOf(e.Client.Name, p.known("User Agent"))
	if e.StartedAt.IsZero() {
		e.StartedAt = receivedAt
	}
	if id := f.Text("insert_id"); id != "" {
		e.ID = door.ID("amplitude", project, id)
	} else {
		e.ID = door.ContentID("amplitude", project, raw)
	}
	switch name {
	case "Tool Call Response":
		response(&e, p)
	case "Tool Call Rejected":
		rejected(&e, p)
	case "Tools Listed":
		listed(&e, p)
	case "Session Initialized":
		e.Kind = "session"
	case "Feedback Submitted":
		e.Kind, e.Meta = "custom", map[string]any{"umpire.event": "feedback"}
	default:
		return e, false
	}
	return e, true
}

// session is the id as sent, unless it says that there is none. On stdio it then is
// the process (outcomes.md 6.1), where that is told by more than a number that every
// machine has: "process:31800-cba64f62…".
func session(p properties, user string) string {
	if id := p.known("Session ID"); id != "no-session" {
		return id
	}
	if process, ok := strings.CutPrefix(user, "process:"); ok && strings.Contains(process, "-") {
		return process
	}
	return ""
}

// user is the one that the owner named: without one, the SDKs make an id of what
// they know, "process:123".
func user(id, anchor string) string {
	kind, _, made := strings.Cut(id, ":")
	if made && (kind == anchor || kind == "process" || kind == "anonymous" || kind == "session") {
		return ""
	}
	return id
}

func transport(name string) string {
	for _, known := range []string{"stdio", "sse", "http"} {
		if strings.Contains(strings.ToLower(name), known) {
			return known
		}
	}
	return ""
}

// listed notes the names that tools/list gave; nothing else of it is sent.
func listed(e *umpire.Event, p properties) {
	e.Kind = "catalog"
	for _, raw := range door.List(p.f.Raw(prefix + "Tool Names")) {
		if name := (door.Fields{"name": raw}).Text("name"); name != "" {
			e.Tools = append(e.Tools, umpire.ToolDefinition{Name: name})
		}
	}
}

// withdrawn begins what anyio says where a request of the SDK for Python was
// cancelled; Amplitude calls that a timeout.
const withdrawn = "Cancelled via cancel scope "

// response judges a call that a handler took.
func response(e *umpire.Event, p properties) {
	size := p.size("Response Size")
	if p.text("Error Type") == "timeout" && strings.HasPrefix(p.text("Error Message"), withdrawn) {
		ended(e, p, door.Report{Tool: p.text("Tool Name")})
		e.Kind = "cancelled" // no call, and in no rate (outcomes.md 1.2)
		e.Call = umpire.Call{Tool: e.Tool, DurationUS: e.DurationUS, RequestBytes: e.RequestBytes}
		return
	}
	r := door.Report{
		Tool:    p.text("Tool Name"),
		Failed:  p.f.True(prefix + "Is Error"),
		Message: p.text("Error Message"),
	}
	r.Empty = !r.Failed && door.NothingIn(size)
	if r.Failed {
		r.Name = p.text("Error Code") // free where it is not the type again
		switch kind := p.text("Error Type"); kind {
		case "returned_error":
		case "timeout", "transport_error", "rate_limited":
			// Thrown, and of a class of transport: a named refusal (outcomes.md 2.3).
			r.Cause = "returned"
			if r.Name == "" {
				r.Name = kind
			}
		default:
			r.Thrown = true
		}
	}
	ended(e, p, r)
	if status := p.size("Error HTTP Status"); status != nil && e.Outcome.Failed() && *status >= 100 && *status < 600 {
		again(e, int(*status))
	}
}

// again judges a failure by the status of the error, which was thrown under no name:
// that, too, names a refusal.
func again(e *umpire.Event, status int) {
	e.ErrorStatus = status
	if e.Cause == "thrown" {
		e.Outcome, e.Cause = umpire.ToolError, "returned"
		if e.ErrorType == "" {
			e.ErrorType = "http:" + strconv.Itoa(status)
		}
	}
	e.Fingerprint = ""
	e.Rejudge()
}

// rejected judges a call that was refused before any handler ran.
func rejected(e *umpire.Event, p properties) {
	r := door.Report{Tool: p.text("Attempted Tool Name"), Failed: true, Message: p.text("Error Message")}
	switch reason := p.text("Rejection Reason"); reason {
	case "unknown_tool", "disabled_tool":
		r.Cause = reason
	case "schema_validation":
		r.Cause = "schema"
	default:
		r.Cause = "invalid_params" // no handler ran, and the SDK does not know why
	}
	ended(e, p, r)
}

// ended fills in what both kinds have. Their time is the end of the call.
func ended(e *umpire.Event, p properties, r door.Report) {
	e.Kind = "call"
	e.Call = r.Judge()
	e.DurationUS = p.f.Micros(time.Millisecond, prefix+"Response Duration")
	e.StartedAt = door.Began(e.StartedAt, e.DurationUS)
	e.RequestBytes, e.ResponseBytes = p.size("Request Size"), p.size("Response Size")
	e.Intent = p.text("Rationale")
}
