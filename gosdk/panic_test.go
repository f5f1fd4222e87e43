package gosdk_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
	"github.com/umpire-mcp/umpire/internal/away"
)

// TestMain is also the server of the tests below: panics end processes, so
// they happen in one of their own.
func TestMain(m *testing.M) {
	if transport := os.Getenv("GOSDK_CHILD"); transport != "" {
		child(transport)
		return
	}
	os.Exit(m.Run())
}

func child(transport string) {
	if transport == "sessions" {
		sessionsChild()
		return
	}
	if transport == "wire" {
		wireChild()
		return
	}
	server := newServer()
	if os.Getenv("UMPIRE_KEY") != "" {
		client := umpire.New(umpire.Options{FlushInterval: time.Hour}) // it is the flush that delivers
		if os.Getenv("GOSDK_CLOSES") != "" {
			defer func() { _ = client.Close(context.Background()) }()
		}
		gosdk.Watch(server, client)
	}
	typed(server, "nil_map", func() (*mcp.CallToolResult, any, error) { return explode() })
	typed(server, "text", func() (*mcp.CallToolResult, any, error) { panic("it rained on max@example.com") })
	typed(server, "error", func() (*mcp.CallToolResult, any, error) { panic(fmt.Errorf("cannot boot: %w", notFound{})) })
	typed(server, "nil_value", func() (*mcp.CallToolResult, any, error) { panic(nil) })
	typed(server, "goexit", func() (*mcp.CallToolResult, any, error) { runtime.Goexit(); return nil, nil, nil })
	untyped(server, "nothing", func() (*mcp.CallToolResult, error) { return nil, nil })
	sayHello(server, "hello")
	for name, end := range ends {
		typed(server, name, func() (*mcp.CallToolResult, any, error) { end(); return nil, nil, nil })
	}
	gosdk.AddTool(server, &mcp.Tool{Name: "marked_exit"}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
		os.Exit(3)
		return nil, nil, nil
	})
	if transport == "stdio" {
		_ = server.Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("http://" + l.Addr().String())
	_ = http.Serve(l, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
}

// explode is looked for in the stack trace of the dying process.
func explode() (*mcp.CallToolResult, any, error) {
	noMap()["x"] = 1
	return nil, nil, nil
}

// process is a watched server that runs in a process of its own.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func start(t *testing.T, transport string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), append(env, "GOSDK_CHILD="+transport)...)
	p.Stderr = &p.stderr
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

func (p *process) ask(t *testing.T, line string) string {
	t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return answer
}

// call makes the child call tool, in the protocol asked for.
func (p *process) call(t *testing.T, protocol, tool string) string {
	t.Helper()
	meta := ""
	if protocol == modern {
		meta = "," + wireMeta
	} else {
		handshake, _ := script(protocol)
		p.ask(t, handshake[0])
		if _, err := io.WriteString(p.in, handshake[1]+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	return p.ask(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{"n":"x"}`+meta+`}}`)
}

// exit waits for the child and returns its exit code and what it said.
func (p *process) exit(t *testing.T) (int, string) {
	t.Helper()
	_, _ = io.Copy(io.Discard, p.out)
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), p.stderr.String()
}

func pointAt(endpoint, spool string) []string {
	return []string{"UMPIRE_ENDPOINT=" + endpoint, "UMPIRE_KEY=ump_w_test_key", "UMPIRE_SPOOL_DIR=" + spool}
}

// TestPanic: the event arrives before the process dies, and the process dies as
// it would have done unwatched (outcomes.md 2.9).
func TestPanic(t *testing.T) {
	tests := []struct {
		tool, errType, message string
		trace                  []string // what the trace must show
	}{
		{"nil_map", "panic:nil_map", "assignment to entry in nil map", []string{"panic: assignment to entry in nil map", "gosdk_test.explode("}},
		{"text", "panic:string", "it rained on [EMAIL_REDACTED]", []string{"panic: it rained on max@example.com", "gosdk_test.child.func"}},
		{"error", "panic:fmt.wrapError", "cannot boot: no such kernel", []string{"cannot boot: no such kernel", "gosdk_test.child.func"}},
		{"nil_value", "panic:runtime.PanicNilError", "panic called with nil argument", []string{"panic called with nil argument", "gosdk_test.child.func"}},
	}
	for _, protocol := range []string{legacy, modern} {
		for _, tt := range tests {
			t.Run(tt.tool+" "+protocol, func(t *testing.T) {
				plain := start(t, "stdio")
				if answer := plain.call(t, protocol, tt.tool); answer != "" {
					t.Fatalf("the unwatched server answered %s", answer)
				}
				wantCode, _ := plain.exit(t)

				collected := newCollector(t)
				p := start(t, "stdio", pointAt(collected.URL, "-")...)
				if answer := p.call(t, protocol, tt.tool); answer != "" {
					t.Errorf("the client got %s, want nothing", answer)
				}
				code, said := p.exit(t)
				if code != wantCode || code != 2 {
					t.Errorf("exit code %d, want %d as unwatched, and 2", code, wantCode)
				}
				for _, part := range tt.trace {
					if !strings.Contains(said, part) {
						t.Errorf("the trace does not show %q:\n%s", part, said)
					}
				}
				events := collected.all("call")
				if len(events) != 1 {
					t.Fatalf("%d events, want 1", len(events))
				}
				e := events[0]
				checkCrashed(t, e, "panic", false)
				if e.Transport != "stdio" || e.HandlerRan != "yes" || e.Evidence != "observed" || e.Session == "" {
					t.Errorf("transport %q, ran %q, evidence %q, session %q", e.Transport, e.HandlerRan, e.Evidence, e.Session)
				}
				if e.ErrorType != tt.errType || e.ErrorMessage != tt.message {
					t.Errorf("error_type %q, message %q; want %q, %q", e.ErrorType, e.ErrorMessage, tt.errType, tt.message)
				}
			})
		}
	}
}

func TestPanicOverHTTP(t *testing.T) {
	collected := newCollector(t)
	p := start(t, "http", pointAt(collected.URL, "-")...)
	url, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: strings.TrimSpace(url), MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "nil_map", Arguments: in{"x"}}); err == nil {
		t.Error("the call was answered")
	}
	if code, said := p.exit(t); code != 2 || !strings.Contains(said, "gosdk_test.explode(") {
		t.Errorf("exit code %d; trace:\n%s", code, said)
	}
	events := collected.all("call")
	if len(events) != 1 {
		t.Fatalf("%d events, want 1", len(events))
	}
	checkCrashed(t, events[0], "panic", false)
	if events[0].Transport != "http" {
		t.Errorf("transport %q, want http", events[0].Transport)
	}
}

// TestPanicWhileCollectorIsDown: what cannot be delivered is on disk, and the
// next process takes it there.
func TestPanicWhileCollectorIsDown(t *testing.T) {
	address, spool := away.Address(t), t.TempDir()
	p := start(t, "stdio", pointAt("http://"+address, spool)...)
	p.call(t, modern, "nil_map")
	if code, said := p.exit(t); code != 2 {
		t.Fatalf("exit code %d, want 2:\n%s", code, said)
	}

	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	collected := &collector{}
	collected.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(collected.take)}}
	collected.Start()
	defer collected.Close()
	client := collected.newClient(t, func(o *umpire.Options) { o.SpoolDir = spool })
	e := collected.wait(t, client, 1, "call")[0]
	checkCrashed(t, e, "panic", false)
}

// TestGoexit: the handler leaves without an answer, and the process lives on.
func TestGoexit(t *testing.T) {
	collected := newCollector(t)
	p := start(t, "stdio", pointAt(collected.URL, "-")...)
	handshake, _ := script(legacy)
	p.ask(t, handshake[0])
	for _, line := range []string{
		handshake[1],
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"goexit","arguments":{"n":"x"}}}`,
	} {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patience); len(collected.all("call")) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no event")
		}
	}
	checkCrashed(t, collected.all("call")[0], "panic", false)
	if answer := p.ask(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello","arguments":{"n":"x"}}}`); !strings.Contains(answer, "hello") {
		t.Errorf("the next call was answered %q", answer)
	}
}

// TestNoResult: on 2026-07-28 the SDK dies of a missing result, outside of
// every middleware.
func TestNoResult(t *testing.T) {
	for _, tt := range []struct {
		protocol, answer string
		code             int
	}{
		{legacy, `{"jsonrpc":"2.0","id":1,"result":null}`, 0},
		{modern, "", 2},
	} {
		t.Run(tt.protocol, func(t *testing.T) {
			collected := newCollector(t)
			p := start(t, "stdio", pointAt(collected.URL, "-")...)
			if answer := strings.TrimSpace(p.call(t, tt.protocol, "nothing")); answer != tt.answer {
				t.Errorf("answer %q, want %q", answer, tt.answer)
			}
			if tt.code == 0 {
				_ = p.in.Close()
				_ = p.Wait()
				return // the child has no Close: what it did not flush it did not send
			}
			if code, said := p.exit(t); code != tt.code {
				t.Errorf("exit code %d, want %d:\n%s", code, tt.code, said)
			}
			events := collected.all("call")
			if len(events) != 1 {
				t.Fatalf("%d events, want 1", len(events))
			}
			checkCrashed(t, events[0], "no_result", false)
			if events[0].HandlerRan != "yes" || events[0].ResponseBytes != nil {
				t.Errorf("ran %q, response_bytes %v", events[0].HandlerRan, events[0].ResponseBytes)
			}
		})
	}
}

func TestNoResultLegacy(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	untyped(server, "nothing", func() (*mcp.CallToolResult, error) { return nil, nil })
	p := openPipe(t, server, legacy)
	p.call("1", "nothing")
	p.read()
	checkCrashed(t, collected.wait(t, client, 1, "call")[0], "no_result", false)
}

// TestWithRecover: only who asks for it gets an answer in place of a panic.
func TestWithRecover(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			gosdk.Watch(server, client, gosdk.WithRecover())
			typed(server, "nil_map", func() (*mcp.CallToolResult, any, error) { return explode() })
			res := callTool(t, r.dial(t, server, nil), "nil_map")
			if len(res.Content) != 1 || !res.IsError || res.Content[0].(*mcp.TextContent).Text != "internal error" {
				t.Errorf("the client got %+v", res)
			}
			checkCrashed(t, collected.wait(t, client, 1, "call")[0], "panic", false)
		})
	}
}
