package gosdk_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// addWaiting adds the tool "wait", whose calls say so on entered, and end by
// what is sent on leave, whatever their context says.
func addWaiting(s *mcp.Server) (entered chan struct{}, leave chan error) {
	entered, leave = make(chan struct{}), make(chan error)
	typed(s, "wait", func() (*mcp.CallToolResult, any, error) {
		entered <- struct{}{}
		return text("done"), nil, <-leave
	})
	return entered, leave
}

// addObedient adds the tool "obey", whose calls end with their context.
func addObedient(s *mcp.Server) (entered chan struct{}) {
	entered = make(chan struct{})
	mcp.AddTool(s, &mcp.Tool{Name: "obey"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	return entered
}

func checkCancelled(t *testing.T, e umpire.Event, late bool) {
	t.Helper()
	if e.Kind != "cancelled" || e.Outcome != "" || e.Late != late || (e.DurationUS != nil) != late {
		t.Errorf("kind %q, outcome %q, late %v, duration %v; want cancelled, none, %v and a duration only if late", e.Kind, e.Outcome, e.Late, e.DurationUS, late)
	}
}

func checkCrashed(t *testing.T, e umpire.Event, cause string, late bool) {
	t.Helper()
	if e.Kind != "call" || e.Outcome != umpire.Crashed || e.Cause != cause || e.Late != late {
		t.Errorf("kind %q, outcome %q, cause %q, late %v; want a call, crashed, %q, %v", e.Kind, e.Outcome, e.Cause, e.Late, cause, late)
	}
}

// TestCancelByClient has the SDK's own client give up, as it does it.
func TestCancelByClient(t *testing.T) {
	for _, r := range []route{routes()[0], routes()[1], routes()[2]} {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			entered := addObedient(server)
			addMatrix(server)
			gosdk.Watch(server, client)
			cs := r.dial(t, server, nil)

			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-entered; cancel() }()
			if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "obey", Arguments: in{"x"}}); err == nil {
				t.Fatal("the call was not cancelled")
			}
			checkCancelled(t, collected.wait(t, client, 1, notCatalog...)[0], true)

			// The session goes on.
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "ok", Arguments: in{"x"}}); err != nil {
				t.Fatal(err)
			}
			if e := collected.wait(t, client, 2, notCatalog...)[1]; e.Kind != "call" || e.Outcome != umpire.OK {
				t.Errorf("the next call is %q, %q; want call, ok", e.Kind, e.Outcome)
			}
		})
	}
}

// TestCancelReason sends the notification by hand, because its reason decides.
func TestCancelReason(t *testing.T) {
	tests := []struct {
		name, reason string
		check        func(*testing.T, umpire.Event)
	}{
		{"withdrawn", `"the user pressed stop"`, func(t *testing.T, e umpire.Event) { checkCancelled(t, e, true) }},
		{"Go's own words", `"context deadline exceeded"`, func(t *testing.T, e umpire.Event) { checkCancelled(t, e, true) }},
		{"no reason", `""`, func(t *testing.T, e umpire.Event) { checkCancelled(t, e, true) }},
		{"waited in vain", `"MCP error -32001: Request timed out"`, func(t *testing.T, e umpire.Event) { checkCrashed(t, e, "timeout", true) }},
	}
	for _, obedient := range []bool{true, false} {
		for _, protocol := range []string{legacy, modern} {
			for _, tt := range tests {
				t.Run(fmt.Sprintf("%s, %s, obedient %v", tt.name, protocol, obedient), func(t *testing.T) {
					collected := newCollector(t)
					client := collected.newClient(t)
					server := newServer()
					obeying := addObedient(server)
					waiting, leave := addWaiting(server)
					gosdk.Watch(server, client)
					p := openPipe(t, server, protocol)
					// Another call of the same session must not be taken for this one.
					p.call("7", "wait")
					<-waiting
					tool, entered := "wait", waiting
					if obedient {
						tool, entered = "obey", obeying
					}
					p.call(`"7"`, tool)
					<-entered
					p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7","reason":` + tt.reason + `}}`)
					if obedient {
						tt.check(t, collected.wait(t, client, 1, notCatalog...)[0])
					} else {
						p.send(`{"jsonrpc":"2.0","id":"ping","method":"` + map[string]string{legacy: "ping", modern: "no/ping"}[protocol] + `"}`)
						p.read() // the notification was taken in before
						leave <- nil
					}
					leave <- nil
					var other umpire.Event
					for _, e := range collected.wait(t, client, 2, notCatalog...) {
						if e.Outcome == umpire.OK {
							other = e
							continue
						}
						tt.check(t, e)
					}
					if other.Kind != "call" || other.Late {
						t.Errorf("the other call is not a plain ok: %s", brief([]umpire.Event{other}))
					}
					p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"too late"}}`)
					p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
					p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
					p.send(`{"jsonrpc":"2.0","id":"ping","method":"no/ping"}`)
					p.read()
					collected.wait(t, client, 2, notCatalog...)
				})
			}
		}
	}
}

// pipe is a client by hand.
type pipe struct {
	t        *testing.T
	protocol string
	w        io.WriteCloser
	r        *bufio.Reader
}

func openPipe(t *testing.T, server *mcp.Server, protocol string) *pipe {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ss, err := server.Connect(context.Background(), &mcp.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &pipe{t, protocol, toServer, bufio.NewReader(fromServer)}
	t.Cleanup(func() {
		_ = toServer.Close()
		_ = fromServer.Close()
		_ = ss.Close()
	})
	handshake, _ := script(protocol)
	for i, line := range handshake {
		p.send(line)
		if i == 0 {
			p.read()
		}
	}
	return p
}

func (p *pipe) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.w, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipe) read() string {
	p.t.Helper()
	line, err := p.r.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return line
}

func (p *pipe) call(id, tool string) {
	p.t.Helper()
	meta := ""
	if p.protocol == modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	}
	p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"n":"x"}` + meta + `}}`)
}

// TestConnectionEnds closes the pipe under a call: nobody gets its answer
// (outcomes.md 1.3).
func TestConnectionEnds(t *testing.T) {
	for _, protocol := range []string{legacy, modern} {
		t.Run(protocol, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			entered := addObedient(server)
			gosdk.Watch(server, client)
			p := openPipe(t, server, protocol)
			p.call("1", "obey")
			<-entered
			_ = p.w.Close()
			e := collected.wait(t, client, 1, notCatalog...)[0]
			checkCrashed(t, e, "no_reply", false)
			if e.DurationUS != nil {
				t.Errorf("duration %d of a call without an answer", *e.DurationUS)
			}
		})
	}
}

// TestStreamCloses has the client hang up its HTTP request, without a word.
func TestStreamCloses(t *testing.T) {
	tests := []struct {
		name, protocol string
		options        mcp.StreamableHTTPOptions
		want           string
	}{
		{"before 2026-07-28 the answer decides", legacy, mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}, "call"},
		{"from 2026-07-28 on it cancels", modern, mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}, "cancelled"},
		{"the SDK does not tell unless asked to", modern, mcp.StreamableHTTPOptions{Stateless: true}, "call"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			entered, leave := addWaiting(server)
			gosdk.Watch(server, client)
			hungUp := make(chan struct{})
			inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &tt.options)
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				context.AfterFunc(r.Context(), func() { close(hungUp) })
				inner.ServeHTTP(w, r)
			}))
			defer h.Close()

			ctx, hangUp := context.WithCancel(t.Context())
			meta := ""
			if tt.protocol == modern {
				meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewBufferString(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"n":"x"}`+meta+`}}`))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Protocol-Version": tt.protocol, "Mcp-Method": "tools/call", "Mcp-Name": "wait",
			} {
				req.Header.Set(name, value)
			}
			go func() { <-entered; hangUp() }()
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			<-hungUp
			leave <- nil
			e := collected.wait(t, client, 1, notCatalog...)[0]
			if tt.want == "cancelled" {
				checkCancelled(t, e, true)
			} else if e.Kind != "call" || e.Outcome != umpire.OK {
				t.Errorf("kind %q, outcome %q; want call, ok", e.Kind, e.Outcome)
			}
		})
	}
}

// direct answers the client's HTTP requests without a network, for tests in a
// bubble of fake time.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestHeld checks when the event of a call that was given up is sent.
func TestHeld(t *testing.T) {
	tests := []struct {
		name     string
		reason   string
		answer   time.Duration // after the call began; the cancellation comes after 5 s
		wantAt   time.Duration
		check    func(*testing.T, umpire.Event, bool)
		wantLate bool // late
	}{
		{"answered soon", "stop", 7 * time.Second, 7 * time.Second, checkCancelled, true},
		{"answered a minute later", "stop", 5*time.Second + 61*time.Second, 65 * time.Second, checkCancelled, false},
		{"timed out, answered soon", "Request timed out", 7 * time.Second, 7 * time.Second, func(t *testing.T, e umpire.Event, late bool) { checkCrashed(t, e, "timeout", late) }, true},
		{"timed out, answered never", "Request timed out", time.Hour, 65 * time.Second, func(t *testing.T, e umpire.Event, late bool) { checkCrashed(t, e, "timeout", late) }, false},
		{"no word but a cancelled context", "", 7 * time.Second, 7*time.Second + 100*time.Millisecond, checkCancelled, true},
		{"no word, and no answer", "", time.Hour, 65 * time.Second, checkCancelled, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				collected := new(collector)
				client := umpire.New(umpire.Options{
					Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", FlushInterval: time.Millisecond,
					HTTPClient: &http.Client{Transport: direct{http.HandlerFunc(collected.take)}},
				})
				server := newServer()
				var cancelContext context.CancelFunc
				if tt.reason == "" {
					// As the SDK does it for an HTTP stream that was closed.
					defer func() { cancelContext() }()
				}
				entered, leave := addWaiting(server)
				gosdk.Watch(server, client)
				server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
						if method == "tools/call" {
							ctx, cancelContext = context.WithCancel(ctx)
						}
						return next(ctx, method, req)
					}
				})
				start := time.Now()
				p := openPipe(t, server, legacy)
				p.call("1", "wait")
				<-entered
				time.Sleep(5 * time.Second)
				if tt.reason == "" {
					cancelContext()
				} else {
					p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"` + tt.reason + `"}}`)
				}
				go func() {
					time.Sleep(tt.answer - 5*time.Second)
					leave <- nil
					p.read()
				}()
				time.Sleep(tt.wantAt - 5*time.Second - time.Millisecond)
				synctest.Wait()
				if n := len(collected.all(notCatalog...)); n != 0 {
					t.Errorf("%d events after %v, want them after %v", n, time.Since(start), tt.wantAt)
				}
				time.Sleep(50 * time.Millisecond)
				synctest.Wait()
				if n := len(collected.all(notCatalog...)); n != 1 {
					t.Errorf("%d events after %v, want 1", n, time.Since(start))
				}
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				events := collected.all(notCatalog...)
				if len(events) != 1 {
					t.Fatalf("%d events in the end, want 1", len(events))
				}
				tt.check(t, events[0], tt.wantLate)
				if err := client.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
