package gosdk

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// WatchedServers is how many servers are remembered.
func WatchedServers() int { return watched.Len() }

// Middleware is what Watch adds to server.
func Middleware(server *mcp.Server, client *umpire.Client) mcp.Middleware {
	return newWatcher(server, client, nil).middleware
}

// The facts that are read by reflection.
var (
	PeekServer    = peekServer
	PeekTransport = peekTransport
	PeekID        = peekID
)
