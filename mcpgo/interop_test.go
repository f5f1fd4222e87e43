package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// This file alone is also run against older versions of mcp-go (make interop).
// It stands by itself and names only what every version since v0.47.1 has.

type interopQuota struct{}

func (interopQuota) Error() string        { return "quota is used up" }
func (interopQuota) MCPErrorType() string { return "Quota" }

// interopServer's tool ok leaves word whether calls have a session. In older versions
// the in-process client's have none, so that nothing tells whose they are.
func interopServer(session *bool) *server.MCPServer {
	s := server.NewMCPServer("interop", "0.9")
	add := func(name string, h server.ToolHandlerFunc) {
		schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}`)
		s.AddTool(mcp.NewToolWithRawSchema(name, "", schema), h)
	}
	says := func(name string, h func() (*mcp.CallToolResult, error)) {
		add(name, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return h() })
	}
	add("ok", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		*session = server.ClientSessionFromContext(ctx) != nil
		return mcp.NewToolResultText("fine"), nil
	})
	says("empty", func() (*mcp.CallToolResult, error) { return mcp.NewToolResultText("[]"), nil })
	says("error", func() (*mcp.CallToolResult, error) { return nil, errors.New("it rained") })
	says("named", func() (*mcp.CallToolResult, error) { return nil, fmt.Errorf("cannot ask: %w", interopQuota{}) })
	says("by_hand", func() (*mcp.CallToolResult, error) { return mcp.NewToolResultError("not today"), nil })
	says("panic", func() (*mcp.CallToolResult, error) { panic("at the disco") })
	add("requires", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		n, err := r.RequireString("n")
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(n), nil
	})
	add("typed", mcp.NewTypedToolHandler(func(context.Context, mcp.CallToolRequest, struct {
		N string `json:"n"`
	},
	) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("fine"), nil
	}))
	return s
}

var interopTransports = map[string]func(*testing.T, *server.MCPServer) (*client.Client, error){
	"memory": func(_ *testing.T, s *server.MCPServer) (*client.Client, error) { return client.NewInProcessClient(s) },
	"http": func(t *testing.T, s *server.MCPServer) (*client.Client, error) {
		h := httptest.NewServer(server.NewStreamableHTTPServer(s))
		t.Cleanup(h.Close)
		return client.NewStreamableHttpClient(h.URL)
	},
}

// TestInterop: each outcome, with its client, session and transport, is
// recorded as it is on the version that is pinned.
func TestInterop(t *testing.T) {
	good := map[string]any{"n": "x"}
	cases := []struct {
		tool      string
		arguments map[string]any
		outcome   umpire.Outcome
		empty     bool
		cause     string
		errType   string
	}{
		{"ok", good, umpire.OK, false, "", ""},
		{"empty", good, umpire.OK, true, "", ""},
		{"requires", map[string]any{}, umpire.BadArgs, false, "schema_in_tool", "schema:required"},
		{"requires", map[string]any{"n": []int{5}}, umpire.BadArgs, false, "schema_in_tool", "schema:type"},
		{"typed", map[string]any{"n": []int{5}}, umpire.BadArgs, false, "decode", ""},
		{"nobody", good, umpire.BadArgs, false, "unknown_tool", ""},
		{"error", good, umpire.Crashed, false, "returned", "error"},
		{"named", good, umpire.ToolError, false, "returned", "Quota"},
		{"by_hand", good, umpire.ToolError, false, "result", ""},
		{"panic", good, umpire.Crashed, false, "panic", "panic:string"},
	}
	for transport, open := range interopTransports {
		t.Run(transport, func(t *testing.T) {
			var mu sync.Mutex
			var events []umpire.Event
			recorder := umpire.New(umpire.Options{SpoolDir: "-", Observer: func(e umpire.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == "call" {
					events = append(events, e)
				}
			}})
			var session bool
			s := interopServer(&session)
			mcpgo.Watch(s, recorder, mcpgo.WithRecover())
			c, err := open(t, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			var hello mcp.InitializeRequest
			hello.Params.ProtocolVersion = "2025-11-25"
			hello.Params.ClientInfo = mcp.Implementation{Name: "tester", Version: "1.2"}
			if _, err := c.Initialize(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			for _, call := range cases {
				var r mcp.CallToolRequest
				r.Params.Name, r.Params.Arguments = call.tool, call.arguments
				_, _ = c.CallTool(t.Context(), r)
			}
			_ = c.Close()
			if err := recorder.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(events) != len(cases) {
				t.Fatalf("%d events, want %d", len(events), len(cases))
			}
			wantTransport, wantClient := transport, "tester"
			if transport == "memory" && !session {
				wantTransport, wantClient = "", ""
			}
			for i, c := range cases {
				e := events[i]
				if e.Tool != c.tool || e.Outcome != c.outcome || e.Empty != c.empty || e.Cause != c.cause || c.errType != "" && e.ErrorType != c.errType {
					t.Errorf("%s %v: %s %s, empty %v, cause %q, type %q", c.tool, c.arguments, e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType)
				}
				if e.Transport != wantTransport || e.Client.Name != wantClient || e.Server.Name != "interop" || e.DurationUS == nil {
					t.Errorf("%s: transport %q, client %v, server %v", c.tool, e.Transport, e.Client, e.Server)
				}
				if e.SessionID != events[0].SessionID {
					t.Errorf("%s: session %q, want %q", c.tool, e.SessionID, events[0].SessionID)
				}
			}
		})
	}
}

// TestInteropIntent: tools are asked for the intent, and it is taken out of a call
// again, on every version; the tool that reports missing ones is answered.
func TestInteropIntent(t *testing.T) {
	for transport, open := range interopTransports {
		t.Run(transport, func(t *testing.T) {
			var mu sync.Mutex
			var events []umpire.Event
			recorded := umpire.New(umpire.Options{SpoolDir: "-", AskIntent: true, MissingTool: true, Observer: func(e umpire.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == "call" || e.Kind == "custom" {
					events = append(events, e)
				}
			}})
			s := interopServer(new(bool))
			var given any
			s.AddTool(mcp.NewTool("built", mcp.WithString("n")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				given = r.Params.Arguments
				return mcp.NewToolResultText("fine"), nil
			})
			mcpgo.Watch(s, recorded)
			c, err := open(t, s)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			hello := mcp.InitializeRequest{}
			hello.Params.ProtocolVersion = "2025-03-26"
			hello.Params.ClientInfo = mcp.Implementation{Name: "tester", Version: "1.2"}
			if _, err := c.Initialize(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range list.Tools {
				if _, asked := tool.InputSchema.Properties["intent"]; asked != (tool.Name != "report_missing_tool") {
					t.Errorf("%s: asked is %v", tool.Name, asked)
				}
			}
			for _, p := range []mcp.CallToolParams{
				{Name: "built", Arguments: map[string]any{"n": "x", "intent": "to know"}},
				{Name: "ok", Arguments: map[string]any{"n": "x"}, Meta: &mcp.Meta{AdditionalFields: map[string]any{"umpire/intent": "to know"}}},
				{Name: "report_missing_tool", Arguments: map[string]any{"needed": "to know"}},
			} {
				if res, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: p}); err != nil || res.IsError {
					t.Fatalf("%s: %v, %v", p.Name, res, err)
				}
			}
			if err := recorded.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(given) != "map[n:x]" {
				t.Errorf("the handler was given %v", given)
			}
			if len(events) != 3 || events[0].Kind != "call" || events[1].Kind != "call" || events[2].Kind != "custom" {
				t.Fatalf("%d events", len(events))
			}
			for _, e := range events {
				if e.Intent != "to know" || len(e.InputKeys) > 1 {
					t.Errorf("%s: intent %q, keys %v", e.Kind, e.Intent, e.InputKeys)
				}
			}
		})
	}
}

// TestInteropReads: what is no call is recorded under the name that the server
// gave, and a handshake is told once.
func TestInteropReads(t *testing.T) {
	for transport, open := range interopTransports {
		t.Run(transport, func(t *testing.T) {
			var mu sync.Mutex
			var events []umpire.Event
			recorder := umpire.New(umpire.Options{SpoolDir: "-", Observer: func(e umpire.Event) {
				mu.Lock()
				defer mu.Unlock()
				events = append(events, e)
			}})
			s := server.NewMCPServer("interop", "0.9", server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true))
			read := func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: "12345"}}, nil
			}
			s.AddResource(mcp.NewResource("shop://catalog", "c"), read)
			s.AddResourceTemplate(mcp.NewResourceTemplate("shop://books/{id}", "b"), read)
			s.AddPrompt(mcp.NewPrompt("greet"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return nil, errors.New("out of ink")
			})
			mcpgo.Watch(s, recorder)
			c, err := open(t, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			hello := mcp.InitializeRequest{}
			hello.Params.ClientInfo = mcp.Implementation{Name: "tester", Version: "1.2"}
			hello.Params.ProtocolVersion = "2025-06-18"
			if _, err := c.Initialize(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			for _, uri := range []string{"shop://catalog", "shop://books/canary", "shop://canary/x"} {
				r := mcp.ReadResourceRequest{}
				r.Params.URI = uri
				_, _ = c.ReadResource(t.Context(), r)
			}
			for _, name := range []string{"greet", "canary"} {
				r := mcp.GetPromptRequest{}
				r.Params.Name = name
				_, _ = c.GetPrompt(t.Context(), r)
			}
			_ = c.Close()
			if err := recorder.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			want := []struct {
				kind, tool string
				outcome    umpire.Outcome
				errorType  string
			}{
				{"session", "", "", ""},
				{"resource", "shop://catalog", umpire.OK, ""},
				{"resource", "shop://books/{id}", umpire.OK, ""},
				{"resource", "shop:", umpire.BadArgs, "not_found"},
				{"prompt", "greet", umpire.Crashed, "error"},
				{"prompt", "(unknown prompt)", umpire.BadArgs, "not_found"},
			}
			if len(events) != len(want) {
				t.Fatalf("%d events, want %d: %+v", len(events), len(want), events)
			}
			for i, w := range want {
				e := events[i]
				if e.Kind != w.kind || e.Tool != w.tool || e.Outcome != w.outcome || e.ErrorType != w.errorType ||
					e.Transport != transport && transport != "memory" { // which older versions do not tell
					t.Errorf("%s %q %s %q, transport %q; want %v", e.Kind, e.Tool, e.Outcome, e.ErrorType, e.Transport, w)
				}
				if said, _ := json.Marshal(e); bytes.Contains(said, []byte("canary")) {
					t.Errorf("what was asked for is recorded: %s", said)
				}
			}
		})
	}
}
