package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// Whoever signed in is the user of each event, by the id that the server's own
// sign-in left in the request's context.
func ExampleWithIdentify() {
	type signedIn struct{} // the key of that id

	s := server.NewMCPServer("greeter", "1.0.0")
	s.AddTool(mcp.NewTool("greet"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("Hello"), nil
	})

	client := umpire.New(umpire.Options{Observer: func(e umpire.Event) {
		if e.Kind == "call" {
			fmt.Println(e.Tool, "was called by", e.User)
		}
	}})
	mcpgo.Watch(s, client, mcpgo.WithIdentify(func(ctx context.Context, _ http.Header) string {
		user, _ := ctx.Value(signedIn{}).(string)
		return user // empty: nobody signs in over stdio
	}))

	// Over HTTP this is what server.WithHTTPContextFunc is for.
	ctx := context.WithValue(context.Background(), signedIn{}, "customer-17")
	s.HandleMessage(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"}}`))
	_ = client.Close(context.Background())
	// Output: greet was called by customer-17
}
