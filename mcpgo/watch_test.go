package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

func sayHello(s *server.MCPServer, name string) {
	add(s, name, gives(mcp.NewToolResultText("hello")))
}

func tools(events []umpire.Event) []string {
	var names []string
	for _, e := range events {
		names = append(names, e.Tool)
	}
	return names
}

func TestToolsBeforeAndAfter(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			sayHello(s, "before")
			mcpgo.Watch(s, client)
			sayHello(s, "after")
			c := r.dial(t, s)
			sayHello(s, "while_serving")
			for _, tool := range []string{"before", "after", "while_serving"} {
				c.ask(r.call("1", tool, `{"n":"x"}`))
			}
			if got, want := tools(collected.wait(t, client, 3, "call")), []string{"before", "after", "while_serving"}; !slices.Equal(got, want) {
				t.Errorf("recorded %v, want %v", got, want)
			}
		})
	}
}

// TestRealClients has mcp-go's own clients call, as they do it.
func TestRealClients(t *testing.T) {
	for name, dial := range map[string]func(*testing.T, *server.MCPServer) (*client.Client, error){
		"memory": func(_ *testing.T, s *server.MCPServer) (*client.Client, error) { return client.NewInProcessClient(s) },
		"sse": func(t *testing.T, s *server.MCPServer) (*client.Client, error) {
			h := servertest.NewTestServer(s)
			t.Cleanup(h.Close)
			return client.NewSSEMCPClient(h.URL + "/sse")
		},
		"http": func(t *testing.T, s *server.MCPServer) (*client.Client, error) {
			h := servertest.NewTestStreamableHTTPServer(s)
			t.Cleanup(h.Close)
			return client.NewStreamableHttpClient(h.URL)
		},
	} {
		t.Run(name, func(t *testing.T) {
			collected := newCollector(t)
			umpired := collected.newClient(t)
			s := newServer()
			entered := addObedient(s)
			mcpgo.Watch(s, umpired)
			addMatrix(s)
			c, err := dial(t, s)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			hello := mcp.InitializeRequest{}
			hello.Params.ProtocolVersion = legacy
			hello.Params.ClientInfo = mcp.Implementation{Name: "tester", Version: "1.2"}
			if _, err := c.Initialize(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			call := mcp.CallToolRequest{}
			call.Params.Name, call.Params.Arguments = "ok", map[string]any{"n": "x"}
			if _, err := c.CallTool(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			e := collected.wait(t, umpired, 1, notCatalog...)[0]
			if e.Outcome != umpire.OK || e.Transport != name || e.Client.Name != "tester" {
				t.Errorf("event %s", brief([]umpire.Event{e}))
			}
			if name == "sse" {
				return // its client tells nobody that it gave up, and the handler runs on
			}
			ctx, giveUp := context.WithCancel(t.Context())
			go func() { <-entered; giveUp() }()
			call.Params.Name = "obey"
			if _, err := c.CallTool(ctx, call); err == nil {
				t.Fatal("the call was not cancelled")
			}
			checkCancelled(t, collected.wait(t, umpired, 2, notCatalog...)[1], true)
		})
	}
}

// TestOwnHooksStay: what the server's owner added to its hooks runs as before,
// and so does what he adds later.
func TestOwnHooksStay(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	var said []string
	hooks := new(server.Hooks)
	hooks.AddBeforeCallTool(func(_ context.Context, _ any, r *mcp.CallToolRequest) { said = append(said, "before "+r.Params.Name) })
	hooks.AddOnError(func(_ context.Context, _ any, _ mcp.MCPMethod, _ any, err error) {
		said = append(said, fmt.Sprint(errors.Is(err, server.ErrToolNotFound)))
	})
	s := newServer(server.WithHooks(hooks))
	mcpgo.Watch(s, client)
	s.GetHooks().AddAfterCallTool(func(_ context.Context, _ any, r *mcp.CallToolRequest, _ any) {
		said = append(said, "after "+r.Params.Name)
	})
	addMatrix(s)
	r := routes()[0]
	c := r.dial(t, s)
	c.ask(r.call("1", "ok", `{"n":"x"}`))
	c.ask(r.call("2", "okk", `{"n":"x"}`))
	collected.wait(t, client, 2, notCatalog...)
	if want := []string{"before ok", "after ok", "before okk", "true"}; !slices.Equal(said, want) {
		t.Errorf("the owner's hooks said %q, want %q", said, want)
	}
}

// TestOwnMiddleware: middleware on either side of ours changes what the client
// gets, and that is judged.
func TestOwnMiddleware(t *testing.T) {
	friendly := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := next(ctx, r)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return res, nil
		}
	}
	guard := func(server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("no"), nil
		}
	}
	remakes := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return next(ctx, mcp.CallToolRequest{Params: r.Params})
		}
	}
	again := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if res, err := next(ctx, r); err == nil {
				return res, nil
			}
			return next(ctx, r)
		}
	}
	for _, tt := range []struct {
		name   string
		within bool
		mw     server.ToolHandlerMiddleware
		tool   string
		want   want
	}{
		{"outside, shows errors", false, friendly, "named_error", want{"call", umpire.ToolError, false, "returned", "KernelApiError404", "yes", "observed", "", ""}},
		{"within, shows errors", true, friendly, "named_error", want{"call", umpire.ToolError, false, "result", "", "yes", "observed", "", ""}},
		{"outside, shows plain errors", false, friendly, "plain_error", want{"call", umpire.ToolError, false, "returned", "error", "yes", "observed", "", ""}},
		{"outside, refuses", false, guard, "ok", want{"call", umpire.ToolError, false, "result", "", "no", "observed", "", ""}},
		{"outside, makes requests of its own", false, remakes, "ok", want{kind: "call", outcome: umpire.OK, ran: "unknown", evidence: "observed"}},
		{"outside, tries again", false, again, "plain_error", want{"call", umpire.Crashed, false, "returned", "error", "yes", "observed", "", ""}},
		{"within, tries again", true, again, "plain_error", want{"call", umpire.Crashed, false, "returned", "error", "yes", "observed", "", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			addMatrix(s)
			if !tt.within {
				s.Use(tt.mw)
			}
			mcpgo.Watch(s, client)
			if tt.within {
				s.Use(tt.mw)
			}
			r := routes()[0]
			r.dial(t, s).ask(r.call("1", tt.tool, `{"n":"x"}`))
			check(t, collected.wait(t, client, 1, notCatalog...)[0], tt.tool, tt.want)
		})
	}
}

// TestInputOfLegacyClients: a client of an older protocol cannot answer.
func TestInputOfLegacyClients(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	addMatrix(s)
	r := routes()[5]
	c := r.dial(t, s)
	add(s, "sheds", gives(server.NewInputRequestBuilder("later").ToolResult()))
	c.ask(r.call("1", "sheds", `{"n":"x"}`))
	e := collected.wait(t, client, 1, notCatalog...)[0]
	check(t, e, "sheds", want{"call", umpire.ToolError, false, "input_unavailable", "input_unavailable", "yes", "signature", "", "multi round-trip: the server is busy, retry later"})
}

// TestWatchedTwice counts the events of one call under every way of watching
// more than once.
func TestWatchedTwice(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected, others := newCollector(t), newCollector(t)
			client, other := collected.newClient(t), others.newClient(t)
			s := newServer()
			mcpgo.Watch(s, client)
			addMatrix(s)
			mcpgo.Watch(s, other)
			mcpgo.Watch(s, client, mcpgo.WithRecover())
			mcpgo.Watch(s, other)
			c := r.dial(t, s)
			for range 3 {
				c.ask(r.call("1", "ok", `{"n":"x"}`))
				c.ask(r.call("2", "plain_error", `{"n":"x"}`))
				c.ask(r.call("3", "okk", `{"n":"x"}`))
				c.ask(r.request("4", "tools/call", `"name":"ok","task":"soon"`))
			}
			for _, events := range [][]umpire.Event{collected.wait(t, client, 12, notCatalog...), others.wait(t, other, 12, notCatalog...)} {
				for _, e := range events {
					if ran := map[string]string{"okk": "no"}[e.Tool]; e.HandlerRan != "yes" && e.HandlerRan != ran && e.Cause != "invalid_params" {
						t.Errorf("%s: ran %q", e.Tool, e.HandlerRan)
					}
				}
			}
		})
	}
}

// TestSharedHooks: servers that share their hooks do not share their calls, and
// a server for each request does not fill the hooks.
func TestSharedHooks(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	hooks := new(server.Hooks)
	r := routes()[0]
	const n = 50
	before := 0
	for i := range n {
		s := server.NewMCPServer(fmt.Sprint("server", i%2), "1", server.WithHooks(hooks))
		sayHello(s, "hello")
		mcpgo.Watch(s, client)
		if before == 0 {
			before = mcpgo.HooksOf(s)
		} else if now := mcpgo.HooksOf(s); now != before {
			t.Fatalf("%d hooks after %d servers, want %d", now, i, before)
		}
		r.dial(t, s).ask(r.call("1", "hello", `{"n":"x"}`))
	}
	count := map[string]int{}
	for _, e := range collected.wait(t, client, n, "call") {
		count[e.Server.Name]++
	}
	if count["server0"] != n/2 || count["server1"] != n/2 {
		t.Errorf("calls by server %v", count)
	}
	for deadline := time.Now().Add(patience); mcpgo.WatchedServers() >= n/2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		runtime.GC() // what is cleaned up after it takes its time
	}
	if left := mcpgo.WatchedServers(); left >= n/2 {
		t.Errorf("%d servers are still remembered", left)
	}
}

func TestNothingToWatch(t *testing.T) {
	collected := newCollector(t)
	s := newServer()
	sayHello(s, "hello")
	mcpgo.Watch(nil, collected.newClient(t))
	mcpgo.Watch(s, nil)
	mcpgo.Watch(s, umpire.New(umpire.Options{Disabled: true, Endpoint: collected.URL, Key: "ump_w_x"}))
	if s.GetHooks() != nil {
		t.Error("a server that is not watched was given hooks")
	}
	mcpgo.Watch(s, collected.newClient(t), nil)
	r := routes()[0]
	r.dial(t, s).ask(r.call("1", "hello", `{"n":"x"}`))
}

// TestConcurrent makes 800 calls at once, of every kind.
func TestConcurrent(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			mcpgo.Watch(s, client)
			addMatrix(s)
			c := r.dial(t, s)
			names := []string{"ok", "empty", "plain_error", "structured", "typed", "no_such_tool", "nothing", "structured_error"}
			const calls, workers = 800, 16
			var wg sync.WaitGroup
			next := make(chan int)
			for range workers {
				wg.Go(func() {
					for i := range next {
						c.ask(r.call(fmt.Sprint(i), names[i%len(names)], fmt.Sprintf(`{"n":"%d"}`, i)))
					}
				})
			}
			for i := range calls {
				next <- i
			}
			close(next)
			wg.Wait()
			count, ids := map[string]int{}, map[umpire.ID]bool{}
			for _, e := range collected.wait(t, client, calls, notCatalog...) {
				count[e.Tool]++
				ids[e.ID] = true
			}
			for _, name := range names {
				if count[name] != calls/len(names) {
					t.Errorf("%d events of %s, want %d", count[name], name, calls/len(names))
				}
			}
			if len(ids) != calls {
				t.Errorf("%d different ids, want %d", len(ids), calls)
			}
		})
	}
}

// speechless panics when asked what went wrong.
type speechless struct{}

func (speechless) Error() string { panic("no words") }

// TestHooks: a hook of Options that panics costs neither the call nor its event.
func TestHooks(t *testing.T) {
	sour := errors.New("sour")
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) {
		o.ClassifyError = func(err error) umpire.Outcome {
			if errors.Is(err, sour) {
				return umpire.BadArgs
			}
			panic("hook")
		}
		o.IsEmpty = func(tool string, _ []string, _ []byte) bool {
			if tool == "ok" {
				return true
			}
			panic("hook")
		}
		o.ReturnedErrors = umpire.ToolError
		o.EmptyIsFine = []string{"empty"}
	})
	s := newServer(server.WithRecovery())
	s.Use(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := next(ctx, r)
			if errors.As(err, new(speechless)) {
				return mcp.NewToolResultError("no"), nil
			}
			return res, err
		}
	})
	mcpgo.Watch(s, client)
	addMatrix(s)
	add(s, "sour", fails(sour))
	add(s, "speechless", fails(speechless{}))
	r := routes()[0]
	c := r.dial(t, s)
	type said struct {
		outcome umpire.Outcome
		empty   bool
	}
	want := map[string]said{
		"ok": {umpire.OK, true}, "empty": {umpire.OK, false}, "structured": {umpire.OK, true}, "sour": {umpire.BadArgs, false},
		"plain_error": {umpire.ToolError, false}, "speechless": {umpire.ToolError, false}, "runtime_error": {umpire.Crashed, false},
	}
	for tool := range want {
		c.ask(r.call("1", tool, `{"n":"x"}`))
	}
	for _, e := range collected.wait(t, client, len(want), "call") {
		if got := (said{e.Outcome, e.Empty}); got != want[e.Tool] {
			t.Errorf("%s is %+v, want %+v", e.Tool, got, want[e.Tool])
		}
	}
}

// TestMarkIsHidden: what the request carries is not seen where requests are read.
func TestMarkIsHidden(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	var shown string
	var kept *mcp.CallToolRequest
	s.GetHooks().AddBeforeCallTool(func(_ context.Context, _ any, r *mcp.CallToolRequest) { kept = r })
	addFor(s, "look", needsN, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if mcpgo.MarkOf(r) == nil {
			t.Error("there is no mark: this test checks nothing")
		}
		b, err := json.Marshal(r)
		shown = string(b)
		return mcp.NewToolResultText("x"), err
	})
	r := routes()[0]
	r.dial(t, s).ask(r.call("1", "look", `{"n":"x"}`))
	collected.wait(t, client, 1, "call")
	if !strings.Contains(shown, `"look"`) || strings.Contains(shown, "progressToken") {
		t.Errorf("the request reads %s", shown)
	}
	if mcpgo.MarkOf(*kept) != nil {
		t.Error("the request is still marked after it was answered")
	}
}

// TestUnknownToolNear: the names that there are come from the server itself.
func TestUnknownToolNear(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	sayHello(s, "find_books")
	sayHello(s, "order")
	r := routes()[0]
	r.dial(t, s).ask(r.call("1", "find_book", `{}`))
	e := collected.wait(t, client, 1, "call")[0]
	if e.Cause != "unknown_tool" || !slices.Equal(e.Near, []string{"find_books"}) {
		t.Errorf("cause %q, near %v; want unknown_tool, [find_books]", e.Cause, e.Near)
	}
}

// TestReplacedTool: a schema that was declared a moment ago is the one that
// counts, for failing calls and for ok ones.
func TestReplacedTool(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	r := routes()[0]
	c := r.dial(t, s)
	for i, name := range []string{"a", "b", "c", "b"} {
		for j, result := range []*mcp.CallToolResult{mcp.NewToolResultError("no"), mcp.NewToolResultText("yes")} {
			addFor(s, "strict", `{"type":"object","required":["`+name+`"]}`, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil })
			c.ask(r.call("1", "strict", `{"n":"x"}`))
			e := collected.wait(t, client, 2*i+j+1, "call")[2*i+j]
			if len(e.BadParams) != 1 || e.BadParams[0].Path != "/"+name {
				t.Errorf("call %d: bad_params %v, want /%s", i, e.BadParams, name)
			}
		}
	}
}

// TestSessionTools: a session's own tools are known, and its own schema counts.
func TestSessionTools(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	hooks := s.GetHooks()
	var session server.ClientSession
	hooks.AddBeforeAny(func(ctx context.Context, _ any, _ mcp.MCPMethod, _ any) {
		session = server.ClientSessionFromContext(ctx)
	})
	sayHello(s, "own")
	r := routes()[4]
	c := r.dial(t, s)
	c.ask(r.call("1", "own", `{"n":"x"}`))
	err := s.AddSessionTool(session.SessionID(), mcp.NewToolWithRawSchema("own", "", []byte(`{"type":"object","required":["m"]}`)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("no"), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	c.ask(r.call("2", "own", `{"n":"x"}`))
	e := collected.wait(t, client, 2, "call")
	if e[0].Outcome != umpire.OK || e[1].Outcome != umpire.BadArgs || e[1].ErrorType != "schema:required" {
		t.Errorf("events %s", brief(e))
	}
}

// TestNotFound: what goes by HTTP before the protocol is no call.
func TestNotFound(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	addMatrix(s)
	r := routes()[5]
	c := r.dial(t, s).(*httpConn)
	session := c.session
	c.session = "nonsense"
	if answer := c.ask(r.call("1", "ok", `{"n":"x"}`)); !strings.HasPrefix(answer, fmt.Sprint(http.StatusNotFound)) {
		t.Fatalf("answer %s", answer)
	}
	c.session = session
	c.ask(r.call("2", "ok", `{"n":"x"}`))
	collected.wait(t, client, 1, notCatalog...)
}

// TestTrack: an event that a handler records is tied to its call.
func TestTrack(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	addFor(s, "buy", needsN, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		client.Track(ctx, "bought", map[string]any{"books": 3})
		return mcp.NewToolResultText("done"), nil
	})
	r := routes()[5]
	r.dial(t, s).ask(r.call("1", "buy", `{"n":"x"}`))
	call := collected.wait(t, client, 1, "call")[0]
	own := collected.wait(t, client, 1, "custom")[0]
	if own.Tool != "buy" || own.Session != call.Session || own.Meta["umpire.call"] != call.ID.String() {
		t.Errorf("call %s, event %s", call.ID, brief([]umpire.Event{own}))
	}
}

// TestCapture: the answer leaves the process when it is asked for, and only then.
func TestCapture(t *testing.T) {
	for _, output := range []bool{false, true} {
		collected := newCollector(t)
		client := collected.newClient(t, func(o *umpire.Options) { o.Capture = umpire.Capture{Output: output, Input: output} })
		s := newServer()
		mcpgo.Watch(s, client)
		addMatrix(s)
		r := routes()[0]
		c := r.dial(t, s)
		c.ask(r.call("1", "ok", `{"n":"secret"}`))
		c.ask(r.call("2", "structured_typed", `{"n":"secret"}`))
		e := collected.wait(t, client, 2, "call")
		if got := strings.Contains(string(e[0].Input), "secret") && strings.Contains(string(e[0].Output), "fine") && strings.Contains(string(e[1].Output), `"sum":3`); got != output {
			t.Errorf("captured %v, want %v: %s", got, output, brief(e))
		}
	}
}
