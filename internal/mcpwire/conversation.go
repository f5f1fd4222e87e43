package mcpwire

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
)

// Call is one tools/call that a client asked for.
type Call struct {
	// ID is the id of its event. The HTTP proxy tells it to the server in the
	// header Umpire-Call, where the frame holds one call only: a header cannot
	// tell the calls of a batch apart.
	ID   umpire.ID
	Tool string
	// RPC is the JSON-RPC id of the request, as it was written.
	RPC string
}

// Ending is how calls ended that got no answer (outcomes.md 1.2, 1.3).
type Ending string

const (
	// ProcessExit: the process that served them ended by itself.
	ProcessExit Ending = "process_exit"
	// NoReply: the stream broke, or ended, before the answer.
	NoReply Ending = "no_reply"
	// ClientClosed: the client closed its side. For a call over HTTP that is a
	// cancellation from protocol 2026-07-28 on, and nothing before: the call stays
	// open. For a whole conversation it is a session that closed under its calls.
	ClientClosed Ending = "client_closed"
	// Refused: HTTP turned the request away before the protocol (401, 403, 404,
	// 406): it is no call.
	Refused Ending = "refused"
)

// Conversation is one stream in which the ids of requests are unique.
type Conversation struct {
	w    *Watcher
	open atomic.Int64  // calls that wait for their answer
	busy atomic.Int64  // the same, and what is read
	used atomic.Uint64 // Watcher.turn when it was last asked for

	mu       sync.Mutex
	scope    Scope
	client   umpire.Peer // of initialize
	protocol string      // that initialize settled on
	over     bool

	waiting map[string][]*request // by id of the request, oldest first
	byEvent map[umpire.ID]*request
	count   int             // of requests in waiting
	turn    uint64          // counts the requests
	gone    map[string]bool // ids of calls that ended for us without an answer
	pages   pages
	listed  []string // names of the last whole list of this conversation
	stale   bool     // the list changed since
}

func newConversation(w *Watcher, s Scope) *Conversation {
	return &Conversation{w: w, scope: s, waiting: map[string][]*request{}, byEvent: map[umpire.ID]*request{}}
}

// asks takes note of the headers of another request in the same session.
func (c *Conversation) asks(s Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Protocol != "" {
		c.scope.Protocol = s.Protocol
	}
	if s.UserAgent != "" {
		c.scope.UserAgent = s.UserAgent
	}
}

// within runs f under the lock, and records the events it returns without it.
func (c *Conversation) within(f func() []umpire.Event) {
	var events []umpire.Event
	c.w.safely(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		events = f()
	})
	for i := range events {
		c.w.safely(func() { c.w.config.Record(events[i]) })
	}
}

// FromClient takes a frame that the client sent at the given time, and returns
// the tools/call requests in it, in order.
func (c *Conversation) FromClient(f Frame, at time.Time) (calls []Call) {
	list := c.w.open(f)
	c.within(func() (events []umpire.Event) {
		for _, m := range list {
			switch {
			case m.method == methodCancelled:
				c.cancelled(&m, at)
			case m.method == "" || m.id == "": // an answer to the server, or a notification
			default:
				if r := c.asked(&m, at); r != nil && r.method == methodCall {
					calls = append(calls, Call{ID: r.event.ID, Tool: r.event.Tool, RPC: string(m.rawID)})
				}
			}
		}
		return nil
	})
	return calls
}

// FromServer takes a frame that the server sent at the given time.
func (c *Conversation) FromServer(f Frame, at time.Time) {
	list := c.w.open(f)
	c.within(func() (events []umpire.Event) {
		for _, m := range list {
			switch {
			case m.method == methodListed:
				c.stale, c.pages = true, pages{}
			case m.isAnswer() && m.id != "":
				if r := c.take(m.id); r != nil {
					events = append(events, c.answered(r, &m, at)...)
				}
			}
		}
		return events
	})
}

// Answer takes the body that HTTP gave back for one call, whatever id it bears:
// errors of a transport often bear null. A body that is no JSON-RPC answer
// changes nothing.
func (c *Conversation) Answer(id umpire.ID, f Frame, at time.Time) {
	list := c.w.open(f)
	c.within(func() []umpire.Event {
		r := c.byEvent[id]
		if r == nil || len(list) != 1 || !list[0].isAnswer() || list[0].isForeign() {
			return nil
		}
		c.drop(r)
		return c.answered(r, &list[0], at)
	})
}

// EndCall says that one call will get no answer. It does nothing for a call that
// has ended.
func (c *Conversation) EndCall(id umpire.ID, how Ending, at time.Time) {
	c.within(func() []umpire.Event {
		r := c.byEvent[id]
		if r == nil {
			return nil
		}
		if how == ClientClosed {
			c.hungUp(r, at)
			return nil
		}
		c.drop(r)
		return c.silent(r, how)
	})
}

// End says that no call of the conversation that is still open will get an
// answer, and that the conversation is over.
func (c *Conversation) End(how Ending, at time.Time) {
	c.within(func() (events []umpire.Event) {
		for _, r := range c.all() {
			c.drop(r)
			events = append(events, c.silent(r, how)...)
		}
		c.over = true
		return events
	})
	c.mu.Lock()
	session := c.scope.Session
	c.mu.Unlock()
	c.w.leave(c, session)
}

// Began says that the server gave the conversation this session id, in its answer
// to initialize: Watcher.Conversation finds it under that id from now on.
func (c *Conversation) Began(session string) {
	if session == "" {
		return
	}
	c.mu.Lock()
	c.scope.Session = session
	c.mu.Unlock()
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.w.name(c, session)
}

// Tick lets the time pass: what was cancelled 60 seconds ago is recorded. Calling
// it every few seconds is enough. Conversations with a session id hear of it
// through Watcher.Tick.
func (c *Conversation) Tick(at time.Time) {
	c.within(func() (events []umpire.Event) {
		for _, r := range c.all() {
			if (r.notified || r.closed) && at.Sub(r.heldSince) >= heldFor {
				c.drop(r)
				events = append(events, c.silent(r, NoReply)...)
			}
		}
		return events
	})
}

// Open is how many calls wait for their answer.
func (c *Conversation) Open() int { return int(c.open.Load()) }

// Pending returns the calls that wait for their answer, in order, without those
// that their client gave up.
func (c *Conversation) Pending() (calls []Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.all() {
		if r.method == methodCall && !r.withdrawn() {
			calls = append(calls, Call{ID: r.event.ID, Tool: r.event.Tool})
		}
	}
	return calls
}

// all returns the waiting requests, oldest first.
func (c *Conversation) all() []*request {
	all := make([]*request, 0, c.count)
	for _, list := range c.waiting {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b *request) int { return int(int64(a.turn) - int64(b.turn)) })
	return all
}
