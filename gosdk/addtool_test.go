package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// add adds a typed tool by either of the two functions.
func add[In, Out any](exact bool, s *mcp.Server, t *mcp.Tool, h mcp.ToolHandlerFor[In, Out]) {
	if exact {
		gosdk.AddTool(s, t, h)
	} else {
		mcp.AddTool(s, t, h)
	}
}

type limited struct {
	Limit int `json:"limit"`
}

// level refuses what it does not know, as enumerations in Go do.
type level int

func (l *level) UnmarshalText(b []byte) error {
	switch string(b) {
	case "low":
		return nil
	case "panic":
		panic("level")
	}
	return fmt.Errorf("no level %q", b)
}

type levelled struct {
	Level level `json:"level"`
}

// addExact adds tools that end in every way in which the SDK hides whether the
// handler ran.
func addExact(exact bool, s *mcp.Server) {
	limit := func(name string, err error) {
		add(exact, s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, limited) (*mcp.CallToolResult, any, error) {
			if err != nil {
				return nil, nil, err
			}
			return text("fine"), nil, nil
		})
	}
	limit("fine", nil)
	limit("plain", errors.New("no"))
	limit("named", umpire.Refuse("quota", errors.New("no")))
	limit("own_document", &json.UnmarshalTypeError{Field: "limit", Value: "string", Type: reflect.TypeFor[int]()})
	limit("own_words", errors.New(`validating "arguments": of the upstream`))
	limit("rpc", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "went wrong"})
	limit("guarded", nil)
	limit("guarded_error", nil)
	add(exact, s, &mcp.Tool{Name: "panics"}, func(context.Context, *mcp.CallToolRequest, limited) (*mcp.CallToolResult, any, error) {
		panic("handler")
	})
	add(exact, s, &mcp.Tool{Name: "level", InputSchema: raw(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest, levelled) (*mcp.CallToolResult, any, error) {
		return text("fine"), nil, nil
	})
}

// guard is middleware of the server's own that answers in the place of some tools.
func guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.CallToolRequest); ok {
			refusal := text("not for you")
			switch r.Params.Name {
			case "guarded":
				refusal.IsError = true
				return refusal, nil
			case "guarded_error":
				refusal.SetError(errors.New("not for you"))
				return refusal, nil
			}
		}
		return next(ctx, method, req)
	}
}

// verdict is what AddTool is about.
type verdict struct {
	outcome              umpire.Outcome
	cause, ran, evidence string
}

func verdictOf(e umpire.Event) verdict {
	return verdict{e.Outcome, e.Cause, e.HandlerRan, e.Evidence}
}

// TestAddTool: with AddTool and without, over the protocol versions and
// transports, what is recorded of each.
func TestAddTool(t *testing.T) {
	const good = `{"limit":5}`
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			calls := [2]func(tool, args string) umpire.Event{caller(t, r, false), caller(t, r, true)}
			for _, tt := range []struct {
				name, tool, args string
				derived, exact   verdict
			}{
				{"ok", "fine", good, verdict{"ok", "", "yes", "observed"}, verdict{"ok", "", "yes", "observed"}},
				{"passes the schema, does not fit the type", "fine", `{"limit":1e30}`, verdict{"bad_args", "decode", "no", "observed"}, verdict{"bad_args", "decode", "no", "observed"}},
				{"breaks the schema", "fine", `{"limit":"x"}`, verdict{"bad_args", "schema", "no", "schema"}, verdict{"bad_args", "schema", "no", "observed"}},
				{"absent", "fine", `{}`, verdict{"bad_args", "schema", "no", "schema"}, verdict{"bad_args", "schema", "no", "observed"}},
				{"a type that refuses", "level", `{"level":"loud"}`, verdict{"tool_error", "returned", "yes", "observed"}, verdict{"bad_args", "decode", "no", "observed"}},
				{"a type that accepts", "level", `{"level":"low"}`, verdict{"ok", "", "yes", "observed"}, verdict{"ok", "", "yes", "observed"}},
				{"a type that panics", "level", `{"level":"panic"}`, verdict{"crashed", "panic", "yes", "observed"}, verdict{"crashed", "panic", "no", "observed"}},
				{"a handler that panics", "panics", good, verdict{"crashed", "panic", "yes", "observed"}, verdict{"crashed", "panic", "yes", "observed"}},
				{"an error", "plain", good, verdict{"tool_error", "returned", "yes", "observed"}, verdict{"tool_error", "returned", "yes", "observed"}},
				{"a named error", "named", good, verdict{"tool_error", "returned", "yes", "observed"}, verdict{"tool_error", "returned", "yes", "observed"}},
				{"the handler's own document", "own_document", good, verdict{"bad_args", "decode", "no", "observed"}, verdict{"tool_error", "returned", "yes", "observed"}},
				{"the words of the SDK, relayed", "own_words", good, verdict{"bad_args", "schema", "no", "signature"}, verdict{"tool_error", "returned", "yes", "observed"}},
				{"a JSON-RPC error", "rpc", good, verdict{"crashed", "protocol", "unknown", "observed"}, verdict{"crashed", "protocol", "yes", "observed"}},
				{"refused by middleware", "guarded", good, verdict{"tool_error", "result", "yes", "observed"}, verdict{"tool_error", "result", "no", "observed"}},
				{"refused by middleware with an error", "guarded_error", good, verdict{"tool_error", "returned", "yes", "observed"}, verdict{"tool_error", "returned", "no", "observed"}},
				{"an unknown tool", "fin", good, verdict{"bad_args", "unknown_tool", "no", "structure"}, verdict{"bad_args", "unknown_tool", "no", "structure"}},
			} {
				for i, want := range [2]verdict{tt.derived, tt.exact} {
					if got := verdictOf(calls[i](tt.tool, tt.args)); got != want {
						t.Errorf("%s, exact %v: %v, want %v", tt.name, i == 1, got, want)
					}
				}
			}
		})
	}
}

// caller serves the tools of addExact and returns what is recorded of a call.
func caller(t *testing.T, r route, exact bool) func(tool, args string) umpire.Event {
	t.Helper()
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	server.AddReceivingMiddleware(guard)
	gosdk.Watch(server, client, gosdk.WithRecover())
	addExact(exact, server)
	cs := r.dial(t, server, nil)
	n := 0
	return func(tool, args string) umpire.Event {
		t.Helper()
		n++
		_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
		return collected.wait(t, client, n, notCatalog...)[n-1]
	}
}

// TestAddToolAgrees: where the SDK hides nothing, both ways of adding a tool
// record the same, whatever is called (outcomes.md 7).
func TestAddToolAgrees(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 26))
	r := routes()[1]
	derived, exact := caller(t, r, false), caller(t, r, true)
	tools := []string{"fine", "plain", "named", "panics", "rpc", "level", "nobody"}
	arguments := []string{
		`{"limit":1}`, `{"limit":1e30}`, `{"limit":1.5}`, `{"limit":null}`, `{"limit":"5"}`, `{}`, `{"limit":1,"more":2}`, `{"LIMIT":1}`, `[]`, `7`,
		`{"level":"low"}`, `{"level":5}`, `{"level":"low","limit":1e30}`, `{"limit":18446744073709551616}`, `{"limit":-0}`, `null`,
	}
	for range 150 {
		tool, args := tools[random.IntN(len(tools))], arguments[random.IntN(len(arguments))]
		a, b := derived(tool, args).Call, exact(tool, args).Call
		if a.HandlerRan != "unknown" && a.HandlerRan != b.HandlerRan {
			t.Errorf("%s %s: handler_ran %s and %s", tool, args, a.HandlerRan, b.HandlerRan)
		}
		for _, c := range []*umpire.Call{&a, &b} { // what may differ
			c.DurationUS, c.HandlerRan, c.Evidence, c.ArgsHash, c.AskHash = nil, "", "", "", ""
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s %s:\nderived %+v\n  exact %+v", tool, args, a, b)
		}
	}
}

// TestAddToolIsUnseen: clients are given the same tools and the same answers.
func TestAddToolIsUnseen(t *testing.T) {
	seen := func(exact bool) string {
		server := newServer()
		addExact(exact, server)
		cs := routes()[0].dial(t, server, nil)
		list, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		all := []any{list}
		for _, tool := range []string{"fine", "plain", "named", "own_document", "rpc", "level"} {
			for _, args := range []string{`{"limit":5}`, `{"limit":1e30}`, `{"limit":"x"}`, `{"level":"loud"}`, `{}`} {
				res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
				all = append(all, res, fmt.Sprint(err))
			}
		}
		b, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if plain, exact := seen(false), seen(true); plain != exact {
		t.Errorf("clients see\n%s\nwithout AddTool, and with it\n%s", plain, exact)
	}
}

// TestAddToolTwoWatchers: two clients on one server both know.
func TestAddToolTwoWatchers(t *testing.T) {
	server := newServer()
	addExact(true, server) // before Watch
	first, second := newCollector(t), newCollector(t)
	one, two := first.newClient(t), second.newClient(t)
	gosdk.Watch(server, one)
	gosdk.Watch(server, two)
	cs := routes()[1].dial(t, server, nil)
	_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "own_document", Arguments: raw(`{"limit":5}`)})
	want := verdict{"tool_error", "returned", "yes", "observed"}
	for _, got := range []umpire.Event{first.wait(t, one, 1, notCatalog...)[0], second.wait(t, two, 1, notCatalog...)[0]} {
		if verdictOf(got) != want {
			t.Errorf("%v, want %v", verdictOf(got), want)
		}
	}
}

// TestAddToolReplaced: a tool that another one replaced under its name is not
// held for it once that one has answered.
func TestAddToolReplaced(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	addExact(true, server)
	var fails error
	mcp.AddTool(server, &mcp.Tool{Name: "fine"}, func(context.Context, *mcp.CallToolRequest, limited) (*mcp.CallToolResult, any, error) {
		return nil, nil, fails
	})
	cs := routes()[1].dial(t, server, nil)
	call := func() {
		_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "fine", Arguments: raw(`{"limit":5}`)})
	}
	call()
	fails = errors.New("no")
	call()
	events := collected.wait(t, client, 2, notCatalog...)
	if got, want := verdictOf(events[1]), (verdict{"tool_error", "returned", "yes", "observed"}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	gosdk.AddTool(server, &mcp.Tool{Name: "fine"}, func(context.Context, *mcp.CallToolRequest, limited) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New(`validating "arguments": mine`)
	})
	call()
	if got, want := verdictOf(collected.wait(t, client, 3, notCatalog...)[2]), (verdict{"tool_error", "returned", "yes", "observed"}); got != want {
		t.Errorf("added again: %v, want %v", got, want)
	}
}

// TestAddToolAfterTheAnswer: a handler may be entered when its call was answered
// by somebody else. It must not count for another call.
func TestAddToolAfterTheAnswer(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	release, entered := make(chan struct{}), make(chan struct{})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok && r.Params.Name == "fine" {
				go func() {
					<-release
					_, _ = next(context.WithoutCancel(ctx), method, req)
					close(entered)
				}()
				return internalError("too slow"), nil
			}
			return next(ctx, method, req)
		}
	})
	gosdk.Watch(server, client)
	addExact(true, server)
	server.AddReceivingMiddleware(guard)
	cs := routes()[1].dial(t, server, nil)
	_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "fine", Arguments: raw(`{"limit":5}`)})
	if got := collected.wait(t, client, 1, notCatalog...)[0]; got.HandlerRan != "no" {
		t.Errorf("handler_ran %s of a call whose handler did not run yet", got.HandlerRan)
	}
	close(release)
	<-entered
	_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "plain", Arguments: raw(`{"limit":"x"}`)})
	if got := collected.wait(t, client, 2, notCatalog...)[1]; got.HandlerRan != "no" || got.Cause != "schema" {
		t.Errorf("%v of a call with refused arguments", verdictOf(got))
	}
}

func internalError(words string) *mcp.CallToolResult {
	r := text(words)
	r.IsError = true
	return r
}

// A *jsonrpc.Error is told by its type, and answers the same when an author
// gives it a name (outcomes.md 2.9).
func TestRefuseKeepsProtocolErrors(t *testing.T) {
	wire := &jsonrpc.Error{Code: -32050, Message: "over quota"}
	for name, got := range map[string]error{
		"Refuse": umpire.Refuse("quota", wire), "Bug": umpire.Bug("quota", wire), "Upstream": umpire.Upstream(wire),
	} {
		if got != error(wire) { //nolint:errorlint // the identity is the subject
			t.Errorf("%s wraps it: the SDK would answer with a result", name)
		}
	}
}

// TestAddToolAllocations: knowing costs one allocation a call, and nothing where
// no tool was added by AddTool.
func TestAddToolAllocations(t *testing.T) {
	call := prepareExact(t, stuck{})
	for range 300 {
		call()
	}
	time.Sleep(50 * time.Millisecond) // the list is described
	if n := testing.AllocsPerRun(500, call); n > 2 {
		t.Errorf("%v allocations, want at most 2: one more than without", n)
	} else {
		t.Logf("%v allocations", n)
	}
}

func BenchmarkCallAddTool(b *testing.B) {
	call := prepareExact(b, sink{})
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}

// prepareExact is prepare for a tool that was added by AddTool.
func prepareExact(tb testing.TB, to http.RoundTripper) func() {
	client := umpire.New(umpire.Options{
		Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", HTTPClient: &http.Client{Transport: to},
	})
	tb.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = client.Close(ctx)
	})
	server := newServer()
	addExact(true, server)
	_, there := mcp.NewInMemoryTransports()
	ss, err := server.Connect(context.Background(), there, nil)
	if err != nil {
		tb.Fatal(err)
	}
	res := text("It rains on the plain of the spaniards.")
	list := &mcp.ListToolsResult{Tools: []*mcp.Tool{{Name: "fine", InputSchema: raw(`{"type":"object"}`)}}}
	call := gosdk.Middleware(server, client)(func(ctx context.Context, method string, _ mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			return list, nil
		}
		gosdk.Enter(ctx)
		return res, nil
	})
	req := &mcp.CallToolRequest{Session: ss, Params: &mcp.CallToolParamsRaw{Name: "fine", Arguments: raw(`{"limit":5}`)}}
	return func() { _, _ = call(context.Background(), "tools/call", req) }
}
