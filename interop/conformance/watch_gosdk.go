//go:build ignore

package main

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire/gosdk"
)

func watch(server *mcp.Server) { gosdk.Watch(server, collected()) }
