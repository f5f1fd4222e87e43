package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
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
				s, entered := newWired()
				mcpgo.Watch(s, client)
				play(t, r, s, entered)
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

// addLong adds tools that give and take long texts, and have kept watch them.
func addLong(s *server.MCPServer, kept *remains) {
	tool := func(name string, h func() (*mcp.CallToolResult, error)) {
		addFor(s, name, needsN, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			note(kept, name+": arguments", (*byte)(reflect.ValueOf(r.GetArguments()).UnsafePointer()))
			if n, ok := r.GetArguments()["n"].(string); ok {
				kept.text(name+": argument", n)
			}
			res, err := h()
			if res != nil {
				note(kept, name+": result", res)
				for _, c := range res.Content {
					kept.text(name+": text", c.(mcp.TextContent).Text)
				}
			}
			return res, err
		})
	}
	tool("text", func() (*mcp.CallToolResult, error) { return mcp.NewToolResultText(long()), nil })
	tool("by_hand", func() (*mcp.CallToolResult, error) { return mcp.NewToolResultError(long()), nil })
	tool("structured", func() (*mcp.CallToolResult, error) {
		value := long()
		kept.text("structured: value", value)
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"said": value}}, nil
	})
	for _, name := range []string{"returned", "panics"} {
		tool(name, func() (*mcp.CallToolResult, error) {
			err := &longError{long()}
			note(kept, name+": error", err)
			kept.text(name+": error text", err.text)
			if name == "panics" {
				panic(err)
			}
			return nil, err
		})
	}
}

// long is a text of its own, longer than a message.
func long() string { return strings.Repeat("Lorem ipsum dolor sit amet. ", 100) }

type longError struct{ text string }

func (e *longError) Error() string { return e.text }

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
				s := newServer(server.WithRecovery())
				addLong(s, kept)
				mcpgo.Watch(s, client)
				c := r.dial(t, s)
				n := uint64(0)
				call := func(tool, args string) {
					n++
					c.ask(r.call(strconv.FormatUint(n, 10), tool, args))
				}
				tools := []string{"text", "by_hand", "structured", "returned", "panics"}
				for _, tool := range append(tools, "unknown") {
					call(tool, `{"n":"`+long()+`"}`)
					call(tool, `{"n":"`+long()+`","more":"`+long()+`"}`)
					call(tool, `{"n":["`+long()+`"]}`)
				}
				if watched := len(kept.alive); watched < 40 {
					t.Errorf("%d objects watched, want at least 40", watched)
				}
				for range 3 { // what the SDK itself holds of its last message
					call("unknown", `{}`)
				}
				left := kept.left()
				for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
					runtime.GC()
					left = kept.left()
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
