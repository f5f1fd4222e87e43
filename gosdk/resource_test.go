package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// reads are the kinds of what is read and is no call.
var reads = []string{"resource", "prompt"}

// whole is all of what was sent.
func whole(events []umpire.Event) string {
	b, _ := json.Marshal(events)
	return string(b)
}

// canary is what a client asks for and nobody may ever see again.
const canary = "canary-47110815"

// addReadable adds resources and prompts that end in every way.
func addReadable(s *mcp.Server) {
	resource := func(uri string, h func(uri string) (*mcp.ReadResourceResult, error)) {
		handler := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return h(r.Params.URI)
		}
		if strings.Contains(uri, "{") {
			s.AddResourceTemplate(&mcp.ResourceTemplate{Name: uri, URITemplate: uri}, handler)
		} else {
			s.AddResource(&mcp.Resource{Name: uri, URI: uri}, handler)
		}
	}
	contents := func(string) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "12345"}, {Blob: []byte("678")}}}, nil
	}
	resource("shop://catalog", contents)
	resource("shop://books/{id}", contents)
	resource("shop://search{?q,page}", contents)
	resource("file:///{+path}", contents)
	resource("shop://none/{id}", func(uri string) (*mcp.ReadResourceResult, error) { return nil, mcp.ResourceNotFoundError(uri) })
	resource("shop://error/{id}", func(uri string) (*mcp.ReadResourceResult, error) {
		return nil, fmt.Errorf("cannot read %q: no book %s", uri, uri[strings.LastIndexByte(uri, '/')+1:])
	})
	resource("shop://named/{id}", func(uri string) (*mcp.ReadResourceResult, error) {
		return nil, umpire.Refuse("quota", errors.New("no more of "+uri))
	})
	resource("shop://refused/{id}", func(uri string) (*mcp.ReadResourceResult, error) {
		return nil, &jsonrpc.Error{Code: -32001, Message: "not today: " + uri}
	})
	resource("shop://nothing/{id}", func(string) (*mcp.ReadResourceResult, error) { return nil, nil })
	resource("shop://panic/{id}", func(uri string) (*mcp.ReadResourceResult, error) { panic("lost " + uri) })
	prompt := func(name string, h func() (*mcp.GetPromptResult, error)) {
		s.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return h() })
	}
	prompt("greet", func() (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}}}, nil
	})
	prompt("fails", func() (*mcp.GetPromptResult, error) { return nil, errors.New("out of ink") })
	prompt("panics", func() (*mcp.GetPromptResult, error) { panic("out of paper") })
}

// TestReads: each way in which a resource or prompt can end, over each route,
// under the name that the server gave and never that which was asked for.
func TestReads(t *testing.T) {
	type want struct {
		ask       string // a URI, or the name of a prompt
		name      string
		outcome   umpire.Outcome
		cause     string
		errorType string
		ran       string
		bytes     int64 // -1: none
	}
	cases := []want{
		{"shop://catalog", "shop://catalog", umpire.OK, "", "", "yes", 8},
		{"shop://books/" + canary, "shop://books/{id}", umpire.OK, "", "", "yes", 8},
		{"shop://search?q=" + canary + "&page=2", "shop://search{?q,page}", umpire.OK, "", "", "yes", 8},
		{"file:///home/" + canary + "/a.txt", "file:///{+path}", umpire.OK, "", "", "yes", 8},
		{"shop://none/" + canary, "shop://none/{id}", umpire.BadArgs, "invalid_params", "not_found", "unknown", -1},
		{"shop://error/" + canary, "shop://error/{id}", umpire.Crashed, "returned", "error", "yes", -1},
		{"shop://named/" + canary, "shop://named/{id}", umpire.ToolError, "returned", "quota", "yes", -1},
		{"shop://refused/" + canary, "shop://refused/{id}", umpire.ToolError, "refused", "jsonrpc:-32001", "unknown", -1},
		{"shop://nothing/" + canary, "shop://nothing/{id}", umpire.Crashed, "no_result", "", "yes", -1},
		{"shop://panic/" + canary, "shop://panic/{id}", umpire.Crashed, "panic", "panic:string", "yes", -1},
		{"shop://" + canary + "/there", "shop:", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
		{"GIT+ssh://" + canary, "git+ssh:", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
		{canary, "(unknown resource)", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
		{"greet", "greet", umpire.OK, "", "", "yes", 5},
		{"fails", "fails", umpire.Crashed, "returned", "error", "yes", -1},
		{"panics", "panics", umpire.Crashed, "panic", "panic:string", "yes", -1},
		{"no " + canary, "(unknown prompt)", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
	}
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			addReadable(server)
			addMatrix(server)
			gosdk.Watch(server, client, gosdk.WithRecover())
			cs := r.dial(t, server, nil)
			for _, c := range cases {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				var err error
				if strings.Contains(c.ask, ":") || c.ask == canary {
					_, err = cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: c.ask, Meta: mcp.Meta{"traceparent": traceparent}})
				} else {
					_, err = cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: c.ask, Meta: mcp.Meta{"traceparent": traceparent}})
				}
				cancel()
				if (err == nil) != (c.outcome == umpire.OK) {
					t.Fatalf("%s: %v", c.ask, err)
				}
			}
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "ok", Arguments: in{"x"}}); err != nil {
				t.Fatal(err)
			}
			called := collected.wait(t, client, 1, notCatalog...)[0]
			events := collected.wait(t, client, len(cases), reads...)
			for i, c := range cases {
				e := events[i]
				if e.Tool != c.name || e.Outcome != c.outcome || e.Cause != c.cause || e.ErrorType != c.errorType || e.HandlerRan != c.ran || e.Empty {
					t.Errorf("%s: %q %s %s, cause %q, type %q, ran %s, empty %v", c.ask, e.Kind, e.Tool, e.Outcome, e.Cause, e.ErrorType, e.HandlerRan, e.Empty)
				}
				if got := e.ResponseBytes; (got == nil) != (c.bytes < 0) || got != nil && *got != c.bytes {
					t.Errorf("%s: %v response bytes, want %d", c.ask, got, c.bytes)
				}
				if e.DurationUS == nil || e.TraceID != called.TraceID && e.TraceID == "" || e.Definition != "" || c.outcome != umpire.OK && e.Fingerprint == "" {
					t.Errorf("%s: %+v", c.ask, e)
				}
				if e.Server != called.Server || e.Client != called.Client || e.Platform != called.Platform || e.Protocol != r.protocol ||
					e.Transport != r.transport || e.Session != called.Session || e.SeenBy != "sdk" {
					t.Errorf("%s: asked by %+v, want %+v", c.ask, e, called)
				}
			}
			if sent := whole(collected.all()); strings.Contains(sent, "canary") || strings.Contains(sent, "47110815") {
				t.Errorf("what was asked for is recorded: %s", sent)
			}
		})
	}
}

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestReadsNamedEarly: names are right from the first request on, also of what
// is added later, with many pages, and without the client ever asking for lists.
func TestReadsNamedEarly(t *testing.T) {
	inBubble(t, &mcp.ServerOptions{PageSize: 3}, func(collected *collector, server *mcp.Server, cs *mcp.ClientSession) {
		for i := range 10 {
			server.AddPrompt(&mcp.Prompt{Name: fmt.Sprint("p", i)}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return new(mcp.GetPromptResult), nil
			})
		}
		if _, err := cs.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "p9"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if got := collected.all(reads...); len(got) != 1 || got[0].Tool != "p9" {
			t.Errorf("the first prompt is recorded as %s", brief(got))
		}
		server.AddResource(&mcp.Resource{Name: "late", URI: "late://1"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}}, nil
		})
		time.Sleep(1100 * time.Millisecond) // lists are not asked for without end
		if _, err := cs.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "late://1"}); err != nil {
			t.Fatal(err)
		}
		settle()
		if got := collected.all(reads...); len(got) != 2 || got[1].Tool != "late://1" {
			t.Errorf("a resource that was added later is recorded as %s", brief(got))
		}
	})
}

// TestReadPanics: a panic is recorded and flushed, and goes on with its value.
func TestReadPanics(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) { o.FlushInterval = time.Hour })
	server := newServer()
	addReadable(server)
	var value any
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler { return next })
	gosdk.Watch(server, client)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if method == "resources/read" {
					value = recover()
					if got := collected.all(reads...); len(got) != 1 || got[0].Cause != "panic" || got[0].Tool != "shop://panic/{id}" {
						t.Errorf("when the panic went on there was %s", brief(got))
					}
					err = errors.New("recovered")
				}
			}()
			return next(ctx, method, r)
		}
	})
	cs := routes()[0].dial(t, server, nil)
	_, _ = cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://panic/1"})
	if value != "lost shop://panic/1" {
		t.Errorf("the panic went on as %v", value)
	}
}

// TestReadsCancelled: what a client gave up has no outcome and says so, and is
// none of the cancelled calls (outcomes.md 1.2).
func TestReadsCancelled(t *testing.T) {
	for _, r := range []route{routes()[0], routes()[1], routes()[2]} {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			entered := make(chan struct{})
			server.AddResource(&mcp.Resource{Name: "r", URI: "slow://r"}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				entered <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			})
			gosdk.Watch(server, client)
			cs := r.dial(t, server, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-entered; cancel() }()
			if _, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "slow://r"}); err == nil {
				t.Fatal("it was not cancelled")
			}
			e := collected.wait(t, client, 1, reads...)[0]
			if e.Kind != "resource" || e.Tool != "slow://r" || e.Outcome != "" || e.Meta["umpire.cancelled"] != true || !e.Late || e.DurationUS == nil {
				t.Errorf("%+v", e)
			}
			if other := collected.all(notCatalog...); len(other) != 0 {
				t.Errorf("recorded as a call: %s", brief(other))
			}
		})
	}
}

// TestNoResources: the owner can do without.
func TestNoResources(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) { o.NoResources = true })
	server := newServer()
	addReadable(server)
	addMatrix(server)
	gosdk.Watch(server, client)
	cs := routes()[0].dial(t, server, nil)
	if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://catalog"}); err != nil {
		t.Fatal(err)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "ok", Arguments: in{"x"}}); err != nil {
		t.Fatal(err)
	}
	collected.wait(t, client, 1, notCatalog...)
	if got := collected.all(reads...); len(got) != 0 {
		t.Errorf("recorded %s", brief(got))
	}
}

// TestReadsRound: an answer that only asks for more input has no outcome, and is
// none of the rounds of calls (outcomes.md 1.2).
func TestReadsRound(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	server.AddPrompt(&mcp.Prompt{Name: "asks"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: "sign in first"}
	})
	gosdk.Watch(server, client)
	cs := routes()[0].dial(t, server, nil)
	if _, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "asks"}); err == nil {
		t.Fatal("it did not ask")
	}
	e := collected.wait(t, client, 1, reads...)[0]
	if e.Tool != "asks" || e.Outcome != "" || e.Meta["umpire.round"] != true || e.DurationUS == nil {
		t.Errorf("%+v", e)
	}
	if other := collected.all(notCatalog...); len(other) != 0 {
		t.Errorf("recorded as a call: %s", brief(other))
	}
}
