package mcpwire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
)

// at0 is when every script begins.
var at0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// seen is a watcher whose events are kept.
type seen struct {
	*Watcher
	events []umpire.Event
}

func watch(c Config) *seen {
	s := new(seen)
	c.Record = func(e umpire.Event) { s.events = append(s.events, e) }
	s.Watcher = New(c)
	return s
}

// brief says of each event what a script wants.
func (s *seen) brief() (list []string) {
	for i := range s.events {
		e := &s.events[i]
		said := e.Kind
		if e.Outcome != "" {
			said += " " + string(e.Outcome)
		}
		if e.Cause != "" {
			said += " " + e.Cause
		}
		if e.Empty {
			said += " empty"
		}
		if e.Late {
			said += " late"
		}
		if e.DurationUS != nil {
			said += fmt.Sprintf(" %ds", *e.DurationUS/1_000_000)
		}
		list = append(list, said)
	}
	return list
}

// play plays lines to c, one second after the other:
//
//	> frame   the client sends      < frame   the server sends
//	. n       n seconds pass        ! how     the conversation ends
//	x how     the last call ends
func play(c *Conversation, lines ...string) {
	at, last := at0, umpire.ID{}
	for _, line := range lines {
		rest := line[2:]
		switch line[0] {
		case '>':
			for _, call := range c.FromClient(Whole([]byte(rest)), at) {
				last = call.ID
			}
		case '<':
			c.FromServer(Whole([]byte(rest)), at)
		case '.':
			var n int
			fmt.Sscan(rest, &n)
			at = at.Add(time.Duration(n-1) * time.Second)
			c.Tick(at)
		case '!':
			c.End(Ending(rest), at)
		case 'x':
			c.EndCall(last, Ending(rest), at)
		}
		at = at.Add(time.Second)
	}
}

const (
	ask       = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`
	askAgain  = `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`
	askModern = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"2"}}}}`
	good      = `< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"2"}]}}`
	bad       = `< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`
	cancel    = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`
	timeout   = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"McpError: MCP error -32001: Request timed out"}}`
	readIt    = `> {"id":1,"method":"resources/read","params":{"uri":"file:///home/me/secret.txt"}}`
	hello     = `> {"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"first","version":"1"}}}`
	lists     = `> {"jsonrpc":"2.0","id":"l","method":"tools/list"}`
	listed    = `< {"jsonrpc":"2.0","id":"l","result":{"tools":[{"name":"add","inputSchema":{"type":"object","required":["b"]}}]}}`
)

func TestConversation(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  string // joined by "; "
	}{
		{"answered", []string{ask, good}, "call ok 1s"},
		{"refused", []string{ask, bad}, "call tool_error result 1s"},
		{"empty", []string{ask, `< {"id":1,"result":{"content":[]}}`}, "call ok empty 1s"},
		{"two at once, answered in the other order", []string{ask, askAgain, `< {"id":2,"result":{"content":[]}}`, bad}, "call ok empty 1s; call tool_error result 3s"},
		{"batches", []string{"> [" + ask[2:] + "," + askAgain[2:] + "]", "< [" + bad[2:] + `,{"id":2,"result":{"content":[]}}]`}, "call tool_error result 1s; call ok empty 1s"},
		{"an error", []string{ask, `< {"id":1,"error":{"code":-32603,"message":"oh"}}`}, "call crashed protocol 1s"},
		{"an error beside a null result", []string{ask, `< {"id":1,"result":null,"error":{"code":-32001,"message":"oh"}}`}, "call tool_error refused 1s"},
		{"a result beside a null error", []string{ask, `< {"id":1,"result":{"content":[]},"error":null}`}, "call ok empty 1s"},
		{"a null result", []string{ask, `< {"id":1,"result":null}`}, "call crashed no_result 1s"},
		{"no result at all", []string{ask, `< {"jsonrpc":"2.0","id":1}`}, "call crashed no_result 1s"},
		{"refused by the protocol", []string{ask, `< {"id":1,"error":{"code":-32021,"message":"header"}}`, "! process_exit"}, ""},
		{"a round, and the call", []string{ask, `< {"id":1,"result":{"resultType":"input_required"}}`, ask, good}, "round 1s; call ok 1s"},
		{"a round by code", []string{ask, `< {"id":1,"error":{"code":-32042,"message":"open this"}}`}, "round 1s"},
		{"the process ended", []string{ask, askAgain, good, "! process_exit"}, "call ok 2s; call crashed process_exit"},
		{"half a stream", []string{ask, "! no_reply"}, "call crashed no_reply"},
		{"the session closed under it", []string{ask, "! client_closed"}, "call crashed no_reply"},
		{"turned away by HTTP", []string{ask, "x refused"}, ""},
		{"no reply over HTTP, and one all the same", []string{ask, "x no_reply", good}, "call crashed no_reply"},
		{"cancelled, answered", []string{ask, cancel, bad}, "cancelled late 2s"},
		{"cancelled, never answered", []string{ask, cancel, ". 59", ". 2", good}, "cancelled"},
		{"cancelled, the process ended", []string{ask, cancel, "! process_exit"}, "cancelled"},
		{"cancelled after the answer", []string{ask, good, cancel, "! process_exit"}, "call ok 1s"},
		{"cancelled twice", []string{ask, cancel, timeout, good}, "cancelled late 3s"},
		{"a cancellation of another", []string{ask, strings.Replace(cancel, ":1,", ":9,", 1), good}, "call ok 2s"},
		{"the server's own cancellation", []string{ask, strings.Replace(cancel, ">", "<", 1), good}, "call ok 2s"},
		{"timed out", []string{ask, timeout, ". 61"}, "call crashed timeout"},
		{"timed out, answered late", []string{ask, timeout, good}, "call crashed timeout late 2s"},
		{"the stream closed, new protocol", []string{askModern, "x client_closed", good}, "cancelled late 2s"},
		{"the stream closed, new protocol, no answer", []string{askModern, "x client_closed", ". 61"}, "cancelled"},
		{"the stream closed, old protocol", []string{ask, "x client_closed", ". 100", bad}, "call tool_error result 102s"},
		{"the stream closed, old protocol, no answer", []string{ask, "x client_closed", "! no_reply"}, "cancelled"},
		{"the answer to another's id", []string{ask, `< {"id":"1","result":{"content":[]}}`, "! no_reply"}, "call crashed no_reply"},
		{"an id in another form", []string{ask, `< {"id":1.0,"result":{"content":[]}}`}, "call ok empty 1s"},
		{"an id used twice", []string{ask, ask, good, bad}, "call ok 2s; call tool_error result 2s"},
		{"a notification is no call", []string{`> {"method":"tools/call","params":{"name":"add"}}`, "! no_reply"}, ""},
		{"the client answers a request of the server's", []string{ask, `< {"id":1,"method":"sampling/createMessage"}`, `> {"id":1,"result":{}}`, good}, "call ok 3s"},
		{"noise", []string{"> hello", ask, "< starting up", "< {", "< []", "< 7", "< null", `< {"id":1}`, good}, "call ok 7s"},
		{"names are what they are", []string{ask, `< {"ID":1,"Result":{"content":[]}}`, `< {"id":1,"Error":{"code":1},"result":{"content":[],"IsError":true}}`}, "call ok 2s"},
		{"the schema from tools/list", []string{lists, listed, ask, bad}, "catalog; call bad_args schema_in_tool 1s"},
		{"the same list again", []string{lists, listed, lists, listed}, "catalog"},
		{"a list in pages", []string{
			lists, `< {"id":"l","result":{"tools":[{"name":"sub"}],"nextCursor":"p2"}}`,
			`> {"id":"m","method":"tools/list","params":{"cursor":"p2"}}`, `< {"id":"m","result":{"tools":[{"name":"add","inputSchema":{"type":"object","required":["b"]}}]}}`,
			ask, bad,
		}, "catalog; call bad_args schema_in_tool 1s"},
		{"pages of two listings", []string{
			lists, `< {"id":"l","result":{"tools":[{"name":"sub"}],"nextCursor":"p2"}}`,
			`> {"id":"m","method":"tools/list","params":{"cursor":"q2"}}`, `< {"id":"m","result":{"tools":[{"name":"mul"}]}}`,
			`> {"id":"m","method":"tools/list","params":{"cursor":"p2"}}`, `< {"id":"m","result":{"tools":[{"name":"add"}]}}`,
		}, "catalog"},
		{"the end of a list whose beginning was missed", []string{`> {"id":"m","method":"tools/list","params":{"cursor":"p2"}}`, `< {"id":"m","result":{"tools":[{"name":"sub"}]}}`, ask, good}, "call ok 1s"},
		{"a resource", []string{readIt, `< {"id":1,"result":{"contents":[]}}`}, "resource ok 1s"},
		{"a prompt that is refused", []string{`> {"id":1,"method":"prompts/get","params":{"name":"p"}}`, `< {"id":1,"error":{"code":-32602,"message":"unknown prompt \"p\""}}`}, "prompt bad_args invalid_params 1s"},
		{"a resource, cancelled", []string{readIt, cancel, ". 61"}, "resource"},
		{"a resource, asking back", []string{readIt, `< {"id":1,"result":{"resultType":"input_required"}}`}, "resource 1s"},
		{"a resource, never answered", []string{readIt, "! process_exit"}, "resource crashed process_exit"},
		{"a handshake", []string{hello, `< {"id":0,"result":{"protocolVersion":"2025-11-25"}}`, hello, `< {"id":0,"result":{"protocolVersion":"2025-11-25"}}`}, "session"},
		{"a handshake that failed", []string{hello, `< {"id":0,"error":{"code":-32602,"message":"no"}}`}, ""},
		{"malformed parameters", []string{`> {"id":1,"method":"tools/call","params":[1]}`, `< {"id":1,"error":{"code":-32602,"message":"no"}}`}, "call bad_args invalid_params 1s"},
		{"a task was begun", []string{`> {"id":1,"method":"tools/call","params":{"name":"add","task":{"ttl":1}}}`, `< {"id":1,"result":{"task":{"taskId":"t"}}}`}, "call ok 1s"},
		{"time goes back", []string{ask, ". -5", good}, "call ok 0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := watch(Config{Transport: "stdio"})
			c := s.Conversation(Scope{})
			play(c, tt.lines...)
			if got := strings.Join(s.brief(), "; "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if n := s.Stats().Faults; n > 0 {
				t.Errorf("%d faults", n)
			}
			if c.count == 0 && (len(c.waiting)+len(c.byEvent) > 0 || c.Open() != 0 || s.held.Load() != 0) {
				t.Errorf("left over: %d waiting, %d by id, %d open, %d bytes", len(c.waiting), len(c.byEvent), c.Open(), s.held.Load())
			}
		})
	}
}

// TestWhatAnEventSays: who asked, through what, and how large it was.
func TestWhatAnEventSays(t *testing.T) {
	s := watch(Config{Transport: "http"})
	c := s.Conversation(Scope{UserAgent: "claude-code/2.1", Protocol: "2025-06-18"})
	play(c,
		`> {"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"old","version":"1"}}}`,
		`< {"id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shop","version":"3"}}}`,
		lists, listed, ask, good)
	c.Began("session-1")
	if s.Conversation(Scope{Session: "session-1"}) != c {
		t.Error("the session is not found under the id that it was given")
	}
	play(c, askModern, good)
	if got := strings.Join(s.brief(), "; "); got != "session; catalog; call ok 1s; call ok 1s" {
		t.Fatalf("%q", got)
	}
	e := s.events[2]
	if e.Server != (umpire.Peer{Name: "shop", Version: "3"}) || e.Client != (umpire.Peer{Name: "old", Version: "1"}) || e.Protocol != "2025-06-18" ||
		e.Platform != "claude-code" || e.Transport != "http" || e.SessionID != "" || e.SeenBy != "proxy" || e.Tool != "add" || !e.StartedAt.Equal(at0.Add(4*time.Second)) ||
		*e.RequestBytes != int64(len(`{"a":1}`)) || *e.ResponseBytes != int64(len(`{"content":[{"type":"text","text":"2"}]}`)) || len(e.Definition) != 16 ||
		e.HandlerRan != "unknown" || e.Evidence != "structure" || e.ID.IsZero() {
		t.Errorf("%+v", e)
	}
	if e := s.events[3]; e.Client != (umpire.Peer{Name: "new", Version: "2"}) || e.Protocol != "2026-07-28" || e.SessionID != "session-1" || e.RequestBytes != nil {
		t.Errorf("%+v", e)
	}
	c.End(ClientClosed, at0)
	if s.Conversation(Scope{Session: "session-1"}) == c {
		t.Error("a session that is over is found")
	}
}

// TestIdentity: nobody's call under another's name.
func TestIdentity(t *testing.T) {
	s := watch(Config{Transport: "http"})
	play(s.Conversation(Scope{Session: "a"}), hello, ask, good)
	play(s.Conversation(Scope{Session: "b"}), ask, good)
	play(s.Conversation(Scope{Asker: "token 1"}), ask, good)
	play(s.Conversation(Scope{}), strings.Replace(ask, `"name"`, `"_meta":{"openai/session":"conv","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},"name"`, 1), good)
	if e := s.events[0]; e.Client.Name != "first" || e.SessionID != "a" {
		t.Errorf("%+v", e)
	}
	if e := s.events[1]; e.Client.Name != "" || e.SessionID != "b" || e.SessionDerived || e.Platform != "unknown" {
		t.Errorf("%+v", e)
	}
	if e := s.events[2]; e.SessionID != "token 1" || !e.SessionDerived {
		t.Errorf("%+v", e)
	}
	if e := s.events[3]; e.SessionID != "conv" || e.SessionDerived || e.TraceID != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("%+v", e)
	}
}

// TestAnswerOfHTTP: the body of an HTTP error answers the call whatever id it bears.
func TestAnswerOfHTTP(t *testing.T) {
	s := watch(Config{Transport: "http"})
	c := s.Conversation(Scope{})
	calls := c.FromClient(Whole([]byte(ask[2:])), at0)
	if len(calls) != 1 || calls[0].Tool != "add" || calls[0].RPC != "1" {
		t.Fatalf("%+v", calls)
	}
	for _, foreign := range []string{"<html>busy</html>", `{"error":"rate limited"}`, `{"error":{"code":429,"message":"quota"}}`, `{"result":"queued"}`} {
		c.Answer(calls[0].ID, Whole([]byte(foreign)), at0)
	}
	if len(s.events) != 0 {
		t.Fatalf("%+v", s.events)
	}
	c.Answer(calls[0].ID, Whole([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)), at0)
	c.EndCall(calls[0].ID, NoReply, at0)
	if got := s.brief(); len(got) != 1 || !strings.HasPrefix(got[0], "call bad_args invalid_params") {
		t.Errorf("%q", got)
	}
}

// TestRun: the ids of a run are those that the server's own watcher makes.
func TestRun(t *testing.T) {
	ids := func() (list []string) {
		s := watch(Config{Run: "run-1", Transport: "stdio"})
		c := s.Conversation(Scope{})
		for _, frame := range []string{
			`{"id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
			`[{"id":2,"method":"tools/call","params":{"name":"add","arguments":{"b":2,"a":1}}},{"id":3,"method":"tools/call","params":{"name":"add"}}]`,
		} {
			for _, call := range c.FromClient(Whole([]byte(frame)), at0) {
				list = append(list, call.ID.String())
			}
		}
		c.End(ProcessExit, at0)
		for _, e := range s.events {
			if e.SessionID != "run-1" {
				t.Errorf("session %q", e.SessionID)
			}
		}
		return list
	}
	want := "[51a15016-7b74-82b0-b119-a8d506a922c9 a7ba18f1-c8c6-8142-b56b-2352b436fe4c 5b1b8dc3-cfea-8f5c-acfc-1bcc18c8c619]" // as in adapter's TestCallIDsAreForEver
	if got := fmt.Sprint(ids()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestReads: what is read is named by what the server registered, and no part of
// an address is recorded.
func TestReads(t *testing.T) {
	s := watch(Config{Transport: "stdio"})
	c := s.Conversation(Scope{})
	play(c,
		`> {"id":5,"method":"resources/list"}`, `< {"id":5,"result":{"resources":[{"uri":"shop://catalog"}]}}`,
		`> {"id":5,"method":"resources/templates/list"}`, `< {"id":5,"result":{"resourceTemplates":[{"uriTemplate":"shop://book/{id}"}]}}`,
		`> {"id":1,"method":"resources/read","params":{"uri":"shop://catalog"}}`, `< {"id":1,"result":{"contents":[{"uri":"shop://catalog","text":"x"}]}}`,
		`> {"id":1,"method":"resources/read","params":{"uri":"shop://book/canary"}}`, `< {"id":1,"result":{"contents":[]}}`,
		`> {"id":1,"method":"resources/read","params":{"uri":"file:///home/canary"}}`, `< {"id":1,"error":{"code":-32002,"message":"Resource not found: file:///home/canary"}}`,
		`> {"id":1,"method":"prompts/get","params":{"name":"greet"}}`,
		`> {"id":6,"method":"prompts/list"}`, `< {"id":6,"result":{"prompts":[{"name":"greet"}]}}`,
		`< {"id":1,"result":{"messages":[]}}`,
		`> {"id":1,"method":"prompts/get","params":{"name":"canary"}}`, `< {"id":1,"error":{"code":-32602,"message":"no prompt canary"}}`,
	)
	want := []string{"shop://catalog", "shop://book/{id}", "file:", "greet", "(unknown prompt)"}
	for i, e := range s.events {
		if e.Tool != want[i] || strings.Contains(fmt.Sprint(e.ErrorMessage, e.Tool), "canary") {
			t.Errorf("%s %q: %q, want %q", e.Kind, e.Tool, e.ErrorMessage, want[i])
		}
	}
	if len(s.events) != len(want) || *s.events[0].ResponseBytes == 0 || c.busy.Load() != 0 {
		t.Errorf("%q, %d busy", s.brief(), c.busy.Load())
	}
	quiet := watch(Config{Hooks: umpire.Options{NoResources: true}})
	play(quiet.Conversation(Scope{}), readIt, `< {"id":1,"result":{"contents":[]}}`)
	if len(quiet.events) > 0 {
		t.Errorf("%q", quiet.brief())
	}
}

// TestHandshake: what a client can do is told by its names.
func TestHandshake(t *testing.T) {
	s := watch(Config{Transport: "http"})
	play(s.Conversation(Scope{Session: "a"}), hello, `< {"id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shop"}}}`)
	discover := func(version string) {
		play(s.Conversation(Scope{}),
			`> {"id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`,
			`< {"id":1,"result":{"supportedVersions":["`+version+`"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"2"}}}}`)
	}
	discover("2025-11-25")
	discover("2026-07-28")
	if len(s.events) != 2 {
		t.Fatalf("%q", s.brief())
	}
	if e := s.events[0]; e.Kind != "session" || e.Protocol != "2025-06-18" || e.Client.Name != "first" || e.Server.Name != "shop" || e.SessionID != "a" || e.Meta["umpire.capability.roots.listChanged"] != true {
		t.Errorf("%+v", e)
	}
	if e := s.events[1]; e.Protocol != "2026-07-28" || e.Client.Name != "new" || e.Server.Version != "2" || e.Meta["umpire.capability.elicitation"] != true {
		t.Errorf("%+v", e)
	}
}

// TestClose: a withdrawn call is recorded when the watching ends, and one whose
// answer may yet come is not.
func TestClose(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"cancelled", []string{ask, cancel}, "cancelled"},
		{"timed out", []string{ask, timeout}, "call crashed timeout"},
		{"still open", []string{ask}, ""},
		{"the stream closed, old protocol", []string{ask, "x client_closed"}, ""},
	} {
		s := watch(Config{Transport: "http"})
		play(s.Conversation(Scope{Session: "s"}), tt.lines...)
		s.Close(at0.Add(3 * time.Second))
		if got := strings.Join(s.brief(), "; "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
