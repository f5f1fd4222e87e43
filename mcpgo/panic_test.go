package mcpgo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

func checkCrashed(t *testing.T, e umpire.Event, cause string) {
	t.Helper()
	if e.Kind != "call" || e.Outcome != umpire.Crashed || e.Cause != cause {
		t.Errorf("kind %q, outcome %q, cause %q; want a call, crashed, %q", e.Kind, e.Outcome, e.Cause, cause)
	}
}

// askSafely is ask, and what it panicked with.
func askSafely(c conn, line string) (answer string, panicked any) {
	defer func() { panicked = recover() }()
	return c.ask(line), nil
}

type panicCase struct {
	tool, errType, message string
	value                  func() // panics
}

func panics() []panicCase {
	return []panicCase{
		{"nil_map", "panic:nil_map", "assignment to entry in nil map", func() { _, _ = explode() }},
		{"text", "panic:string", "it rained on [EMAIL_REDACTED]", func() { panic("it rained on max@example.com") }},
		{"error", "panic:fmt.wrapError", "cannot boot: no such kernel", func() { panic(fmt.Errorf("cannot boot: %w", notFound{})) }},
		{"nil_value", "panic:runtime.PanicNilError", "panic called with nil argument", func() { panic(nil) }},
	}
}

func addPanics(s *server.MCPServer) {
	for _, p := range panics() {
		add(s, p.tool, func() (*mcp.CallToolResult, error) { p.value(); return nil, nil })
	}
	addFor(s, "breaks_too", needsN, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return explode() })
}

// TestPanic: one event for each panic, wherever it is recovered, and the panic
// goes on as it would have done unwatched (outcomes.md 2.9).
func TestPanic(t *testing.T) {
	for _, r := range routes() {
		for name, opts := range map[string][]server.ServerOption{"default": nil, "strict": strict()} {
			t.Run(r.name+"/"+name, func(t *testing.T) {
				plain := newServer(opts...)
				addMatrix(plain)
				addPanics(plain)
				collected := newCollector(t)
				client := collected.newClient(t)
				s := newServer(opts...)
				addMatrix(s)
				addPanics(s)
				mcpgo.Watch(s, client)
				bare, c := r.dial(t, plain), r.dial(t, s)
				for i, p := range panics() {
					line := r.call(fmt.Sprint(i), p.tool, `{"n":"x"}`)
					wantAnswer, wantPanic := askSafely(bare, line)
					answer, panicked := askSafely(c, line)
					if answer != wantAnswer || fmt.Sprint(panicked) != fmt.Sprint(wantPanic) {
						t.Errorf("%s: the client got %q, panic %v; unwatched %q, %v", p.tool, answer, panicked, wantAnswer, wantPanic)
					}
					if (panicked != nil) != (r.transport == "memory" && opts == nil) {
						t.Errorf("%s: panicked with %v", p.tool, panicked)
					}
					e := collected.wait(t, client, i+1, notCatalog...)[i]
					check(t, e, p.tool, want{"call", umpire.Crashed, false, "panic", p.errType, "yes", "observed", "", p.message})
					checkIdentity(t, e, r)
				}
				// Arguments that break the schema do not excuse a panic.
				if opts == nil {
					_, _ = askSafely(c, r.call("8", "breaks_too", `{}`))
					checkCrashed(t, collected.wait(t, client, 5, notCatalog...)[4], "panic")
				}
				// The server lives on.
				n := len(collected.all(notCatalog...)) + 1
				if answer := c.ask(r.call("9", "ok", `{"n":"x"}`)); !strings.Contains(answer, "fine") {
					t.Errorf("the next call was answered %q", answer)
				}
				collected.wait(t, client, n, notCatalog...)
			})
		}
	}
}

// TestWithRecover: only who asks for it gets an answer in place of a panic.
func TestWithRecover(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			mcpgo.Watch(s, client, mcpgo.WithRecover())
			addPanics(s)
			answer := r.dial(t, s).ask(r.call("1", "nil_map", `{"n":"x"}`))
			if !strings.Contains(answer, `"text":"internal error"`) || !strings.Contains(answer, `"isError":true`) {
				t.Errorf("the client got %s", answer)
			}
			checkCrashed(t, collected.wait(t, client, 1, notCatalog...)[0], "panic")
		})
	}
}

// panicsOutside is middleware that panics before or after the handler.
func panicsOutside(after bool) server.ToolHandlerMiddleware {
	return func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if after {
				_, _ = next(ctx, r)
			}
			return explode()
		}
	}
}

// TestPanicInMiddleware: a panic in the server's own middleware is one, too, if
// that lies within ours, or if mcp-go tells of it.
func TestPanicInMiddleware(t *testing.T) {
	for _, tt := range []struct {
		name     string
		within   bool // added after Watch
		opts     []server.ServerOption
		errType  string
		evidence string
	}{
		{"within", true, nil, "panic:nil_map", "observed"},
		{"within, recovered", true, []server.ServerOption{server.WithRecovery()}, "panic:nil_map", "observed"},
		{"outside, recovered", false, []server.ServerOption{server.WithRecovery()}, "", "signature"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer(tt.opts...)
			addMatrix(s)
			if !tt.within {
				s.Use(panicsOutside(true))
			}
			mcpgo.Watch(s, client)
			if tt.within {
				s.Use(panicsOutside(true))
			}
			r := routes()[0]
			_, _ = askSafely(r.dial(t, s), r.call("1", "ok", `{"n":"x"}`))
			e := collected.wait(t, client, 1, notCatalog...)[0]
			checkCrashed(t, e, "panic")
			if e.ErrorType != tt.errType || e.Evidence != tt.evidence || e.HandlerRan != "yes" {
				t.Errorf("error_type %q, evidence %q, ran %q; want %q, %q, yes", e.ErrorType, e.Evidence, e.HandlerRan, tt.errType, tt.evidence)
			}
		})
	}
}

// TestPanicOutsideUnseen: mcp-go calls no hook when middleware outside of ours
// panics and nobody recovers. The call is recorded when its time is up.
func TestPanicOutsideUnseen(t *testing.T) {
	for _, after := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			collected := new(collector)
			client := umpire.New(umpire.Options{
				Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", FlushInterval: time.Millisecond,
				HTTPClient: &http.Client{Transport: direct{http.HandlerFunc(collected.take)}},
			})
			s := newServer()
			addMatrix(s)
			s.Use(panicsOutside(after))
			mcpgo.Watch(s, client)
			r := routes()[0]
			if _, panicked := askSafely(r.dial(t, s), r.call("1", "ok", `{"n":"x"}`)); panicked == nil {
				t.Error("the panic did not go on")
			}
			time.Sleep(62 * time.Second)
			synctest.Wait()
			events := collected.all(notCatalog...)
			if len(events) != 1 {
				t.Fatalf("%d events, want 1", len(events))
			}
			checkCrashed(t, events[0], "no_reply")
			if err := client.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSurvives: where the process lives on, nobody has to wait for the event.
func TestSurvives(t *testing.T) {
	for _, r := range routes() {
		for name, opts := range map[string][]server.ServerOption{"default": nil, "strict": strict(), "inlined": nil} {
			t.Run(r.name+"/"+name, func(t *testing.T) {
				var survives atomic.Bool
				s := newServer(opts...)
				if name == "inlined" { // which gives its closure another name
					server.WithRecovery()(s)
				}
				addFor(s, "look", `{"type":"object"}`, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					defer func() { survives.Store(mcpgo.Survives()); panic(recover()) }()
					return explode()
				})
				_, _ = askSafely(r.dial(t, s), r.call("1", "look", `{}`))
				if want := name != "default" || r.transport == "http" || r.transport == "stdio"; survives.Load() != want {
					t.Errorf("survives: %v, want %v", survives.Load(), want)
				}
			})
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if mcpgo.Survives() {
			t.Error("a goroutine of its own survives")
		}
	})
	wg.Wait()
}

// TestGoexit: the handler leaves without an answer, and with it its goroutine.
func TestGoexit(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	add(s, "goexit", func() (*mcp.CallToolResult, error) { runtime.Goexit(); return nil, nil })
	r := routes()[0]
	c := r.dial(t, s)
	var wg sync.WaitGroup
	wg.Go(func() { c.ask(r.call("1", "goexit", `{"n":"x"}`)) })
	wg.Wait()
	checkCrashed(t, collected.wait(t, client, 1, notCatalog...)[0], "panic")
}

// TestMain is also the server of the tests below: panics end processes, so they
// happen in one of their own.
func TestMain(m *testing.M) {
	if how := os.Getenv("MCPGO_CHILD"); how != "" {
		child(how)
		return
	}
	log.SetOutput(io.Discard) // mcp-go says there what it recovered
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

func child(how string) {
	switch how {
	case "sessions":
		sessionsChild()
		return
	case "wire":
		wireChild()
		return
	case "stdio":
		stdioChild()
		return
	}
	s := newServer()
	if os.Getenv("UMPIRE_KEY") != "" {
		mcpgo.Watch(s, umpire.New(umpire.Options{FlushInterval: time.Hour})) // it is the flush that delivers
	}
	tool := mcp.NewTool("bug", mcp.WithTaskSupport(mcp.TaskSupportOptional))
	s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return explode() })
	task := ""
	if how == "task" {
		task = `,"task":{"ttl":60000}`
	}
	s.HandleMessage(context.Background(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bug"`+task+`}}`))
	select {} // until the task's goroutine ends the process
}

// TestPanicEndsProcess: the event arrives before the process dies, and the
// process dies as it would have done unwatched.
func TestPanicEndsProcess(t *testing.T) {
	for _, how := range []string{"call", "task"} {
		t.Run(how, func(t *testing.T) {
			run := func(env ...string) (int, string) {
				cmd := exec.Command(os.Args[0])
				cmd.Env = slices.Concat(os.Environ(), env, []string{"MCPGO_CHILD=" + how})
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				var exit *exec.ExitError
				if err := cmd.Run(); !errors.As(err, &exit) {
					t.Fatalf("the child ended with %v", err)
				}
				return exit.ExitCode(), stderr.String()
			}
			wantCode, _ := run("UMPIRE_KEY=")
			collected := newCollector(t)
			code, said := run("UMPIRE_ENDPOINT="+collected.URL, "UMPIRE_KEY=ump_w_test_key", "UMPIRE_SPOOL_DIR=-")
			if code != wantCode || code != 2 {
				t.Errorf("exit code %d, want %d as unwatched, and 2", code, wantCode)
			}
			for _, part := range []string{"panic: assignment to entry in nil map", "mcpgo_test.explode("} {
				if !strings.Contains(said, part) {
					t.Errorf("the trace does not show %q:\n%s", part, said)
				}
			}
			events := collected.all(notCatalog...)
			if len(events) != 1 {
				t.Fatalf("%d events, want 1", len(events))
			}
			checkCrashed(t, events[0], "panic")
		})
	}
}
