package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

var goroutineID = regexp.MustCompile(`^goroutine (\d+) `)

// goroutines are the stacks of all goroutines, by number.
func goroutines() map[string]string {
	b := make([]byte, 4<<20)
	b = b[:runtime.Stack(b, true)]
	all := map[string]string{}
	for stack := range strings.SplitSeq(string(b), "\n\n") {
		if m := goroutineID.FindStringSubmatch(stack); m != nil {
			all[m[1]] = stack
		}
	}
	return all
}

// checkGoroutines waits until no goroutine runs that did not run before.
func checkGoroutines(t *testing.T, before map[string]string) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		left = nil
		for id, stack := range goroutines() {
			if before[id] == "" {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
}

// TestNoGoroutineIsLeft: after Close of the client and the end of the server
// nothing runs on, whatever went on between.
func TestNoGoroutineIsLeft(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			before := goroutines()
			t.Run("served", func(t *testing.T) { // its clean-up ends client, server and collector
				collected := newCollector(t)
				client := collected.newClient(t, func(o *umpire.Options) {
					o.SpoolDir, o.Observer = t.TempDir(), func(umpire.Event) {}
				})
				server := newServer()
				addMatrix(server)
				entered := addObedient(server)
				typed(server, "nil_map", func() (*mcp.CallToolResult, any, error) { return explode() })
				gosdk.Watch(server, client, gosdk.WithRecover())
				cs := r.dial(t, server, nil)
				for _, tt := range matrix() {
					_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: in{"x"}})
				}
				callTool(t, cs, "nil_map")
				if _, err := cs.ListTools(t.Context(), nil); err != nil {
					t.Error(err)
				}
				if r.session { // elsewhere nobody tells the handler
					ctx, cancel := context.WithCancel(t.Context())
					go func() { <-entered; cancel() }()
					_, _ = cs.CallTool(ctx, &mcp.CallToolParams{Name: "obey", Arguments: in{"x"}})
					collected.wait(t, client, 1, "cancelled") // or the session ends before the server hears of it, and the handler never
				}
				ours := false
				for _, stack := range goroutines() {
					ours = ours || strings.Contains(stack, "umpire.(*sender)")
				}
				if !ours {
					t.Error("the client's own goroutine is not seen: this test could not fail")
				}
			})
			checkGoroutines(t, before)
		})
	}
}

// remains are objects that must not outlive their call.
type remains struct {
	mu    sync.Mutex
	alive map[string]func() bool
}

// note watches what p points to, or what that is a part of.
func note[T any](r *remains, name string, p *T) {
	w := weak.Make(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alive[fmt.Sprint(len(r.alive), " ", name)] = func() bool { return w.Value() != nil }
}

func (r *remains) text(name, s string) { note(r, name, unsafe.StringData(s)) }

// left are the names of those that are still there.
func (r *remains) left() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, alive := range r.alive {
		if alive() {
			names = append(names, name)
		}
	}
	return names
}

// middleware watches all that a call consists of.
func (r *remains) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		name := call.Params.Name
		note(r, name+": request", call)
		note(r, name+": params", call.Params)
		if len(call.Params.Arguments) > 0 {
			note(r, name+": arguments", &call.Params.Arguments[0])
		}
		res, err := next(ctx, method, req)
		if told, ok := res.(*mcp.CallToolResult); ok && told != nil {
			note(r, name+": result", told)
			for _, c := range told.Content {
				if text, ok := c.(*mcp.TextContent); ok {
					note(r, name+": content", text)
					r.text(name+": text", text.Text)
				}
			}
		}
		var long *longError
		if errors.As(err, &long) {
			note(r, name+": error", long)
			r.text(name+": error text", long.text)
		}
		return res, err
	}
}

// long is a text of its own, longer than a message.
func long() string { return strings.Repeat("Lorem ipsum dolor sit amet. ", 100) }

type longError struct{ text string }

func (e *longError) Error() string { return e.text }

func addLong(s *mcp.Server, r *remains) {
	untyped(s, "text", func() (*mcp.CallToolResult, error) { return text(long()), nil })
	untyped(s, "by_hand", func() (*mcp.CallToolResult, error) {
		res := text(long())
		res.IsError = true
		return res, nil
	})
	untyped(s, "structured", func() (*mcp.CallToolResult, error) {
		value := long()
		r.text("structured: value", value)
		b, _ := json.Marshal(value)
		structured := json.RawMessage(`{"said":` + string(b) + `}`)
		note(r, "structured: JSON", &structured[0])
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: structured}, nil
	})
	untyped(s, "returned", func() (*mcp.CallToolResult, error) { return nil, &longError{long()} })
	typed(s, "shown", func() (*mcp.CallToolResult, any, error) { return nil, nil, &longError{long()} })
	typed(s, "typed", func() (*mcp.CallToolResult, any, error) { return text(long()), nil, nil })
	untyped(s, "panics", func() (*mcp.CallToolResult, error) {
		err := &longError{long()}
		note(r, "panics: value", err)
		r.text("panics: text", err.text)
		panic(err)
	})
}

// TestNothingIsKept: what a call consisted of is free for the garbage collector
// when the call is over, though its event still waits to be sent.
func TestNothingIsKept(t *testing.T) {
	for name, with := range map[string]func(*umpire.Options){
		"default":  func(o *umpire.Options) {},
		"no spool": func(o *umpire.Options) { o.SpoolDir = "-" },
		"everything": func(o *umpire.Options) {
			o.Capture = umpire.Capture{InputTypes: true, Input: true, Output: true, Intent: true}
		},
		"observer": func(o *umpire.Options) { o.Observer = func(umpire.Event) { <-o.HTTPClient.Transport.(hung) } },
	} {
		for _, r := range routes() {
			t.Run(name+" "+r.name, func(t *testing.T) {
				release := make(hung)
				o := umpire.Options{Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: t.TempDir(), FlushInterval: time.Millisecond}
				o.HTTPClient = &http.Client{Transport: release}
				with(&o)
				client := umpire.New(o)
				t.Cleanup(func() { close(release); _ = client.Close(context.Background()) })

				kept := &remains{alive: map[string]func() bool{}}
				server := newServer()
				addLong(server, kept)
				server.AddReceivingMiddleware(kept.middleware)
				gosdk.Watch(server, client, gosdk.WithRecover())
				cs := r.dial(t, server, nil)
				n := uint64(0)
				call := func(tool string, args any) {
					_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
					n++
				}
				for _, tool := range []string{"text", "by_hand", "structured", "returned", "shown", "typed", "panics", "unknown"} {
					call(tool, in{long()})
				}
				call("typed", map[string]any{"n": "x", "more": long()})
				call("typed", map[string]any{"n": []string{long()}})
				watched := len(kept.alive)
				for range 3 { // what the SDK itself holds of its last message
					_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "other"})
				}
				if watched < 40 {
					t.Errorf("%d objects watched, want at least 40", watched)
				}
				left := kept.left()
				for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
					runtime.GC()
					left = leftOf(kept.left(), " other: ")
				}
				if len(left) > 0 {
					t.Errorf("still there: %s", strings.Join(left, ", "))
				}
				queued := client.Stats().Queued
				for deadline := time.Now().Add(patience); queued < n && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
					queued = client.Stats().Queued // an answer may come before its event is recorded
				}
				if queued < n {
					t.Errorf("%d events wait, want %d: nothing is proven", queued, n)
				}
			})
		}
	}
}

func leftOf(names []string, part string) (rest []string) {
	for _, name := range names {
		if !strings.Contains(name, part) {
			rest = append(rest, name)
		}
	}
	return rest
}

// hung is a network that answers nothing until it is closed.
type hung chan struct{}

func (h hung) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-h:
		w := httptest.NewRecorder()
		_, _ = w.WriteString(`{"accepted":100}`)
		return w.Result(), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}
