package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

const older = "2025-06-18"

// whoIs knows a sender by a header or, where there are none, by his own word.
func whoIs(_ context.Context, r mcp.Request) string {
	if extra := r.GetExtra(); extra != nil && extra.Header != nil {
		return extra.Header.Get("X-User")
	}
	user, _ := r.GetParams().GetMeta()["test/user"].(string)
	return user
}

// sendsHeader adds a header to every request of a client.
type sendsHeader struct{ name, value string }

func (h sendsHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return http.DefaultTransport.RoundTrip(r)
}

func header(name, value string) *http.Client {
	return &http.Client{Transport: sendsHeader{name, value}}
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
	open      func(t *testing.T, collected *collector, server func() *mcp.Server) (dial func(user string) mcp.Transport)
}

// streamable serves one server to all, or a new one to each session or request.
func streamable(o mcp.StreamableHTTPOptions, anew bool) func(*testing.T, *collector, func() *mcp.Server) func(string) mcp.Transport {
	return func(t *testing.T, _ *collector, server func() *mcp.Server) func(string) mcp.Transport {
		one := server()
		h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
			if anew {
				return server()
			}
			return one
		}, &o))
		t.Cleanup(h.Close)
		return func(user string) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: header("X-User", user), MaxRetries: -1}
		}
	}
}

func ways() []way {
	all, old := []string{older, legacy, modern}, []string{older, legacy}
	stateful, stateless := mcp.StreamableHTTPOptions{}, mcp.StreamableHTTPOptions{Stateless: true}
	answersJSON := mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}
	return []way{
		{"memory", all, "memory", "own", false, func(t *testing.T, _ *collector, server func() *mcp.Server) func(string) mcp.Transport {
			one := server()
			return func(string) mcp.Transport { return memory(t, one) }
		}},
		{"stdio", all, "stdio", "own", false, func(_ *testing.T, collected *collector, _ func() *mcp.Server) func(string) mcp.Transport {
			return func(string) mcp.Transport {
				process := exec.Command(os.Args[0])
				process.Env = append(os.Environ(), append(pointAt(collected.URL, "-"), "GOSDK_CHILD=sessions")...)
				return &mcp.CommandTransport{Command: process}
			}
		}},
		{"sse", old, "sse", "own", false, func(t *testing.T, _ *collector, server func() *mcp.Server) func(string) mcp.Transport {
			one := server()
			h := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return one }, nil))
			t.Cleanup(h.Close)
			return func(user string) mcp.Transport {
				return &mcp.SSEClientTransport{Endpoint: h.URL, HTTPClient: header("X-User", user)}
			}
		}},
		{"http stateful", old, "http", "own", false, streamable(stateful, false)},
		{"http stateful, a server for each session", old, "http", "own", false, streamable(stateful, true)},
		{"http stateless", old, "http", "derived", true, streamable(stateless, false)},
		{"http stateless, a server for each request", old, "http", "derived", true, streamable(answersJSON, true)},
		{"http", []string{modern}, "http", "derived", false, streamable(stateless, false)},
		{"http, a server for each request", []string{modern}, "http", "derived", false, streamable(answersJSON, true)},
	}
}

// sessionsServer repeats what it is told, under two tools.
func sessionsServer(client *umpire.Client) *mcp.Server {
	s := newServer()
	gosdk.Watch(s, client, gosdk.WithIdentify(whoIs))
	echo := func(ctx context.Context, _ *mcp.CallToolRequest, said in) (*mcp.CallToolResult, any, error) {
		client.Track(ctx, said.N, nil)
		return text(said.N), nil, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, echo)
	gosdk.AddTool(s, &mcp.Tool{Name: "echo_marked"}, echo)
	return s
}

// withInput sends arguments along: by them the tests know whose a call really was.
func withInput(o *umpire.Options) { o.Capture.Input = true }

func sessionsChild() {
	client := umpire.New(umpire.Options{Capture: umpire.Capture{Input: true}})
	_ = sessionsServer(client).Run(context.Background(), &mcp.StdioTransport{})
	_ = client.Close(context.Background())
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
				dial := w.open(t, collected, func() *mcp.Server { return sessionsServer(client) })
				var all sync.WaitGroup
				for n := range visitors {
					all.Go(func() { visit(t, dial, protocol, n, each) })
				}
				all.Wait()
				calls := collected.wait(t, client, visitors*each, "call")
				events := append(calls, collected.wait(t, client, visitors*each, "custom")...)
				checkOwners(t, w, protocol, visitors, events)
			})
		}
	}
}

// visit calls as visitor n. Visitors 2 and 3 are one person with two clients.
func visit(t *testing.T, dial func(string) mcp.Transport, protocol string, n, calls int) {
	user := visitorsUser(n)
	c := mcp.NewClient(&mcp.Implementation{Name: fmt.Sprintf("client-%d", n), Version: fmt.Sprintf("1.%d", n)}, nil)
	cs, err := c.Connect(context.Background(), dial(user), &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Errorf("visitor %d: %v", n, err)
		return
	}
	defer cs.Close()
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			word := fmt.Sprintf("%d/%d", n, i)
			res, err := cs.CallTool(context.Background(), &mcp.CallToolParams{
				Name: []string{"echo", "echo_marked"}[i%2], Arguments: in{word}, Meta: mcp.Meta{"test/user": user},
			})
			if err != nil || res.Content[0].(*mcp.TextContent).Text != word {
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
		if !w.anonymous && e.Protocol != protocol {
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
		var args in
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
			continue // TestConversationBeforeConnection
		}
		for i, key := range keys {
			protocol := w.protocols[i%len(w.protocols)]
			t.Run(w.name+" "+key, func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t)
				dial := w.open(t, collected, func() *mcp.Server { return sessionsServer(client) })
				var sessions []string
				for i, id := range []string{"v1/a", "v1/b", "v1/a"} {
					c := mcp.NewClient(&mcp.Implementation{Name: "chat"}, nil)
					cs, err := c.Connect(t.Context(), dial("ada"), &mcp.ClientSessionOptions{ProtocolVersion: protocol})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: in{"x"}, Meta: mcp.Meta{key: id}}); err != nil {
						t.Fatal(err)
					}
					sessions = append(sessions, collected.wait(t, client, i+1, "call")[i].Session)
					_ = cs.Close()
				}
				stateful := strings.HasPrefix(w.name, "http stateful") || w.transport == "sse"
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
	verified := func(h http.Handler) http.Handler {
		return auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: strings.TrimRight(token, "0123456789"), Expiration: time.Now().Add(time.Hour)}, nil
		}, nil)(h)
	}
	plain := func(h http.Handler) http.Handler { return h }
	const client1, client2 = `,"io.modelcontextprotocol/clientInfo":{"name":"one","version":"1"}`, `,"io.modelcontextprotocol/clientInfo":{"name":"one","version":"2"}`
	type request struct{ token, user, client string }
	for _, tt := range []struct {
		name string
		by   func(http.Handler) http.Handler
		a, b request
		same bool
		none bool // neither is in a session
	}{
		{"the same user", plain, request{user: "zoe"}, request{user: "zoe"}, true, false},
		{"the same user with another token", plain, request{"Bearer t1", "zoe", ""}, request{"Bearer t2", "zoe", ""}, true, false},
		{"two users", plain, request{user: "zoe"}, request{user: "bob"}, false, false},
		{"two users with one token", plain, request{"Bearer t1", "zoe", ""}, request{"Bearer t1", "bob", ""}, false, false},
		{"a user and a token of the same name", plain, request{"Bearer zoe", "", ""}, request{user: "zoe"}, false, false},
		{"one token", plain, request{token: "Bearer t1"}, request{token: "bearer  t1"}, true, false},
		{"two tokens", plain, request{token: "Bearer t1"}, request{token: "Bearer t2"}, false, false},
		{"a bare key", plain, request{token: "key1"}, request{token: "key1"}, true, false},
		{"a password is no token", plain, request{token: "Basic YWRhOmE="}, request{token: "Basic YWRhOmE="}, false, true},
		{"nobody", plain, request{}, request{}, false, true},
		{"the verifier's user, with two tokens", verified, request{token: "Bearer eve1"}, request{token: "Bearer eve2"}, true, false},
		{"two of the verifier's users", verified, request{token: "Bearer eve1"}, request{token: "Bearer kim1"}, false, false},
		{"two versions of the client", plain, request{"", "zoe", client1}, request{"", "zoe", client2}, false, false},
		{"one version of the client", plain, request{"", "zoe", client1}, request{"", "zoe", client1}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t, func(o *umpire.Options) { o.HashUsers = true })
			server := sessionsServer(client)
			sayHello(server, "hello")
			h := tt.by(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
			for _, r := range []request{tt.a, tt.b} {
				var headers []string
				if r.token != "" {
					headers = append(headers, "Authorization", r.token)
				}
				if r.user != "" {
					headers = append(headers, "X-User", r.user)
				}
				post(t, h, modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"n":"x"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`+r.client+`}}}`, headers...)
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
			for _, r := range []request{tt.a, tt.b} {
				if _, secret, _ := strings.Cut(r.token, " "); secret != "" && strings.Contains(string(sent), strings.TrimSpace(secret)) ||
					r.user != "" && strings.Contains(string(sent), r.user) {
					t.Errorf("token or user left the process: %s", sent)
				}
			}
		})
	}
}

// TestIdentify: the owner's function is asked once a call, with the context of
// the request, and a panic in it costs the user alone.
func TestIdentify(t *testing.T) {
	type key struct{}
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			asked := 0
			gosdk.Watch(server, client, nil, gosdk.WithIdentify(func(ctx context.Context, req mcp.Request) string {
				if params, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok {
					asked++
					if params.Name == "boom" {
						panic("at the door")
					}
				}
				user, _ := ctx.Value(key{}).(string)
				return user
			}))
			server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					return next(context.WithValue(ctx, key{}, "ada"), method, req)
				}
			})
			sayHello(server, "hello")
			sayHello(server, "boom")
			cs := r.dial(t, server, nil)
			callTool(t, cs, "hello")
			callTool(t, cs, "boom")
			e := collected.wait(t, client, 2, "call")
			if e[0].User != "ada" || e[1].User != "" || e[1].Outcome != umpire.OK || asked != 2 {
				t.Errorf("users %q and %q, %s, asked %d times; want ada, none, ok, 2", e[0].User, e[1].User, e[1].Outcome, asked)
			}
			if r.session && e[0].Session != e[1].Session {
				t.Errorf("sessions %q and %q", e[0].Session, e[1].Session)
			}
		})
	}
}
