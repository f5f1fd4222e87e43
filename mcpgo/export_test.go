package mcpgo

import (
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// WatchedServers is how many servers are remembered.
func WatchedServers() int { return watched.Len() }

// The facts that are looked up.
var (
	PeekServer    = peekServer
	PeekTransport = peekTransport
	Survives      = survives
)

// MarkOf is what Watch left in a request.
func MarkOf(r mcp.CallToolRequest) *mcp.Meta { return r.Request.Params.Meta }

// Admits reports whether arguments surely keep to schema.
func Admits(schema []byte, arguments any) bool { return readShape(schema).admits(arguments) }

// HooksOf is how many functions stand in the hooks of s.
func HooksOf(s *server.MCPServer) int {
	h := s.GetHooks()
	return len(h.OnBeforeCallTool) + len(h.OnAfterCallTool) + len(h.OnError) + len(h.OnAfterListTools) + len(h.OnAfterInitialize)
}
