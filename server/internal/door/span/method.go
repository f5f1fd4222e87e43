package span

import (
	"strings"
)

// Methods of MCP of which a span can be an event.
const (
	methodCall       = "tools/call"
	methodRead       = "resources/read"
	methodPrompt     = "prompts/get"
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodCancelled  = "notifications/cancelled"
)

var methods = []string{methodCall, methodRead, methodPrompt, methodInitialize, methodDiscover, methodCancelled}

// Method is the MCP method that the span is the server's own span of; "" if it is
// of none. Of several spans of one request exactly one has it, which is decided by
// the span alone, so that it does not matter which comes first, or in which batch:
//
//   - A span of kind client belongs to the agent. The server's own span, if there is
//     one, is the call; and if there is none, the agent's clock, retries and errors
//     are not the server's. So it is none.
//   - The exception is Traceloop's, which is known by its kind of span and its scope:
//     its spans of tools are made at either end, mostly in the agent, and are the only
//     word of these calls, since it makes none of the server's requests.
//   - A span of kind internal that names the method is the call (Shinzo makes no
//     others), but for FastMCP's, whose internal spans lie below one of kind server.
//   - A span that names a tool and no method is work below the call: mcp-go's second
//     span, and every agent framework's execute_tool. Only of kind server is it a call.
func (s *Span) Method() string {
	if s.traceloop() {
		return methodCall
	}
	if s.Kind == Client || s.Kind == Producer {
		return ""
	}
	if s.Kind != Server && strings.EqualFold(s.Scope, "fastmcp") {
		return ""
	}
	method := s.Attributes.Text("mcp.method.name", "mcp.method", "rpc.method")
	if method == "" {
		method = s.methodInName()
	}
	if method == "" && s.Kind == Server && s.Attributes.Text("gen_ai.operation.name") == "execute_tool" {
		method = methodCall
	}
	for _, m := range methods {
		if m == method {
			return m
		}
	}
	return ""
}

// methodInName reads names such as "tools/call find", "mcp.tools/call", and
// "mcp:tools/call", which is all that AgentCat's exporter has.
func (s *Span) methodInName() string {
	name := strings.TrimPrefix(strings.TrimPrefix(s.Name, "mcp:"), "mcp.")
	method, _, _ := strings.Cut(name, " ")
	if !strings.Contains(method, "/") && method == s.Name {
		return "" // "initialize" alone is anybody's word
	}
	return method
}

// traceloop reports whether it is Traceloop's span of a tool call.
func (s *Span) traceloop() bool {
	return s.Attributes.Text("traceloop.span.kind") == "tool" && strings.Contains(s.Scope, "mcp") &&
		s.Attributes.Text("mcp.method.name", "mcp.method") == ""
}

// mcpGo reports whether it is mcp-go's own span of a request.
func (s *Span) mcpGo() bool {
	return s.Kind == Server && s.Attributes.Text("mcp.method") != "" && strings.HasPrefix(s.Name, "mcp.")
}

// Tool is the tool's name, under any of the keys that are known.
func (s *Span) Tool() string {
	if name := s.Attributes.Text("gen_ai.tool.name", "mcp.tool.name", "mcp.resource_name", "mcp.request.tool.name", "tool.name"); name != "" {
		return name
	}
	if s.traceloop() {
		if name := object(s.Attributes.JSON("traceloop.entity.input")).Text("tool_name"); name != "" {
			return name
		}
	}
	if name := s.Attributes.Text("traceloop.entity.name"); name != "" {
		return strings.TrimSuffix(name, ".tool")
	}
	if _, name, ok := strings.Cut(s.Name, methodCall); ok {
		if name = strings.TrimLeft(name, " -:"); name != "" {
			return name
		}
	}
	// mcp-go names an unknown tool in the error alone.
	if rest, ok := strings.CutPrefix(s.Message, "tool '"); ok {
		if name, _, ok := strings.Cut(rest, "' not found"); ok {
			return name
		}
	}
	return ""
}
