package gosdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// This file alone is also run against older versions of the SDK (make interop).
// It stands by itself and names only what every version since v1.4.0 has.

type interopQuota struct{}

func (interopQuota) Error() string        { return "quota is used up" }
func (interopQuota) MCPErrorType() string { return "Quota" }

type interopArguments struct {
	N string `json:"n"`
}

func interopServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "interop", Version: "0.9"}, nil)
	says := func(name string, h func() (*mcp.CallToolResult, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, interopArguments) (*mcp.CallToolResult, any, error) {
			res, err := h()
			return res, nil, err
		})
	}
	answer := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	says("ok", func() (*mcp.CallToolResult, error) { return answer("fine"), nil })
	says("empty", func() (*mcp.CallToolResult, error) { return answer("[]"), nil })
	says("error", func() (*mcp.CallToolResult, error) { return nil, errors.New("it rained") })
	says("named", func() (*mcp.CallToolResult, error) { return nil, fmt.Errorf("cannot ask: %w", interopQuota{}) })
	says("by_hand", func() (*mcp.CallToolResult, error) {
		r := answer("not today")
		r.IsError = true
		return r, nil
	})
	says("internal", func() (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "went wrong"}
	})
	says("panic", func() (*mcp.CallToolResult, error) { panic("at the disco") })
	s.AddTool(&mcp.Tool{Name: "raw", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("it rained")
		})
	mcp.AddTool(s, &mcp.Tool{Name: "loose", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest, interopArguments) (*mcp.CallToolResult, any, error) {
			return answer("fine"), nil, nil
		})
	gosdk.AddTool(s, &mcp.Tool{Name: "marked"},
		func(context.Context, *mcp.CallToolRequest, interopArguments) (*mcp.CallToolResult, any, error) {
			return answer("fine"), nil, nil
		})
	return s
}

var interopTransports = map[string]func(*testing.T, *mcp.Server) mcp.Transport{
	"memory": func(t *testing.T, s *mcp.Server) mcp.Transport {
		here, there := mcp.NewInMemoryTransports()
		if _, err := s.Connect(context.Background(), there, nil); err != nil {
			t.Fatal(err)
		}
		return here
	},
	"http": func(t *testing.T, s *mcp.Server) mcp.Transport {
		h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
		t.Cleanup(h.Close)
		return &mcp.StreamableClientTransport{Endpoint: h.URL}
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
		{"marked", good, umpire.OK, false, "", ""},
		{"ok", map[string]any{}, umpire.BadArgs, false, "schema", "schema:required"},
		{"ok", map[string]any{"n": 5}, umpire.BadArgs, false, "schema", "schema:type"},
		{"loose", map[string]any{"n": 5}, umpire.BadArgs, false, "decode", "json.UnmarshalTypeError"},
		{"nobody", good, umpire.BadArgs, false, "unknown_tool", ""},
		{"error", good, umpire.ToolError, false, "returned", "error"},
		{"named", good, umpire.ToolError, false, "returned", "Quota"},
		{"by_hand", good, umpire.ToolError, false, "result", ""},
		{"internal", good, umpire.Crashed, false, "protocol", "jsonrpc:-32603"},
		{"raw", good, umpire.Crashed, false, "returned", "error"},
		{"panic", good, umpire.Crashed, false, "panic", "panic:string"},
	}
	for transport, open := range interopTransports {
		t.Run(transport, func(t *testing.T) {
			var mu sync.Mutex
			var events []umpire.Event
			client := umpire.New(umpire.Options{SpoolDir: "-", Observer: func(e umpire.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == "call" {
					events = append(events, e)
				}
			}})
			server := interopServer()
			gosdk.Watch(server, client, gosdk.WithRecover())
			cs, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1.2"}, nil).Connect(t.Context(), open(t, server), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.arguments})
			}
			_ = cs.Close()
			if err := client.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(events) != len(cases) {
				t.Fatalf("%d events, want %d", len(events), len(cases))
			}
			for i, c := range cases {
				e := events[i]
				if c.cause == "decode" && e.Cause == "invalid_params" {
					c.cause, c.errType = e.Cause, "" // before v1.6 the SDK refuses with a protocol error, without more
				}
				if e.Tool != c.tool || e.Outcome != c.outcome || e.Empty != c.empty || e.Cause != c.cause || c.errType != "" && e.ErrorType != c.errType {
					t.Errorf("%s %v: %s %s, empty %v, cause %q, type %q", c.tool, c.arguments, e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType)
				}
				if e.Transport != transport || e.Client.Name != "tester" || e.Server.Name != "interop" || e.Protocol == "" || e.DurationUS == nil {
					t.Errorf("%s: transport %q, client %v, server %v, protocol %q", c.tool, e.Transport, e.Client, e.Server, e.Protocol)
				}
				if e.SessionID != events[0].SessionID {
					t.Errorf("%s: session %q, want %q", c.tool, e.SessionID, events[0].SessionID)
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
			client := umpire.New(umpire.Options{SpoolDir: "-", Observer: func(e umpire.Event) {
				mu.Lock()
				defer mu.Unlock()
				events = append(events, e)
			}})
			server := interopServer()
			read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "12345"}}}, nil
			}
			server.AddResource(&mcp.Resource{Name: "c", URI: "shop://catalog"}, read)
			server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "b", URITemplate: "shop://books/{id}"}, read)
			server.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return nil, errors.New("out of ink")
			})
			gosdk.Watch(server, client)
			cs, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1.2"}, nil).Connect(t.Context(), open(t, server), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, uri := range []string{"shop://catalog", "shop://books/canary", "shop://canary/x"} {
				_, _ = cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			}
			for _, name := range []string{"greet", "canary"} {
				_, _ = cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name})
			}
			_ = cs.Close()
			if err := client.Close(t.Context()); err != nil {
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
				if e.Kind != w.kind || e.Tool != w.tool || e.Outcome != w.outcome || e.ErrorType != w.errorType || e.Transport != transport || e.Client.Name != "tester" {
					t.Errorf("%s %q %s %q, transport %q, client %v; want %v", e.Kind, e.Tool, e.Outcome, e.ErrorType, e.Transport, e.Client, w)
				}
				if said, _ := json.Marshal(e); bytes.Contains(said, []byte("canary")) {
					t.Errorf("what was asked for is recorded: %s", said)
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
			client := umpire.New(umpire.Options{SpoolDir: "-", AskIntent: true, MissingTool: true, Observer: func(e umpire.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == "call" || e.Kind == "custom" {
					events = append(events, e)
				}
			}})
			server := interopServer()
			gosdk.Watch(server, client)
			cs, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1.2"}, nil).Connect(t.Context(), open(t, server), nil)
			if err != nil {
				t.Fatal(err)
			}
			list, err := cs.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range list.Tools {
				properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
				if _, asked := properties["intent"]; asked != (tool.Name != "report_missing_tool") {
					t.Errorf("%s: asked is %v", tool.Name, asked)
				}
			}
			for _, p := range []*mcp.CallToolParams{
				{Name: "ok", Arguments: map[string]any{"n": "x", "intent": "to know"}},
				{Name: "ok", Arguments: map[string]any{"n": "x"}, Meta: mcp.Meta{"umpire/intent": "to know"}},
				{Name: "report_missing_tool", Arguments: map[string]any{"needed": "to know"}},
			} {
				if res, err := cs.CallTool(t.Context(), p); err != nil || res.IsError {
					t.Fatalf("%s: %v, %v", p.Name, res, err)
				}
			}
			_ = cs.Close()
			if err := client.Close(t.Context()); err != nil {
				t.Fatal(err)
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
