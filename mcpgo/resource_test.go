package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
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
func addReadable(s *server.MCPServer) {
	resource := func(uri string, h func(uri string) ([]mcp.ResourceContents, error)) {
		handler := func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return h(r.Params.URI)
		}
		if strings.Contains(uri, "{") {
			s.AddResourceTemplate(mcp.NewResourceTemplate(uri, uri), handler)
		} else {
			s.AddResource(mcp.NewResource(uri, uri), handler)
		}
	}
	contents := func(string) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{Text: "12345"}, mcp.BlobResourceContents{Blob: "678"}}, nil
	}
	resource("shop://catalog", contents)
	resource("shop://books/{id}", contents)
	resource("shop://search{?q,page}", contents)
	resource("file:///{+path}", contents)
	resource("shop://error/{id}", func(uri string) ([]mcp.ResourceContents, error) {
		return nil, fmt.Errorf("cannot read %q: no book %s", uri, uri[strings.LastIndexByte(uri, '/')+1:])
	})
	resource("shop://named/{id}", func(uri string) ([]mcp.ResourceContents, error) {
		return nil, umpire.Refuse("quota", errors.New("no more of "+uri))
	})
	resource("shop://panic/{id}", func(uri string) ([]mcp.ResourceContents, error) { panic("lost " + uri) })
	prompt := func(name string, h func() (*mcp.GetPromptResult, error)) {
		s.AddPrompt(mcp.NewPrompt(name), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return h() })
	}
	prompt("greet", func() (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("hello"))}), nil
	})
	prompt("fails", func() (*mcp.GetPromptResult, error) { return nil, errors.New("out of ink") })
	prompt("nothing", func() (*mcp.GetPromptResult, error) { return nil, nil })
	prompt("panics", func() (*mcp.GetPromptResult, error) { panic("out of paper") })
}

// read is the line that asks for a resource, or else for a prompt.
func (r route) read(id, ask string) string {
	if strings.Contains(ask, ":") || ask == canary {
		return r.request(id, "resources/read", fmt.Sprintf(`"uri":%q`, ask))
	}
	return r.request(id, "prompts/get", fmt.Sprintf(`"name":%q`, ask))
}

// TestReads: each way in which a resource or prompt can end, over each route,
// under the name that the server gave and never that which was asked for; before
// any list was asked for, and after.
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
	const search = "shop://search{?q,page}"
	cases := []want{
		{"shop://catalog", "shop://catalog", umpire.OK, "", "", "yes", 8},
		{"shop://books/" + canary, "shop://books/{id}", umpire.OK, "", "", "yes", 8},
		{"shop://search?q=" + canary + "&page=2", search, umpire.OK, "", "", "yes", 8},
		{"file:///home/" + canary + "/a.txt", "file:///{+path}", umpire.OK, "", "", "yes", 8},
		{"shop://error/" + canary, "shop://error/{id}", umpire.Crashed, "returned", "error", "yes", -1},
		{"shop://named/" + canary, "shop://named/{id}", umpire.ToolError, "returned", "quota", "yes", -1},
		{"shop://panic/" + canary, "shop://panic/{id}", umpire.Crashed, "panic", "panic:string", "yes", -1},
		{"shop://" + canary + "/there", "shop:", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
		{"GIT+ssh://" + canary, "git+ssh:", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
		{canary, "(unknown resource)", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
		{"greet", "greet", umpire.OK, "", "", "yes", 5},
		{"fails", "fails", umpire.Crashed, "returned", "error", "yes", -1},
		{"nothing", "nothing", umpire.Crashed, "no_result", "", "yes", -1},
		{"panics", "panics", umpire.Crashed, "panic", "panic:string", "yes", -1},
		{"no " + canary, "(unknown prompt)", umpire.BadArgs, "invalid_params", "not_found", "no", -1},
	}
	for _, r := range routes() {
		for _, listed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, listed %v", r.name, listed), func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t)
				s := newServer(server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true))
				addReadable(s)
				addMatrix(s)
				mcpgo.Watch(s, client, mcpgo.WithRecover())
				conn := r.dial(t, s)
				if listed {
					conn.ask(r.request("99", "resources/templates/list", ""))
				}
				for i, c := range cases {
					answer := conn.ask(r.read(fmt.Sprint(i+1), c.ask))
					if strings.Contains(answer, `"error"`) == (c.outcome == umpire.OK) {
						t.Fatalf("%s: %s", c.ask, answer)
					}
				}
				conn.ask(r.call("100", "ok", `{"n":"x"}`))
				called := collected.wait(t, client, 1, notCatalog...)[0]
				events := collected.wait(t, client, len(cases), reads...)
				for i, c := range cases {
					if c.name == search && !listed {
						c.name = "shop://search?q={q}&page={page}"
					}
					e := events[i]
					if e.Tool != c.name || e.Outcome != c.outcome || e.Cause != c.cause || e.ErrorType != c.errorType || e.HandlerRan != c.ran || e.Empty {
						t.Errorf("%s: %q %s %s, cause %q, type %q, ran %s, empty %v", c.ask, e.Kind, e.Tool, e.Outcome, e.Cause, e.ErrorType, e.HandlerRan, e.Empty)
					}
					if got := e.ResponseBytes; (got == nil) != (c.bytes < 0) || got != nil && *got != c.bytes {
						t.Errorf("%s: %v response bytes, want %d", c.ask, got, c.bytes)
					}
					if e.DurationUS == nil || e.Definition != "" || c.outcome != umpire.OK && e.Fingerprint == "" {
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
}

// TestReadPanics: a panic is recorded and flushed, and goes on with its value.
func TestReadPanics(t *testing.T) {
	for _, kind := range reads {
		collected := newCollector(t)
		client := collected.newClient(t)
		s := newServer(server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true))
		addReadable(s)
		mcpgo.Watch(s, client)
		r := routes()[0]
		conn := r.dial(t, s)
		ask, want := "shop://panic/1", "lost shop://panic/1"
		if kind == "prompt" {
			ask, want = "panics", "out of paper"
		}
		func() {
			defer func() {
				if value := recover(); value != want {
					t.Errorf("the panic goes on as %v", value)
				}
				if got := collected.all(kind); len(got) != 1 || got[0].Cause != "panic" {
					t.Errorf("when the panic went on there was %s", brief(got))
				}
			}()
			conn.ask(r.read("1", ask))
		}()
	}
}

// TestReadsRefusedOutside: what a middleware of the server refuses before its
// handler has the name that the server says it has.
func TestReadsRefusedOutside(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	refuse := errors.New("not you")
	s := newServer(server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
		server.WithResourceHandlerMiddleware(func(server.ResourceHandlerFunc) server.ResourceHandlerFunc {
			return func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) { return nil, refuse }
		}),
		server.WithPromptHandlerMiddleware(func(server.PromptHandlerFunc) server.PromptHandlerFunc {
			return func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, refuse }
		}))
	addReadable(s)
	mcpgo.Watch(s, client)
	r := routes()[0]
	conn := r.dial(t, s)
	for _, ask := range []string{"shop://catalog", "shop://books/" + canary, "greet", "shop://" + canary} {
		conn.ask(r.read("1", ask))
	}
	for i, want := range []string{"shop://catalog", "shop:", "greet", "shop:"} {
		if e := collected.wait(t, client, 4, reads...)[i]; e.Tool != want || e.Outcome == umpire.OK || strings.Contains(whole([]umpire.Event{e}), "canary") {
			t.Errorf("%+v, want %s", e, want)
		}
	}
}

// TestReadsMalformed: parameters that cannot be read are of nothing that has a
// name, and a server without resources has none to tell of.
func TestReadsMalformed(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer(server.WithPromptCapabilities(true))
	mcpgo.Watch(s, client)
	r := routes()[0]
	conn := r.dial(t, s)
	conn.ask(r.request("1", "prompts/get", `"name":["`+canary+`"]`))
	conn.ask(r.request("2", "resources/read", `"uri":"x://`+canary+`"`))
	e := collected.wait(t, client, 1, reads...)[0]
	if e.Kind != "prompt" || e.Tool != "(unknown prompt)" || e.Outcome != umpire.BadArgs || strings.Contains(whole([]umpire.Event{e}), "canary") {
		t.Errorf("%+v", e)
	}
}

// TestReadsCancelled: what a client gave up has no outcome and says so, and is
// none of the cancelled calls (outcomes.md 1.2).
func TestReadsCancelled(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer(server.WithResourceCapabilities(true, true))
	entered := make(chan struct{})
	s.AddResource(mcp.NewResource("slow://r", "r"), func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	mcpgo.Watch(s, client)
	r := routes()[0]
	conn := r.dial(t, s).(memoryConn)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	conn.askFor(ctx, r.read("1", "slow://r"))
	e := collected.wait(t, client, 1, reads...)[0]
	if e.Kind != "resource" || e.Tool != "slow://r" || e.Outcome != "" || e.Meta["umpire.cancelled"] != true || !e.Late || e.DurationUS == nil {
		t.Errorf("%+v", e)
	}
	if other := collected.all(notCatalog...); len(other) != 0 {
		t.Errorf("recorded as a call: %s", brief(other))
	}
}

// TestNoResources: the owner can do without.
func TestNoResources(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) { o.NoResources = true })
	s := newServer(server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true))
	addReadable(s)
	addMatrix(s)
	mcpgo.Watch(s, client)
	r := routes()[0]
	conn := r.dial(t, s)
	conn.ask(r.read("1", "shop://catalog"))
	conn.ask(r.read("2", "x://"+canary))
	conn.ask(r.call("3", "ok", `{"n":"x"}`))
	collected.wait(t, client, 1, notCatalog...)
	if got := collected.all(reads...); len(got) != 0 {
		t.Errorf("recorded %s", brief(got))
	}
}

// TestHandshakes: a handshake is told once, by its session where there is one, and
// by the client program where each request could shake hands.
func TestHandshakes(t *testing.T) {
	const capabilities = `"capabilities":{"roots":{"listChanged":true},"sampling":{},"experimental":{"example.com/x":{"key":"canary"},"not a name":true}}`
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			addMatrix(s)
			mcpgo.Watch(s, client)
			want := 2
			if r.transport == "stdio" { // the process is the session
				want = 1
			}
			for range want {
				conn := r.open(t, s)
				line := strings.Replace(handshake[0], `"capabilities":{}`, capabilities, 1)
				if r.protocol == modern {
					line = strings.Replace(r.request("1", "server/discover", ""), `clientCapabilities":{}`, strings.Replace(capabilities, `"capabilities`, "clientCapabilities", 1), 1)
				}
				if answer := conn.ask(line); !strings.Contains(answer, `"result"`) {
					t.Fatalf("%s\nis answered %s", line, answer)
				}
				if r.protocol == legacy {
					conn.tell(handshake[1])
				}
				conn.ask(r.call("2", "ok", `{"n":"x"}`))
			}
			calls := collected.wait(t, client, want, "call")
			if calls[0].Session == calls[want-1].Session { // or none
				want = 1
			}
			for i, e := range collected.wait(t, client, want, "session") {
				if e.Client != (umpire.Peer{Name: "tester", Version: "1.2"}) || e.Server != calls[i].Server || e.Platform != "other" ||
					e.Protocol != r.protocol || e.Transport != r.transport || e.Session != calls[i].Session || r.session != (e.Session != "") {
					t.Errorf("%+v\nwant as of %+v", e, calls[i])
				}
				for _, name := range []string{"roots", "roots.listChanged", "sampling", "experimental"} {
					if e.Meta["umpire.capability."+name] != true {
						t.Errorf("no capability %q: %v", name, e.Meta)
					}
				}
				for name, value := range e.Meta {
					if value != true || strings.Contains(name, "not a name") {
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
			s := newServer(server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true))
			leave, left := make(chan struct{}), make(chan struct{})
			s.AddTool(mcp.NewTool("track"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				client.Track(ctx, "inside", nil)
				go func() {
					defer close(left)
					<-leave
					client.Track(ctx, "after", nil)
				}()
				return mcp.NewToolResultText("done"), nil
			})
			s.AddResource(mcp.NewResource("track://r", "r"), func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				client.Track(ctx, "resource", nil)
				return nil, nil
			})
			s.AddPrompt(mcp.NewPrompt("track"), func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				client.Track(ctx, "prompt", nil)
				return new(mcp.GetPromptResult), nil
			})
			mcpgo.Watch(s, client)
			conn := r.dial(t, s)
			conn.ask(r.call("1", "track", ""))
			conn.ask(r.read("2", "track://r"))
			conn.ask(r.read("3", "track"))
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

// TestReadsRound: an answer that only asks for more input has no outcome, and is
// none of the rounds of calls (outcomes.md 1.2).
func TestReadsRound(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer(server.WithPromptCapabilities(true))
	s.AddPrompt(mcp.NewPrompt("asks"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, mcp.URLElicitationRequiredError{Elicitations: []mcp.ElicitationParams{{Mode: "url", ElicitationID: "1", URL: "https://x", Message: "sign in"}}}
	})
	mcpgo.Watch(s, client)
	r := routes()[0]
	r.dial(t, s).ask(r.read("1", "asks"))
	e := collected.wait(t, client, 1, reads...)[0]
	if e.Tool != "asks" || e.Outcome != "" || e.Meta["umpire.round"] != true || e.DurationUS == nil {
		t.Errorf("%+v", e)
	}
	if other := collected.all(notCatalog...); len(other) != 0 {
		t.Errorf("recorded as a call: %s", brief(other))
	}
}
