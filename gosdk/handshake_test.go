package gosdk_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// TestHandshakes: a handshake is told once, by its session where there is one, and
// by the client program where each request could shake hands.
func TestHandshakes(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			addMatrix(server)
			gosdk.Watch(server, client)
			options := &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil },
				Capabilities: &mcp.ClientCapabilities{
					RootsV2:      &mcp.RootCapabilities{ListChanged: true}, //nolint:staticcheck // older clients say it
					Experimental: map[string]any{"example.com/x": map[string]any{"key": "canary"}, "not a name": true},
				},
			}
			for range 2 {
				cs := r.dial(t, server, options)
				if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "ok", Arguments: in{"x"}}); err != nil {
					t.Fatal(err)
				}
			}
			calls := collected.wait(t, client, 2, "call")
			want := 1
			if r.session {
				want = 2
			}
			events := collected.wait(t, client, want, "session")
			for i, e := range events {
				// On a legacy server without sessions only the handshake names the client.
				if e.Client != (umpire.Peer{Name: "tester", Version: "1.2"}) || e.Server != calls[i].Server || e.Platform != "other" ||
					e.Protocol != r.protocol || e.Transport != r.transport || e.Session != calls[i].Session || r.session != (e.Session != "") {
					t.Errorf("%+v\nwant as of %+v", e, calls[i])
				}
				if e.Outcome != "" || e.Tool != "" {
					t.Errorf("judged: %+v", e)
				}
				for _, name := range []string{"roots", "roots.listChanged", "elicitation", "experimental", "experimental.example.com/x"} {
					if e.Meta["umpire.capability."+name] != true {
						t.Errorf("no capability %q: %v", name, e.Meta)
					}
				}
				for name, value := range e.Meta {
					if value != true || name == "umpire.capability.experimental.not a name" {
						t.Errorf("%q: %v", name, value)
					}
				}
			}
		})
	}
}

// TestTrackTied: Track is tied to the request whose context it gets, also in a
// goroutine that outlives it and in what is no call; any other context ties it to
// nothing.
func TestTrackTied(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			leave, left := make(chan struct{}), make(chan struct{})
			mcp.AddTool(server, &mcp.Tool{Name: "track"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
				client.Track(ctx, "inside", nil)
				go func() {
					defer close(left)
					<-leave
					client.Track(ctx, "after", nil)
				}()
				return text("done"), nil, nil
			})
			server.AddResource(&mcp.Resource{Name: "r", URI: "track://r"}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				client.Track(ctx, "resource", nil)
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}}, nil
			})
			server.AddPrompt(&mcp.Prompt{Name: "track"}, func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				client.Track(ctx, "prompt", nil)
				return new(mcp.GetPromptResult), nil
			})
			gosdk.Watch(server, client)
			cs := r.dial(t, server, nil)
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "track", Arguments: in{"x"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "track://r"}); err != nil {
				t.Fatal(err)
			}
			if _, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "track"}); err != nil {
				t.Fatal(err)
			}
			byKind := map[string]umpire.Event{}
			for _, e := range collected.wait(t, client, 3, "call", "resource", "prompt") {
				byKind[e.Kind] = e
			}
			close(leave)
			<-left
			client.Track(t.Context(), "outside", nil)
			tied := map[string]string{"inside": "call", "after": "call", "resource": "resource", "prompt": "prompt", "outside": ""}
			for _, e := range collected.wait(t, client, len(tied), "custom") {
				name, _ := e.Meta["umpire.event"].(string)
				to := byKind[tied[name]]
				id, tool := any(nil), ""
				if to.Kind != "" {
					id = to.ID.String()
				}
				if to.Kind == "call" {
					tool = "track"
				}
				if e.Meta["umpire.call"] != id || e.Tool != tool || e.Session != to.Session || e.Client != to.Client || e.Server != to.Server || e.Protocol != to.Protocol {
					t.Errorf("%s: %+v\nis not tied to %+v", name, e, to)
				}
			}
		})
	}
}
