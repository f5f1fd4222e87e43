//go:build ignore

package main

import (
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire/mcpgo"
)

func watch(s *server.MCPServer) { mcpgo.Watch(s, collected()) }
