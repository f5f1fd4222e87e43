package gosdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// TestClientOfThisRequest: on 2026-07-28 one connection may carry requests of
// several clients. Each is recorded under its own, and one that names none
// under none.
func TestClientOfThisRequest(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	addMatrix(server)
	p := openPipe(t, server, modern)
	ask := func(id int, info string) {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ok","arguments":{"n":"x"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",%s"io.modelcontextprotocol/clientCapabilities":{}}}}`, id, info))
		p.read()
	}
	ask(1, `"io.modelcontextprotocol/clientInfo":{"name":"one","version":"1"},`)
	ask(2, `"io.modelcontextprotocol/clientInfo":{"name":"two","version":"2"},`)
	ask(3, ``)
	events := collected.wait(t, client, 3, "call")
	for i, want := range []umpire.Peer{{Name: "one", Version: "1"}, {Name: "two", Version: "2"}, {}} {
		if events[i].Client != want {
			t.Errorf("request %d: client %+v, want %+v", i+1, events[i].Client, want)
		}
	}
}

// TestAgreedProtocol: what counts is what the handshake agreed on, not what the
// client asked for.
func TestAgreedProtocol(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	addMatrix(server)
	p := openPipe(t, server, modern) // which sends no handshake
	p.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`)
	p.read()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ok","arguments":{"n":"x"}}}`)
	p.read()
	if e := collected.wait(t, client, 1, "call")[0]; e.Protocol != legacy {
		t.Errorf("protocol %q, want %q", e.Protocol, legacy)
	}
}

// TestServerAsInHandshake: middleware may rename the server for its clients.
func TestServerAsInHandshake(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if r, ok := res.(*mcp.InitializeResult); ok {
				r.ServerInfo = &mcp.Implementation{Name: "renamed", Version: "2"}
			}
			return res, err
		}
	})
	gosdk.Watch(server, client)
	sayHello(server, "hello")
	callTool(t, routes()[0].dial(t, server, nil), "hello")
	if e := collected.wait(t, client, 1, "call")[0]; e.Server != (umpire.Peer{Name: "renamed", Version: "2"}) {
		t.Errorf("server %+v, want renamed 2", e.Server)
	}
}

func TestSessions(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			gosdk.Watch(server, client)
			sayHello(server, "hello")
			one := r.dial(t, server, nil)
			two := r
			if r.transport == "memory" { // each connection has pipes of its own
				two.open = memory
			}
			other := two.dial(t, server, nil)
			for _, cs := range []*mcp.ClientSession{one, one, other} {
				callTool(t, cs, "hello")
			}
			e := collected.wait(t, client, 3, "call")
			if !r.session {
				for i := range e {
					if e[i].Session != "" {
						t.Errorf("session %q of a request that has none", e[i].Session)
					}
				}
				return
			}
			if e[0].Session == "" || e[0].Session != e[1].Session || e[0].Session == e[2].Session {
				t.Errorf("sessions %q, %q, %q; want the first two the same and the third another", e[0].Session, e[1].Session, e[2].Session)
			}
			if id := one.ID(); id != "" && e[0].Session == id {
				t.Errorf("the transport's session id %q left the process unhashed", id)
			}
		})
	}
}

// TestMeta: what a request says of itself in _meta and in its headers.
func TestMeta(t *testing.T) {
	const (
		trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		span  = "00f067aa0ba902b7"
	)
	id := umpire.NewID().String() // a fresh one: an id is taken once in a process
	type said struct{ trace, span, id, platform, transport string }
	tests := []struct {
		name, meta string
		header     []string
		want       said
		session    bool
	}{
		{"nothing", ``, nil, said{transport: "http", platform: "unknown"}, false},
		{"traceparent", `,"traceparent":"00-` + trace + `-` + span + `-01"`, nil, said{trace, span, "", "unknown", "http"}, false},
		{"traceparent of a later version", `,"traceparent":"01-` + trace + `-` + span + `-01-more"`, nil, said{trace, span, "", "unknown", "http"}, false},
		{"traceparent of zeros", `,"traceparent":"00-00000000000000000000000000000000-` + span + `-01"`, nil, said{platform: "unknown", transport: "http"}, false},
		{"traceparent in capitals", `,"traceparent":"00-4BF92F3577B34DA6A3CE929D0E0E4736-` + span + `-01"`, nil, said{platform: "unknown", transport: "http"}, false},
		{"traceparent that is none", `,"traceparent":"00-x"`, nil, said{platform: "unknown", transport: "http"}, false},
		{"traceparent that is no text", `,"traceparent":7`, nil, said{platform: "unknown", transport: "http"}, false},
		{"conversation", `,"openai/session":"v1/abc"`, nil, said{platform: "unknown", transport: "http"}, true},
		{"the proxy's id", ``, []string{"Umpire-Call", id}, said{id: id, platform: "unknown", transport: "http"}, false},
		{"an id that is none", ``, []string{"Umpire-Call", "1"}, said{platform: "unknown", transport: "http"}, false},
		{"user agent", ``, []string{"User-Agent", "Cursor/1.7.33 (darwin arm64)"}, said{platform: "cursor", transport: "http"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			gosdk.Watch(server, client)
			sayHello(server, "hello")
			h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
			post(t, h, modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"n":"x"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`+tt.meta+`}}}`, tt.header...)
			e := collected.wait(t, client, 1, "call")[0]
			got := said{e.TraceID, e.SpanID, e.ID.String(), e.Platform, e.Transport}
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

// TestConversationBeforeConnection: outcomes.md 6.1 puts the conversation's id
// before the process.
func TestConversationBeforeConnection(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	sayHello(server, "hello")
	var sessions []string
	for i := range 2 {
		cs := routes()[0].dial(t, server, nil)
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "hello", Arguments: in{"x"}, Meta: mcp.Meta{"openai/session": "v1/abc"}}); err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, collected.wait(t, client, i+1, "call")[i].Session)
	}
	if sessions[0] == "" || sessions[0] != sessions[1] {
		t.Errorf("sessions %q: want the same, not empty", sessions)
	}
}

// TestTransports: what the middleware cannot truly tell, it does not tell.
func TestTransports(t *testing.T) {
	sse := func(t testing.TB, server *mcp.Server) mcp.Transport {
		h := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
		t.Cleanup(h.Close)
		return &mcp.SSEClientTransport{Endpoint: h.URL}
	}
	logged := func(t testing.TB, server *mcp.Server) mcp.Transport {
		here, there := mcp.NewInMemoryTransports()
		if _, err := server.Connect(context.Background(), &mcp.LoggingTransport{Transport: there, Writer: discard{}}, nil); err != nil {
			t.Fatal(err)
		}
		return here
	}
	for _, tt := range []struct {
		route
		want string
	}{
		{route{name: "sse", protocol: legacy, open: sse}, "sse"},
		{route{name: "logged memory", protocol: legacy, open: logged}, "memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			gosdk.Watch(server, client)
			sayHello(server, "hello")
			callTool(t, tt.dial(t, server, nil), "hello")
			e := collected.wait(t, client, 1, "call")[0]
			if e.Transport != tt.want || e.Session == "" {
				t.Errorf("transport %q, session %q; want %q and a session", e.Transport, e.Session, tt.want)
			}
		})
	}
	t.Run("somebody's pipe", func(t *testing.T) {
		collected := newCollector(t)
		client := collected.newClient(t)
		server := newServer()
		gosdk.Watch(server, client)
		addMatrix(server)
		p := openPipe(t, server, legacy)
		p.call("1", "ok")
		p.read()
		if e := collected.wait(t, client, 1, "call")[0]; e.Transport != "" {
			t.Errorf("transport %q, want none", e.Transport)
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
