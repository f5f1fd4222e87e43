package gosdk_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// A tool is added with the same three arguments. That its handler was entered is
// known from then on; its guard has a name.
func ExampleAddTool() {
	server := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1.0.0"}, nil)
	client := umpire.New(umpire.Options{})
	defer client.Close(context.Background())
	gosdk.Watch(server, client)

	type query struct {
		Title string `json:"title"`
	}
	gosdk.AddTool(server, &mcp.Tool{Name: "find"}, func(_ context.Context, _ *mcp.CallToolRequest, in query) (*mcp.CallToolResult, any, error) {
		if in.Title == "" {
			return nil, nil, umpire.Refuse("missing_argument", errors.New("say which book: title is empty"))
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "on shelf 7"}}}, nil, nil
	})

	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		fmt.Println(err)
		return
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "someone"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	for _, title := range []string{"Emma", ""} {
		res, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "find", Arguments: query{title}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.IsError, res.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// false on shelf 7
	// true say which book: title is empty
}
