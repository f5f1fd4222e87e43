package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

const older = "2025-06-18"

type userKey struct{}

// whoIs knows a sender by a header, by the context of a call in the same process,
// or as the one whom a process serves.
func whoIs(ctx context.Context, header http.Header) string {
	if user := header.Get("X-User"); user != "" {
		return user
	}
	if user, ok := ctx.Value(userKey{}).(string); ok {
		return user
	}
	return os.Getenv("TEST_USER")
}

// A way is a way for several clients to reach what passes for one server.
type way struct {
	name      string
	protocols []string
	transport string
	// sessions: "own" where each connection is one, "derived" where the user makes it.
	sessions string
	// anonymous is set where requests do not tell their client.
	anonymous bool
	open      func(t *testing.T, collected *collector, s func() *server.MCPServer) (dial func(user string) (*mcpclient.Client, error))
}

type dialer = func(user string) (*mcpclient.Client, error)

// streamable serves one server to all, or a new one to each request.
func streamable(stateless, anew bool) func(*testing.T, *collector, func() *server.MCPServer) dialer {
	return func(t *testing.T, _ *collector, s func() *server.MCPServer) dialer {
		serving := func() http.Handler {
			return server.NewStreamableHTTPServer(s(), server.WithStateLess(stateless), server.WithEndpointPath("/"))
		}
		one := serving()
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if anew {
				serving().ServeHTTP(w, r)
				return
			}
			one.ServeHTTP(w, r)
		}))
		t.Cleanup(h.Close)
		return func(user string) (*mcpclient.Client, error) {
			return mcpclient.NewStreamableHttpClient(h.URL, transport.WithHTTPHeaders(map[string]string{"X-User": user}))
		}
	}
}

func ways() []way {
	all, old, now := []string{older, legacy, modern}, []string{older, legacy}, []string{modern}
	return []way{
		{"memory", all, "memory", "own", false, func(_ *testing.T, _ *collector, s func() *server.MCPServer) dialer {
			one := s()
			return func(string) (*mcpclient.Client, error) { return mcpclient.NewInProcessClient(one) }
		}},
		{"stdio", all, "stdio", "own", false, func(_ *testing.T, collected *collector, _ func() *server.MCPServer) dialer {
			return func(user string) (*mcpclient.Client, error) {
				return mcpclient.NewStdioMCPClient(os.Args[0], []string{
					"MCPGO_CHILD=sessions", "TEST_USER=" + user,
					"UMPIRE_ENDPOINT=" + collected.URL, "UMPIRE_KEY=ump_w_test_key", "UMPIRE_SPOOL_DIR=-",
				})
			}
		}},
		{"sse", old, "sse", "own", false, func(t *testing.T, _ *collector, s func() *server.MCPServer) dialer {
			h := servertest.NewTestServer(s())
			t.Cleanup(h.Close)
			return func(user string) (*mcpclient.Client, error) {
				return mcpclient.NewSSEMCPClient(h.URL+"/sse", transport.WithHeaders(map[string]string{"X-User": user}))
			}
		}},
		{"http stateful", old, "http", "own", false, streamable(false, false)},
		{"http stateless", old, "http", "derived", true, streamable(true, false)},
		{"http stateless, a server for each request", old, "http", "derived", true, streamable(true, true)},
		{"http", now, "http", "derived", false, streamable(false, false)},
		{"http, a server for each request", now, "http", "derived", false, streamable(true, true)},
	}
}

// sessionsServer repeats what it is told.
func sessionsServer(client *umpire.Client) *server.MCPServer {
	s := newServer()
	mcpgo.Watch(s, client, mcpgo.WithIdentify(whoIs))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("n")), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		client.Track(ctx, r.GetString("n", ""), nil)
		return mcp.NewToolResultText(r.GetString("n", "")), nil
	})
	return s
}

// withInput sends arguments along: by them the tests know whose a call really was.
func withInput(o *umpire.Options) { o.Capture.Input = true }

func sessionsChild() {
	client := umpire.New(umpire.Options{Capture: umpire.Capture{Input: true}})
	_ = server.ServeStdio(sessionsServer(client))
	_ = client.Close(context.Background())
}

// shake connects a client, and fails if it speaks another protocol than it should.
func shake(c *mcpclient.Client, protocol string, info mcp.Implementation) error {
	if err := c.Start(context.Background()); err != nil && !strings.Contains(err.Error(), "already started") {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = protocol, info
	res, err := c.Initialize(context.Background(), hello)
	if err == nil && res.ProtocolVersion != protocol {
		err = fmt.Errorf("it speaks %s and not %s", res.ProtocolVersion, protocol)
	}
	return err
}

// TestNobodysCallUnderAnother: several clients at once on one server, with names,
// versions and users of their own and calls that interleave. No event tells of
// another's session, client or user (outcomes.md 6.1).
func TestNobodysCallUnderAnother(t *testing.T) {
	const visitors, each = 4, 12
	for _, w := range ways() {
		for _, protocol := range w.protocols {
			t.Run(w.name+" "+protocol, func(t *testing.T) {
				t.Parallel()
				collected := newCollector(t)
				client := collected.newClient(t, withInput)
				dial := w.open(t, collected, func() *server.MCPServer { return sessionsServer(client) })
				var all sync.WaitGroup
				for n := range visitors {
					all.Go(func() { visit(t, dial, protocol, n, each) })
				}
				all.Wait()
				calls := collected.wait(t, client, visitors*each, "call")
				checkOwners(t, w, protocol, visitors, append(calls, collected.wait(t, client, visitors*each, "custom")...))
			})
		}
	}
}

// visit calls as visitor n. Visitors 2 and 3 are one person with two clients.
func visit(t *testing.T, dial dialer, protocol string, n, calls int) {
	user := visitorsUser(n)
	c, err := dial(user)
	if err == nil {
		defer c.Close()
		err = shake(c, protocol, mcp.Implementation{Name: fmt.Sprintf("client-%d", n), Version: fmt.Sprintf("1.%d", n)})
	}
	if err != nil {
		t.Errorf("visitor %d: %v", n, err)
		return
	}
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			word := fmt.Sprintf("%d/%d", n, i)
			var r mcp.CallToolRequest
			r.Params.Name, r.Params.Arguments = "echo", map[string]any{"n": word}
			res, err := c.CallTool(context.WithValue(context.Background(), userKey{}, user), r)
			if err != nil || res.Content[0].(mcp.TextContent).Text != word {
				t.Errorf("visitor %d: %v, %v", n, res, err)
			}
		})
	}
	all.Wait()
}

func visitorsUser(n int) string { return fmt.Sprintf("user-%d", min(n, 2)) }

func checkOwners(t *testing.T, w way, protocol string, visitors int, events []umpire.Event) {
	t.Helper()
	sessions := map[string]map[int]bool{} // whose they are
	for _, e := range events {
		n := visitorOf(t, e)
		want := umpire.Peer{Name: fmt.Sprintf("client-%d", n), Version: fmt.Sprintf("1.%d", n)}
		if w.anonymous {
			want = umpire.Peer{}
		}
		if e.Client != want || e.User != visitorsUser(n) || e.Transport != w.transport {
			t.Errorf("a %s of visitor %d is told as one of client %+v, user %q, transport %q", e.Kind, n, e.Client, e.User, e.Transport)
		}
		if e.Protocol != protocol {
			t.Errorf("protocol %q, want %q", e.Protocol, protocol)
		}
		if e.Session == "" || strings.HasPrefix(e.Session, "derived-") != (w.sessions == "derived") {
			t.Errorf("session %q, want one: %s", e.Session, w.sessions)
		}
		if sessions[e.Session] == nil {
			sessions[e.Session] = map[int]bool{}
		}
		sessions[e.Session][n] = true
	}
	want := visitors
	if w.anonymous {
		want-- // the one person's two clients look alike
	}
	for session, whose := range sessions {
		if both := w.anonymous && len(whose) == 2 && whose[2] && whose[3]; len(whose) > 1 && !both {
			t.Errorf("session %q holds calls of visitors %v", session, slices.Sorted(maps.Keys(whose)))
		}
	}
	if len(sessions) != want {
		t.Errorf("%d sessions, want %d", len(sessions), want)
	}
}

// visitorOf is whose event it really is.
func visitorOf(t *testing.T, e umpire.Event) (n int) {
	t.Helper()
	word, _ := e.Meta["umpire.event"].(string)
	if e.Kind == "call" {
		var args struct{ N string }
		if err := json.Unmarshal(e.Input, &args); err != nil {
			t.Fatalf("input %s: %v", e.Input, err)
		}
		word = args.N
	}
	if _, err := fmt.Sscanf(word, "%d/", &n); err != nil {
		t.Fatalf("word %q: %v", word, err)
	}
	return n
}

// TestConversations: ChatGPT and its like open connections as they please and tell
// the conversation in _meta. It stands behind the transport's session and before
// the process and the user.
func TestConversations(t *testing.T) {
	keys := []string{
		"openai/session", "vscode.conversationId", "threadId", "ai.opencode/sessionID",
		"antigravity.google/conversation_id", "agent-session-id",
	}
	for _, w := range ways() {
		if w.transport == "stdio" {
			continue // TestConversationBeforeProcess
		}
		for i, key := range keys {
			protocol := w.protocols[i%len(w.protocols)]
			t.Run(w.name+" "+key, func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t)
				dial := w.open(t, collected, func() *server.MCPServer { return sessionsServer(client) })
				var sessions []string
				for i, id := range []string{"v1/a", "v1/b", "v1/a"} {
					c, err := dial("ada")
					if err != nil {
						t.Fatal(err)
					}
					if err := shake(c, protocol, mcp.Implementation{Name: "chat"}); err != nil {
						t.Fatal(err)
					}
					var r mcp.CallToolRequest
					r.Params.Name, r.Params.Meta = "echo", &mcp.Meta{AdditionalFields: map[string]any{key: id}}
					if _, err := c.CallTool(t.Context(), r); err != nil {
						t.Fatal(err)
					}
					sessions = append(sessions, collected.wait(t, client, i+1, "call")[i].Session)
					_ = c.Close()
				}
				stateful := w.sessions == "own"
				if same := sessions[0] == sessions[2]; sessions[0] == "" || sessions[0] == sessions[1] || same == stateful ||
					strings.HasPrefix(sessions[0], "derived-") {
					t.Errorf("sessions %q; want the first and the last the same: %v", sessions, !stateful)
				}
			})
		}
	}
}

// TestDerivedSession: what a session is made of where a request is in none, and
// that nothing of it leaves as it is.
func TestDerivedSession(t *testing.T) {
	type request struct{ token, user, version string }
	for _, tt := range []struct {
		name string
		a, b request
		same bool
		none bool // neither is in a session
	}{
		{"the same user", request{user: "zoe"}, request{user: "zoe"}, true, false},
		{"the same user with another token", request{"Bearer t1", "zoe", "1"}, request{"Bearer t2", "zoe", "1"}, true, false},
		{"two users", request{user: "zoe"}, request{user: "bob"}, false, false},
		{"two users with one token", request{"Bearer t1", "zoe", ""}, request{"Bearer t1", "bob", ""}, false, false},
		{"a user and a token of the same name", request{"Bearer zoe", "", ""}, request{user: "zoe"}, false, false},
		{"one token", request{token: "Bearer t1"}, request{token: "bearer  t1"}, true, false},
		{"two tokens", request{token: "Bearer t1"}, request{token: "Bearer t2"}, false, false},
		{"a password is no token", request{token: "Basic YWRhOmE="}, request{token: "Basic YWRhOmE="}, false, true},
		{"nobody", request{}, request{}, false, true},
		{"two versions of the client", request{"", "zoe", "1"}, request{"", "zoe", "2"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t, func(o *umpire.Options) { o.HashUsers = true })
			s := sessionsServer(client)
			r := routes()[7]
			c := r.dial(t, s).(*httpConn)
			for _, q := range []request{tt.a, tt.b} {
				c.header = http.Header{}
				if q.token != "" {
					c.header.Set("Authorization", q.token)
				}
				if q.user != "" {
					c.header.Set("X-User", q.user)
				}
				c.ask(strings.Replace(r.call("1", "echo", `{"n":"x"}`), `"version":"1.2"`, `"version":"`+q.version+`"`, 1))
			}
			e := collected.wait(t, client, 2, "call")
			a, b := e[0].Session, e[1].Session
			if tt.none != (a == "") || tt.none != (b == "") || !tt.none && (a == b) != tt.same {
				t.Errorf("sessions %q and %q", a, b)
			}
			if !tt.none && (len(a) > 64 || !strings.HasPrefix(a, "derived-")) {
				t.Errorf("session %q", a)
			}
			sent, _ := json.Marshal(collected.all())
			for _, q := range []request{tt.a, tt.b} {
				if _, secret, _ := strings.Cut(q.token, " "); secret != "" && strings.Contains(string(sent), strings.TrimSpace(secret)) ||
					q.user != "" && strings.Contains(string(sent), q.user) {
					t.Errorf("token or user left the process: %s", sent)
				}
			}
		})
	}
}

// TestIdentify: the owner's function is asked once a call, with the context of
// the request, and a panic in it costs the user alone.
func TestIdentify(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	asked, boom := 0, false
	mcpgo.Watch(s, client, nil, mcpgo.WithIdentify(func(ctx context.Context, header http.Header) string {
		if asked++; boom {
			panic("at the door")
		}
		return ctx.Value(userKey{}).(string) + header.Get("X-Tenant")
	}))
	sayHello(s, "hello")
	h := httptest.NewServer(server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithHTTPContextFunc(
		func(ctx context.Context, _ *http.Request) context.Context {
			return context.WithValue(ctx, userKey{}, "ada")
		})))
	t.Cleanup(h.Close)
	c := &httpConn{t: t, url: h.URL + "/mcp", protocol: modern, header: http.Header{"X-Tenant": {"@shop"}}}
	line := routes()[7].call("1", "hello", `{"n":"x"}`)
	c.ask(line)
	boom = true
	c.ask(line)
	e := collected.wait(t, client, 2, "call")
	if e[0].User != "ada@shop" || e[1].User != "" || e[1].Outcome != umpire.OK || asked != 2 {
		t.Errorf("users %q and %q, %s, asked %d times; want ada@shop, none, ok, 2", e[0].User, e[1].User, e[1].Outcome, asked)
	}
}
