package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// With AskIntent the model is asked what the user wants, with each call. The tool
// never hears of it. With MissingTool the model can say that no tool does what it
// needs.
func Example_intent() {
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	client := umpire.New(umpire.Options{AskIntent: true, MissingTool: true, SpoolDir: "-", Observer: func(e umpire.Event) {
		if e.Intent != "" {
			fmt.Println("recorded:", e.Kind, e.Tool, e.InputKeys, "for:", e.Intent)
		}
	}})
	gosdk.Watch(server, client)

	type who struct {
		Name string `json:"name"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(_ context.Context, r *mcp.CallToolRequest, _ who) (*mcp.CallToolResult, any, error) {
		fmt.Println("the tool was given:", string(r.Params.Arguments))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello"}}}, nil, nil
	})

	ctx := context.Background()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		fmt.Println(err)
		return
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "someone"}, nil).Connect(ctx, here, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range list.Tools {
		schema, _ := json.MarshalIndent(tool.InputSchema.(map[string]any)["properties"], "", "  ")
		fmt.Printf("%s %s\n", tool.Name, schema)
	}

	for _, call := range []*mcp.CallToolParams{
		{Name: "greet", Arguments: json.RawMessage(`{"name":"Ada","intent":"welcome ada@example.com to the team"}`)},
		{Name: "report_missing_tool", Arguments: map[string]any{"needed": "send a card by post"}},
	} {
		if _, err := session.CallTool(ctx, call); err != nil {
			fmt.Println(err)
		}
	}
	_ = client.Close(ctx)
	// Output:
	// greet {
	//   "intent": {
	//     "description": "What the user wants to achieve, in one sentence, for the people who run this server. No names, no personal data.",
	//     "type": "string"
	//   },
	//   "name": {
	//     "type": "string"
	//   }
	// }
	// report_missing_tool {
	//   "needed": {
	//     "description": "What a tool would have to do, in one sentence. No names, no personal data.",
	//     "type": "string"
	//   }
	// }
	// the tool was given: {"name":"Ada"}
	// recorded: call greet [name] for: welcome [EMAIL_REDACTED] to the team
	// recorded: custom  [] for: send a card by post
}
