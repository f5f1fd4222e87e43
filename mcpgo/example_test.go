package mcpgo_test

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// Three lines watch a server: the first, the second and the third below. Where
// to is said by Options, or by UMPIRE_ENDPOINT and UMPIRE_KEY; without them the
// server does the same, unwatched.
func Example() {
	s := server.NewMCPServer("greeter", "1.0.0")

	client := umpire.New(umpire.Options{})
	defer client.Close(context.Background())
	mcpgo.Watch(s, client)

	s.AddTool(mcp.NewTool("greet", mcp.WithString("name", mcp.Required())), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("Hello, " + r.GetString("name", "stranger")), nil
	})

	// A message by hand stands in for server.ServeStdio(s).
	answer := s.HandleMessage(context.Background(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`))
	fmt.Println(answer.(mcp.JSONRPCResponse).Result.(*mcp.CallToolResult).Content[0].(mcp.TextContent).Text)
	// Output: Hello, Ada
}
