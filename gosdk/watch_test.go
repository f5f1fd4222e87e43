package gosdk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

func callTool(t testing.TB, cs *mcp.ClientSession, tool string) *mcp.CallToolResult {
	t.Helper()
	res, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: in{"x"}})
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	return res
}

func sayHello(s *mcp.Server, name string) {
	typed(s, name, func() (*mcp.CallToolResult, any, error) { return text("hello"), nil, nil })
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
			server := newServer()
			sayHello(server, "before")
			gosdk.Watch(server, client)
			sayHello(server, "after")
			cs := r.dial(t, server, nil)
			sayHello(server, "while_serving")
			for _, tool := range []string{"before", "after", "while_serving"} {
				callTool(t, cs, tool)
			}
			if got, want := tools(collected.wait(t, client, 3, "call")), []string{"before", "after", "while_serving"}; !slices.Equal(got, want) {
				t.Errorf("recorded %v, want %v", got, want)
			}
		})
	}
}

func TestWatchWhileServing(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	sayHello(server, "hello")
	cs := routes()[0].dial(t, server, nil)
	callTool(t, cs, "hello")
	gosdk.Watch(server, client)
	callTool(t, cs, "hello")
	e := collected.wait(t, client, 1, "call")[0]
	if e.Client.Name != "tester" || e.Server.Name != "bench" {
		t.Errorf("client %q, server %q; want tester, bench", e.Client.Name, e.Server.Name)
	}
}

// TestWatchedTwice counts the events of one call under every way of watching
// more than once.
func TestWatchedTwice(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected, others := newCollector(t), newCollector(t)
			client, other := collected.newClient(t), others.newClient(t)
			server := newServer()
			gosdk.Watch(server, client)
			sayHello(server, "hello")
			addMatrix(server)
			gosdk.Watch(server, other)
			gosdk.Watch(server, client, gosdk.WithRecover())
			gosdk.Watch(server, other)
			cs := r.dial(t, server, nil)
			for range 3 {
				callTool(t, cs, "hello")
				callTool(t, cs, "plain_error")
			}
			collected.wait(t, client, 6, notCatalog...)
			others.wait(t, other, 6, notCatalog...)
		})
	}
}

func TestNothingToWatch(t *testing.T) {
	collected := newCollector(t)
	server := newServer()
	sayHello(server, "hello")
	gosdk.Watch(nil, collected.newClient(t))
	gosdk.Watch(server, nil)
	gosdk.Watch(server, umpire.New(umpire.Options{Disabled: true, Endpoint: collected.URL, Key: "ump_w_x"}))
	gosdk.Watch(server, collected.newClient(t), nil)
	callTool(t, routes()[0].dial(t, server, nil), "hello")
}

// TestConcurrent makes 800 calls at once, of every kind.
func TestConcurrent(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			gosdk.Watch(server, client)
			addMatrix(server)
			cs := r.dial(t, server, nil)
			names := []string{"ok", "empty", "plain_error", "structured", "raw_error", "no_such_tool", "rpc_own_code", "bad_output"}
			const calls, workers = 800, 16
			var wg sync.WaitGroup
			next := make(chan int)
			for range workers {
				wg.Go(func() {
					for i := range next {
						_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: names[i%len(names)], Arguments: in{fmt.Sprint(i)}})
					}
				})
			}
			for i := range calls {
				next <- i
			}
			close(next)
			wg.Wait()
			events := collected.wait(t, client, calls, notCatalog...)
			count, ids := map[string]int{}, map[umpire.ID]bool{}
			for _, e := range events {
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

// TestRefusedBefore: what the protocol refuses before a call is a call makes no
// event (outcomes.md 2.6).
func TestRefusedBefore(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	addMatrix(server)
	cs := routes()[1].dial(t, server, nil)
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "refused_before", Arguments: in{"x"}}); err == nil {
		t.Fatal("the call was not refused")
	}
	callTool(t, cs, "ok")
	if e := collected.wait(t, client, 1, notCatalog...)[0]; e.Tool != "ok" {
		t.Errorf("recorded %q, want ok alone", e.Tool)
	}
}

// TestHooks: a hook or an error that panics costs neither the call nor its event.
func TestHooks(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) {
		o.ClassifyError = func(error) umpire.Outcome { panic("hook") }
		o.IsEmpty = func(string, []string, []byte) bool { panic("hook") }
	})
	server := newServer()
	gosdk.Watch(server, client)
	addMatrix(server)
	typed(server, "speechless", func() (*mcp.CallToolResult, any, error) {
		r := text("no")
		r.SetError(speechless{})
		return r, nil, nil
	})
	cs := routes()[0].dial(t, server, nil)
	want := map[string]umpire.Outcome{"ok": umpire.OK, "plain_error": umpire.ToolError, "speechless": umpire.ToolError, "raw_error": umpire.Crashed}
	for tool := range want {
		_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: in{"x"}})
	}
	for _, e := range collected.wait(t, client, len(want), "call") {
		if e.Outcome != want[e.Tool] {
			t.Errorf("%s is %q, want %q", e.Tool, e.Outcome, want[e.Tool])
		}
	}
}

// speechless panics when asked what went wrong.
type speechless struct{}

func (speechless) Error() string { panic("no words") }

func TestHookOptions(t *testing.T) {
	sour := errors.New("sour")
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) {
		o.ClassifyError = func(err error) umpire.Outcome {
			if errors.Is(err, sour) {
				return umpire.BadArgs
			}
			return ""
		}
		o.ReturnedErrors = umpire.Crashed
		o.EmptyIsFine = []string{"empty"}
		o.IsEmpty = func(tool string, texts []string, _ []byte) bool { return tool == "ok" && texts[0] == "fine" }
	})
	server := newServer()
	gosdk.Watch(server, client)
	addMatrix(server)
	typed(server, "sour", fails(sour))
	cs := routes()[0].dial(t, server, nil)
	type said struct {
		outcome umpire.Outcome
		empty   bool
	}
	want := map[string]said{
		"sour": {umpire.BadArgs, false}, "plain_error": {umpire.Crashed, false}, "named_error": {umpire.ToolError, false},
		"empty": {umpire.OK, false}, "ok": {umpire.OK, true}, "structured": {umpire.OK, false},
	}
	for tool := range want {
		_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: in{"x"}})
	}
	for _, e := range collected.wait(t, client, len(want), "call") {
		if got := (said{e.Outcome, e.Empty}); got != want[e.Tool] {
			t.Errorf("%s is %+v, want %+v", e.Tool, got, want[e.Tool])
		}
	}
}

// TestUnknownToolNear: the names that there are come from the server itself,
// also when no client ever listed them.
func TestUnknownToolNear(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			gosdk.Watch(server, client)
			sayHello(server, "find_books")
			sayHello(server, "order")
			cs := r.dial(t, server, nil)
			_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_book"})
			e := collected.wait(t, client, 1, "call")[0]
			if e.Cause != "unknown_tool" || !slices.Equal(e.Near, []string{"find_books"}) {
				t.Errorf("cause %q, near %v; want unknown_tool, [find_books]", e.Cause, e.Near)
			}
		})
	}
}

// TestReplacedTool: a schema that was declared a moment ago is the one that
// counts.
func TestReplacedTool(t *testing.T) {
	inBubble(t, nil, func(collected *collector, server *mcp.Server, cs *mcp.ClientSession) {
		for i, name := range []string{"a", "b", "c", "b"} {
			server.AddTool(&mcp.Tool{Name: "strict", InputSchema: raw(`{"type":"object","required":["` + name + `"]}`)},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					r := text("no")
					r.IsError = true
					return r, nil
				})
			_, _ = cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "strict", Arguments: in{"x"}})
			time.Sleep(10 * time.Millisecond) // for the batch
			synctest.Wait()
			e := collected.all("call")[i]
			if len(e.BadParams) != 1 || e.BadParams[0].Path != "/"+name {
				t.Errorf("call %d: bad_params %v, want /%s", i, e.BadParams, name)
			}
		}
	})
}

// TestSlowList: a server that takes its time to list its tools, or never does,
// delays its failing calls by a hundredth of their time at most.
func TestSlowList(t *testing.T) {
	for _, tt := range []struct {
		name   string
		takes  time.Duration
		atMost time.Duration // that 100 failing calls are delayed
		listed bool          // whether they know the names there are
	}{
		{"slow", 50 * time.Millisecond, 100 * time.Millisecond, true},
		{"stuck", time.Hour, time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, nil, func(collected *collector, server *mcp.Server, cs *mcp.ClientSession) {
				start := time.Now()
				for range 100 {
					_, _ = cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "helo"})
				}
				if d := time.Since(start); d > tt.atMost {
					t.Errorf("100 failing calls took %v, want at most %v", d, tt.atMost)
				}
				settle()
				events := collected.all("call")
				if len(events) != 100 {
					t.Fatalf("%d events, want 100", len(events))
				}
				for _, e := range events {
					if e.Outcome != umpire.BadArgs || slices.Equal(e.Near, []string{"hello"}) != tt.listed {
						t.Fatalf("outcome %q, near %v", e.Outcome, e.Near)
					}
				}
			}, func() { time.Sleep(tt.takes) })
		})
	}
}

// TestListFails: a server whose own middleware panics on, or refuses, our
// question for its tools loses nothing but the detail.
func TestListFails(t *testing.T) {
	for name, fail := range map[string]func() (mcp.Result, error){
		"refuses": func() (mcp.Result, error) { return nil, errors.New("who are you?") },
		"panics":  func() (mcp.Result, error) { panic("who are you?") },
		"nothing": func() (mcp.Result, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			addMatrix(server)
			server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					if method == "tools/list" {
						return fail()
					}
					return next(ctx, method, req)
				}
			})
			gosdk.Watch(server, client)
			cs := routes()[0].dial(t, server, nil)
			callTool(t, cs, "plain_error")
			callTool(t, cs, "ok")
			if e := collected.wait(t, client, 2, "call")[0]; e.Outcome != umpire.ToolError {
				t.Errorf("outcome %q, want tool_error", e.Outcome)
			}
		})
	}
}

// TestServersComeAndGo: a server made for each request, as stateless HTTP
// allows, is forgotten with the request.
func TestServersComeAndGo(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		server := newServer()
		sayHello(server, "hello")
		gosdk.Watch(server, client)
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true})
	const n = 50
	for range n {
		post(t, h, modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"n":"x"},`+wireMeta+`}}`)
	}
	collected.wait(t, client, n, "call")
	for deadline := time.Now().Add(patience); gosdk.WatchedServers() >= n/2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		runtime.GC() // what is cleaned up after it takes its time
	}
	if left := gosdk.WatchedServers(); left >= n/2 {
		t.Errorf("%d servers are still remembered", left)
	}
	if lists := collected.wait(t, client, 1, "catalog"); len(lists[0].Tools) != 1 {
		t.Errorf("the catalog has %d tools, want 1", len(lists[0].Tools))
	}
}

const wireMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// post sends one request by hand and returns the body of the answer.
func post(t testing.TB, h http.Handler, protocol, body string, header ...string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://server/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r = r.WithContext(context.Background())
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": protocol, "Mcp-Method": "tools/call", "Mcp-Name": "hello",
	} {
		r.Header.Set(name, value)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, err := direct{h}.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusOK {
		t.Fatalf("status %d", w.StatusCode)
	}
	b := new(strings.Builder)
	_ = w.Write(b)
	return b.String()
}

// TestUnlistedTool: a tool that answers and is hidden from tools/list is marked
// (outcomes.md 4), and one that was added since the last list is not.
func TestUnlistedTool(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListToolsResult); ok {
				list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == "hidden" })
			}
			return res, err
		}
	})
	gosdk.Watch(server, client)
	sayHello(server, "hello")
	sayHello(server, "hidden")
	cs := routes()[0].dial(t, server, nil)
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	collected.wait(t, client, 1, "catalog")
	sayHello(server, "new")
	for _, tool := range []string{"hello", "hidden", "new"} {
		callTool(t, cs, tool)
	}
	for _, e := range collected.wait(t, client, 3, "call") {
		if marked := slices.Contains(e.Suspects, "unlisted_tool"); marked != (e.Tool == "hidden") {
			t.Errorf("%s: suspects %v", e.Tool, e.Suspects)
		}
	}
}
