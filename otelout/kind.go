package otelout

import (
	"strings"

	"github.com/umpire-mcp/umpire"
)

// The methods of which events tell.
const (
	methodCall       = "tools/call"
	methodRead       = "resources/read"
	methodPrompt     = "prompts/get"
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
)

// method is mcp.method.name. Protocol 2026-07-28 has no initialize.
func method(e *umpire.Event) string {
	switch {
	case e.Kind == "resource":
		return methodRead
	case e.Kind == "prompt":
		return methodPrompt
	case e.Kind == "session" && e.Protocol >= withoutSession:
		return methodDiscover
	case e.Kind == "session":
		return methodInitialize
	}
	return methodCall
}

// isRead reports whether e tells of a resource or prompt, which is no call.
func isRead(e *umpire.Event) bool { return e.Kind == "resource" || e.Kind == "prompt" }

// target is what a request was about: the attribute that names it, and the name
// if a server gave it. The address that a client read is in no event, so that
// mcp.resource.uri is the fixed URI or the URI template, and is absent for a
// resource that nobody registered.
func target(e *umpire.Event) (key, name string) {
	unknown := strings.HasPrefix(e.Tool, "(")
	switch e.Kind {
	case "resource":
		if unknown || strings.IndexByte(e.Tool, ':') == len(e.Tool)-1 { // a scheme alone
			return "", ""
		}
		return "mcp.resource.uri", e.Tool
	case "prompt":
		if unknown {
			return "", ""
		}
		return "gen_ai.prompt.name", e.Tool
	case "session":
		return "", ""
	}
	return "gen_ai.tool.name", e.Tool
}
