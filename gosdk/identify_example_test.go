package gosdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// Whoever signed in is the user of each event, by the id that the server's own
// verifier of tokens found.
func ExampleWithIdentify() {
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello"}}}, nil, nil
	})

	client := umpire.New(umpire.Options{Observer: func(e umpire.Event) {
		if e.Kind == "call" {
			fmt.Println(e.Tool, "was called by", e.User)
		}
	}})
	gosdk.Watch(server, client, gosdk.WithIdentify(func(_ context.Context, r mcp.Request) string {
		if extra := r.GetExtra(); extra != nil && extra.TokenInfo != nil {
			return extra.TokenInfo.UserID
		}
		return "" // nobody signs in over stdio
	}))

	verify := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: "customer-17", Expiration: time.Now().Add(time.Hour)}, nil
	}
	mcpHandler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	serving := httptest.NewServer(auth.RequireBearerToken(verify, nil)(mcpHandler))
	defer serving.Close()

	session, err := mcp.NewClient(&mcp.Implementation{Name: "someone"}, nil).Connect(context.Background(),
		&mcp.StreamableClientTransport{Endpoint: serving.URL, HTTPClient: header("Authorization", "Bearer t0ken")}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "greet", Arguments: struct{}{}}); err != nil {
		fmt.Println(err)
	}
	_ = session.Close()
	_ = client.Close(context.Background())
	// Output: greet was called by customer-17
}
