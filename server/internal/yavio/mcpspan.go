package yavio

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
	"github.com/umpire-mcp/umpire/server/internal/door"
)

// What mcpspan calls the kinds of failure (its contract, 3.1, 3.2 and 3.5).
const (
	sourceException = "exception"
	sourceArguments = "arguments"
	unknownTool     = "unknown_tool"
	unknownResource = "unknown_resource"
	unknownPrompt   = "unknown_prompt"
)

func (b *reading) fromMcpspan(f door.Fields, raw json.RawMessage) umpire.Event {
	e := umpire.Event{
		ID:         b.id("mcpspan", f.Text("id"), raw),
		Server:     umpire.Peer{Version: f.Text("serverVersion")},
		Client:     umpire.Peer{Name: f.Text("clientName"), Version: f.Text("clientVersion")},
		Session:    f.Text("sessionId"),
		SeenBy:     "mcpspan",
		SDK:        umpire.Peer{Name: sdkName(b.userAgent), Version: f.Text("sdkVersion")},
		Definition: f.Text("definitionHash"),
	}
	b.began(&e, f.Time("timestamp"))
	if e.Platform = umpire.PlatformOf(e.Client.Name, ""); e.Client.Name == "" {
		e.Platform = umpire.PlatformOf(f.Text("clientType"), "")
	}
	r, source := door.Report{Tool: f.Text("toolName")}, f.Text("errorSource")
	if string(f.Raw("success")) == "false" || source != "" {
		r.Failed, r.Message, r.Name = true, f.Text("errorMessage"), f.Text("errorType")
		r.Thrown = source == sourceException
	}
	switch kind := f.Text("kind"); kind {
	case "", "tool":
		e.Kind = "call"
		b.mcpspanCall(&e, r, source, f)
	case "resource", "prompt":
		e.Kind = kind
		b.read(&e, r, source)
	default: // one from the future is no call
		e.Kind, e.Meta = "custom", map[string]any{"umpire.event": "mcpspan." + kind}
	}
	e.DurationUS = f.Micros(time.Millisecond, "durationMs")
	e.ResponseBytes = f.Size("responseBytes")
	named(&e, f.Object("parameters"))
	return e
}

// mcpspanCall judges a tool call by what the sender saw: it does not send results.
func (b *reading) mcpspanCall(e *umpire.Event, r door.Report, source string, f door.Fields) {
	r.Empty = !r.Failed && door.NothingIn(f.Size("responseBytes"))
	switch source {
	case sourceArguments:
		r.Cause = "schema"
	case unknownTool:
		r.Cause = unknownTool
	}
	e.Call = r.Judge()
	if e.Outcome != umpire.BadArgs {
		return
	}
	for _, raw := range door.List(f.Raw("invalidArguments")) {
		if name := (door.Fields{"name": raw}).Text("name"); name != "" {
			// Which rule was broken is not told.
			e.BadParams = append(e.BadParams, umpire.BadParam{Path: pointer(name)})
		}
	}
	if len(e.BadParams) > 0 {
		e.Fingerprint = "" // it holds them in place of a message
		e.Rejudge()
	}
}

// read judges what is no tool: it is named as the server registered it, and what
// the server does not have as all doors name that.
func (b *reading) read(e *umpire.Event, r door.Report, source string) {
	switch source {
	case unknownResource:
		r.Cause = "invalid_params"
		if r.Tool = door.Scheme(r.Tool); r.Tool == "" {
			r.Tool = adapter.UnknownResource
		}
	case unknownPrompt:
		r.Cause, r.Tool = "invalid_params", adapter.UnknownPrompt
	case sourceArguments:
		r.Cause = "invalid_params"
	}
	e.Call = r.Judge()
}

// pointer is a name as a JSON Pointer.
func pointer(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// sdkName is mcpspan with the language that the user agent names, as in
// "mcpspan/1.2.0 (typescript)".
func sdkName(userAgent string) string {
	_, rest, ok := strings.Cut(userAgent, "(")
	language, _, closed := strings.Cut(rest, ")")
	if !ok || !closed || !strings.HasPrefix(userAgent, "mcpspan/") {
		return "mcpspan"
	}
	return "mcpspan-" + language
}
