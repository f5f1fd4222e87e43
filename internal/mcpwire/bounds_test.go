package mcpwire

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
)

func callWith(id int, arguments string) Frame {
	return Whole(fmt.Appendf(nil, `{"id":%d,"method":"tools/call","params":{"name":"add","arguments":%s}}`, id, arguments))
}

// TestOpenCallsAreBounded: a server that never answers costs a bounded amount.
func TestOpenCallsAreBounded(t *testing.T) {
	s := watch(Config{Transport: "stdio"})
	c := s.Conversation(Scope{})
	for i := range maxOpen + 100 {
		c.FromClient(callWith(i, "{}"), at0)
	}
	if c.Open() != maxOpen || s.Stats().Unseen != 100 || s.Stats().Calls != maxOpen+100 {
		t.Errorf("%d open, %+v", c.Open(), s.Stats())
	}
	c.End(NoReply, at0)
	if len(s.events) != maxOpen || len(c.gone) > maxGone {
		t.Errorf("%d events, %d ids kept", len(s.events), len(c.gone))
	}
	if calls := c.FromClient(callWith(1, "{}"), at0); calls != nil {
		t.Errorf("a call in a conversation that is over: %+v", calls)
	}
}

// TestArgumentsAreBounded: what waits with the calls is bounded, and the calls are
// judged and told apart all the same.
func TestArgumentsAreBounded(t *testing.T) {
	s := watch(Config{Run: "r", Transport: "stdio"})
	c := s.Conversation(Scope{})
	play(c, lists, listed)
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	const n, elsewhere = 8, maxHeld - 3<<20 // other conversations hold most
	s.held.Add(elsewhere)
	for i := range n {
		c.FromClient(callWith(i, `{"b":`+long+`}`), at0)
		if s.held.Load() > maxHeld {
			t.Fatalf("%d bytes are held", s.held.Load())
		}
	}
	for i := range n {
		c.FromServer(Whole(fmt.Appendf(nil, `{"id":%d,"result":{"isError":true,"content":[]}}`, i)), at0)
	}
	last := s.events[len(s.events)-1]
	if last.Outcome != umpire.ToolError || last.Arguments != nil || len(last.ArgsHash) != 12 || *last.RequestBytes < 1<<20 || last.Suspects != nil {
		t.Errorf("%+v", last.Call)
	}
	if first := s.events[1]; first.Arguments == nil || first.Outcome != umpire.ToolError {
		t.Errorf("%+v", first.Call)
	}
	if s.held.Load() != elsewhere {
		t.Errorf("%d bytes are held by nobody", s.held.Load()-elsewhere)
	}
}

// TestSessionsAreBounded: those with open calls are kept longest.
func TestSessionsAreBounded(t *testing.T) {
	s := watch(Config{Transport: "http"})
	busy := s.Conversation(Scope{Session: "busy"})
	busy.FromClient(callWith(1, "{}"), at0)
	for i := range maxSessions + 10 {
		s.Conversation(Scope{Session: fmt.Sprint("idle", i)})
	}
	if n := len(s.sessions); n > maxSessions {
		t.Errorf("%d sessions are remembered", n)
	}
	if s.Conversation(Scope{Session: "busy"}) != busy {
		t.Error("a session with an open call was forgotten")
	}
	busy.FromClient(Whole([]byte(cancel[2:])), at0)
	s.Tick(at0.Add(time.Hour))
	if got := s.brief(); len(got) != 1 || got[0] != "cancelled" {
		t.Errorf("%q", got)
	}
}

// TestNamesAreBounded: ids, names and lists of any length are cut or hashed.
func TestNamesAreBounded(t *testing.T) {
	s := watch(Config{Transport: "stdio"})
	c := s.Conversation(Scope{})
	long := strings.Repeat("n", 1<<20)
	c.FromClient(Whole([]byte(`{"id":"`+long+`","method":"tools/call","params":{"name":"`+long+`","_meta":{"openai/session":"`+long+
		`","io.modelcontextprotocol/protocolVersion":"3`+long+`","io.modelcontextprotocol/clientInfo":{"name":"`+long+`"}}}}`)), at0)
	for id, list := range c.waiting {
		e := list[0].event
		if len(id) > 2*maxID || len(e.Tool) > maxTool || len(e.Client.Name) > maxTool || len(e.Protocol) > maxWord || len(e.SessionID) > maxTool {
			t.Errorf("id %d, tool %d, client %d, protocol %d, session %d bytes", len(id), len(e.Tool), len(e.Client.Name), len(e.Protocol), len(e.SessionID))
		}
	}
	c.FromServer(Whole([]byte(`{"id":"`+long+`","result":{"content":[]}}`)), at0)
	if got := s.brief(); len(got) != 1 || got[0] != "call ok empty 0s" {
		t.Errorf("%q", got)
	}
	for i := range maxKnown + 500 {
		play(c, lists, fmt.Sprintf(`< {"id":"l","result":{"tools":[{"name":"tool%d","inputSchema":{"type":"object"}}]}}`, i))
	}
	if len(s.catalog.known) > maxKnown+1 || len(s.catalog.said) > maxSaid {
		t.Errorf("%d tools, %d lists are remembered", len(s.catalog.known), len(s.catalog.said))
	}
	if n := c.FromClient(Whole([]byte("["+strings.Repeat(ask[2:]+",", 2*maxBatch)+ask[2:]+"]")), at0); len(n) != maxBatch {
		t.Errorf("%d calls of a batch", len(n))
	}
}

// TestLongCall: a call over MaxFrame is judged by what is known of it.
func TestLongCall(t *testing.T) {
	s := watch(Config{Run: "r", Transport: "stdio"})
	c := s.Conversation(Scope{})
	play(c, lists, listed)
	big := huge()
	var lines LineCutter
	lines.Write([]byte(`{"id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":`+big+"}}}\n"), func(f Frame) {
		if calls := c.FromClient(f, at0); len(calls) != 1 || calls[0].ID[6]>>4 != 8 {
			t.Errorf("%+v", calls)
		}
	})
	lines.Write([]byte(`{"id":1,"result":{"content":[{"type":"text","text":`+big+`}],"isError":true}}`+"\n"), func(f Frame) { c.FromServer(f, at0) })
	play(c, ask)
	lines.Write([]byte(`{"id":1,"result":{"content":[{"type":"text","text":`+big+`}]}}`+"\n"), func(f Frame) { c.FromServer(f, at0) })
	play(c, ask)
	lines.Write([]byte(`{"id":1,"error":{"code":-32001,"message":`+big+`}}`+"\n"), func(f Frame) { c.FromServer(f, at0) })
	if len(s.events) != 4 {
		t.Fatalf("%q", s.brief())
	}
	if e := s.events[1]; e.Outcome != umpire.ToolError || *e.RequestBytes != int64(len(big)+6) || *e.ResponseBytes < int64(len(big)) || e.BadParams != nil {
		t.Errorf("%+v", e.Call)
	}
	if e := s.events[2]; e.Outcome != umpire.OK || e.Empty || fmt.Sprint(e.Suspects) != "[args_mismatch]" {
		t.Errorf("%+v", e.Call)
	}
	if e := s.events[3]; e.Outcome != umpire.BadArgs || e.Cause != "schema_in_tool" && e.Cause != "schema" && e.ErrorMessage == "" {
		t.Errorf("%+v", e.Call)
	}
	if s.Stats().Cut != 4 {
		t.Errorf("%+v", s.Stats())
	}
}

// TestPanicOfHook: what the owner's code does costs nothing but its opinion.
func TestPanicOfHook(t *testing.T) {
	s := watch(Config{Hooks: umpire.Options{IsEmpty: func(string, []string, []byte) bool { panic("hook") }}})
	play(s.Conversation(Scope{}), ask, good)
	if got := s.brief(); len(got) != 1 || got[0] != "call ok 1s" {
		t.Errorf("%q", got)
	}
	var told int
	w := New(Config{Record: func(umpire.Event) { told++; panic("sink") }})
	play(w.Conversation(Scope{}), ask, good, ask, good)
	if told != 2 || w.Stats().Faults != 2 {
		t.Errorf("told %d, %+v", told, w.Stats())
	}
}

// TestManyAtOnce: both directions, sessions and the clock, from many goroutines.
func TestManyAtOnce(t *testing.T) {
	const sessions, calls = 20, 50
	var mu sync.Mutex
	ids := map[umpire.ID]int{}
	w := New(Config{Transport: "http", Record: func(e umpire.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == "call" {
			ids[e.ID]++
		}
	}})
	var all sync.WaitGroup
	for n := range sessions {
		scope := Scope{Session: fmt.Sprint("s", n), UserAgent: "x", Protocol: "2025-11-25"}
		all.Go(func() {
			c := w.Conversation(scope)
			play(c, hello, `< {"id":0,"result":{"serverInfo":{"name":"shop"}}}`, lists, listed)
			for i := range calls {
				asked := make(chan struct{})
				all.Go(func() {
					w.Conversation(scope).FromClient(callWith(i, "{}"), at0)
					close(asked)
				})
				all.Go(func() {
					<-asked
					w.Tick(at0)
					w.Conversation(scope).FromServer(Whole(fmt.Appendf(nil, `{"id":%d,"result":{"content":[]}}`, i)), at0)
				})
			}
		})
	}
	all.Wait()
	if len(ids) != sessions*calls || w.Stats().Faults > 0 {
		t.Errorf("%d calls told of, want %d; %+v", len(ids), sessions*calls, w.Stats())
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("%d events have the id %s", n, id)
		}
	}
}
