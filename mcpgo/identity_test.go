package mcpgo_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// TestClientOfThisRequest: on 2026-07-28 one connection may carry requests of
// several clients. Each is recorded under its own, and one that names none under
// none.
func TestClientOfThisRequest(t *testing.T) {
	for _, r := range []route{routes()[1], routes()[3], routes()[7]} {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			mcpgo.Watch(s, client)
			addMatrix(s)
			c := r.dial(t, s)
			line := r.call("1", "ok", `{"n":"x"}`)
			one := `"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1.2"},`
			c.ask(line)
			c.ask(strings.Replace(line, one, `"io.modelcontextprotocol/clientInfo":{"name":"two","version":"2"},`, 1))
			c.ask(strings.Replace(line, one, ``, 1))
			e := collected.wait(t, client, 3, "call")
			for i, want := range []umpire.Peer{{Name: "tester", Version: "1.2"}, {Name: "two", Version: "2"}, {}} {
				if e[i].Client != want {
					t.Errorf("request %d: client %+v, want %+v", i+1, e[i].Client, want)
				}
			}
		})
	}
}

func TestSessions(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			mcpgo.Watch(s, client)
			sayHello(s, "hello")
			one := r.dial(t, s)
			one.ask(r.call("1", "hello", `{"n":"x"}`))
			one.ask(r.call("2", "hello", `{"n":"x"}`))
			if r.transport == "stdio" {
				one.(*streamConn).close() // a process has one standard input
				one.ask(r.call("3", "hello", `{"n":"x"}`))
				other := newServer()
				mcpgo.Watch(other, client)
				sayHello(other, "hello")
				r.dial(t, other).ask(r.call("1", "hello", `{"n":"x"}`))
			} else {
				r.dial(t, s).ask(r.call("1", "hello", `{"n":"x"}`))
			}
			e := collected.wait(t, client, 3, "call")
			switch same := e[0].Session == e[1].Session && e[0].Session != ""; {
			case !r.session:
				for i := range e {
					if e[i].Session != "" {
						t.Errorf("session %q of a request that has none", e[i].Session)
					}
				}
			case !same || (e[0].Session == e[2].Session) != (r.transport == "stdio"):
				t.Errorf("sessions %q, %q, %q", e[0].Session, e[1].Session, e[2].Session)
			}
			if c, ok := one.(*httpConn); ok && c.session != "" && e[0].Session == c.session {
				t.Error("the transport's session id left the process unhashed")
			}
		})
	}
}

// TestConstantSession: two servers whose clients are in the same project must
// not share a session because mcp-go calls it "stdio" everywhere. What stands for
// it is the process's own.
func TestConstantSession(t *testing.T) {
	sessions := map[string]string{}
	for _, name := range []string{"stdio", "own"} {
		collected := newCollector(t)
		client := collected.newClient(t)
		s := newServer()
		mcpgo.Watch(s, client)
		sayHello(s, "hello")
		r := routes()[2]
		if name == "own" {
			r.open = func(t testing.TB, s *server.MCPServer) conn {
				return memoryConn{t, s, ownSession{server.NewInProcessSession("stdio", nil)}}
			}
		}
		r.dial(t, s).ask(r.call("1", "hello", `{"n":"x"}`))
		sessions[name] = collected.wait(t, client, 1, "call")[0].Session
	}
	if sessions["stdio"] == "" || sessions["stdio"] == sessions["own"] {
		t.Errorf("sessions %q: the constant is taken for an id", sessions)
	}
}

// ownSession is a session of a type that mcp-go does not know.
type ownSession struct{ *server.InProcessSession }

// TestMeta: what a request says of itself in _meta and in its headers.
func TestMeta(t *testing.T) {
	const (
		trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		span  = "00f067aa0ba902b7"
		id    = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"
	)
	type said struct{ trace, span, id, platform string }
	tests := []struct {
		name, meta    string
		header, value string
		want          said
		session       bool
	}{
		{"nothing", ``, "", "", said{platform: "other"}, false},
		{"traceparent", `,"traceparent":"00-` + trace + `-` + span + `-01"`, "", "", said{trace, span, "", "other"}, false},
		{"traceparent of a later version", `,"traceparent":"01-` + trace + `-` + span + `-01-more"`, "", "", said{trace, span, "", "other"}, false},
		{"traceparent of zeros", `,"traceparent":"00-00000000000000000000000000000000-` + span + `-01"`, "", "", said{platform: "other"}, false},
		{"traceparent that is no text", `,"traceparent":7`, "", "", said{platform: "other"}, false},
		{"conversation", `,"openai/session":"v1/abc"`, "", "", said{platform: "other"}, true},
		{"the proxy's id", ``, "Umpire-Call", id, said{id: id, platform: "other"}, false},
		{"an id that is none", ``, "Umpire-Call", "1", said{platform: "other"}, false},
		{"user agent", ``, "User-Agent", "Cursor/1.7.33 (darwin arm64)", said{platform: "cursor"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			mcpgo.Watch(s, client)
			sayHello(s, "hello")
			r := routes()[7]
			c := r.dial(t, s).(*httpConn)
			if tt.header != "" {
				c.header.Set(tt.header, tt.value)
			}
			line := r.call("1", "hello", `{"n":"x"}`)
			c.ask(strings.TrimSuffix(line, "}}}") + tt.meta + "}}}")
			e := collected.wait(t, client, 1, "call")[0]
			got := said{e.TraceID, e.SpanID, e.ID.String(), e.Platform}
			if tt.want.id == "" {
				if e.ID.IsZero() {
					t.Error("no id")
				}
				got.id = ""
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if (e.Session != "") != tt.session {
				t.Errorf("session %q, want one: %v", e.Session, tt.session)
			}
		})
	}
}

// TestConversationBeforeProcess: outcomes.md 6.1 puts the conversation's id
// before the process.
func TestConversationBeforeProcess(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	sayHello(s, "hello")
	r := routes()[3]
	c := r.dial(t, s)
	line := r.call("1", "hello", `{"n":"x"}`)
	c.ask(line)
	for range 2 {
		c.ask(strings.TrimSuffix(line, "}}}") + `,"openai/session":"v1/abc"}}}`)
	}
	e := collected.wait(t, client, 3, "call")
	if e[1].Session == "" || e[1].Session != e[2].Session || e[0].Session == e[1].Session {
		t.Errorf("sessions %q, %q, %q", e[0].Session, e[1].Session, e[2].Session)
	}
}

// TestServerAsInHandshake: a hook may rename the server for its clients.
func TestServerAsInHandshake(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	hooks := new(server.Hooks)
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, res *mcp.InitializeResult) {
		res.ServerInfo = mcp.Implementation{Name: "renamed", Version: "2"}
	})
	s := newServer(server.WithHooks(hooks))
	mcpgo.Watch(s, client)
	sayHello(s, "hello")
	r := routes()[0]
	r.dial(t, s).ask(r.call("1", "hello", `{"n":"x"}`))
	if e := collected.wait(t, client, 1, "call")[0]; e.Server != (umpire.Peer{Name: "renamed", Version: "2"}) {
		t.Errorf("server %+v, want renamed 2", e.Server)
	}
}

// TestWithoutTransport: somebody who hands messages to the server himself.
func TestWithoutTransport(t *testing.T) {
	for _, session := range []server.ClientSession{nil, ownSession{server.NewInProcessSession("his own", nil)}} {
		collected := newCollector(t)
		client := collected.newClient(t)
		s := newServer()
		mcpgo.Watch(s, client)
		sayHello(s, "hello")
		ctx := context.Background()
		if session != nil {
			ctx = s.WithContext(ctx, session)
		}
		s.HandleMessage(ctx, json.RawMessage(routes()[0].call("1", "hello", `{"n":"x"}`)))
		e := collected.wait(t, client, 1, "call")[0]
		if e.Transport != "" || (e.Session != "") != (session != nil) {
			t.Errorf("transport %q, session %q", e.Transport, e.Session)
		}
	}
}

// TestPeek fails when a version of the SDK keeps elsewhere what is looked up.
// What each fact is for is tested with the events; here is told which of them is
// missing.
func TestPeek(t *testing.T) {
	if got := mcpgo.PeekServer(newServer()); got != (umpire.Peer{Name: "bench", Version: "0.9"}) {
		t.Errorf("server %+v", got)
	}
	if got := mcpgo.PeekServer(nil); got != (umpire.Peer{}) {
		t.Errorf("server %+v of none", got)
	}
	s := newServer()
	type key struct{}
	own := context.WithValue(context.Background(), key{}, 1)
	addFor(s, "look", needsN, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if got := mcpgo.PeekTransport(ctx); got != own {
			t.Errorf("the transport's context is %v, want %v", got, own)
		}
		return mcp.NewToolResultText("x"), nil
	})
	s.HandleMessage(own, json.RawMessage(routes()[0].call("1", "look", `{"n":"x"}`)))
	for _, ctx := range []context.Context{context.Background(), own, odd{}, nil} {
		if got := mcpgo.PeekTransport(ctx); got != nil {
			t.Errorf("transport's context %v of one that has none", got)
		}
	}
}

// odd is a context that is no struct with a parent.
type odd struct{ context.Context }

func (odd) Value(any) any { panic("no values here") }

// TestHeadersOnly: a session of another type, behind HTTP headers, is on HTTP.
func TestHeadersOnly(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	sayHello(s, "hello")
	s.GetHooks().OnBeforeCallTool = append([]server.OnBeforeCallToolFunc{func(_ context.Context, _ any, r *mcp.CallToolRequest) {
		r.Header = http.Header{"User-Agent": {"Cursor/1.0"}}
	}}, s.GetHooks().OnBeforeCallTool...)
	s.HandleMessage(context.Background(), json.RawMessage(routes()[0].call("1", "hello", `{"n":"x"}`)))
	if e := collected.wait(t, client, 1, "call")[0]; e.Transport != "http" || e.Platform != "cursor" {
		t.Errorf("transport %q, platform %q", e.Transport, e.Platform)
	}
}
