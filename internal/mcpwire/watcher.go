package mcpwire

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// Config says what a Watcher watches, and who hears of it.
type Config struct {
	// Record takes each event: Client.Record of an umpire.Client. It is called on
	// the goroutine that brought the frame, with no lock held, and must copy what
	// it keeps.
	Record func(umpire.Event)
	// Hooks holds the owner's judgement hooks, IsEmpty and EmptyIsFine, and says
	// with NoResources that resources and prompts are not recorded.
	Hooks umpire.Options
	// Run names the process that is watched over stdio, and is what UMPIRE_RUN
	// tells that process. The ids of calls are made from it, so that an SDK inside
	// makes the same ones (outcomes.md 1.4); it stands for the session, too.
	// Without a run ids are made by umpire.NewID.
	Run string
	// Transport is stdio, http or sse.
	Transport string
}

const (
	// maxSessions is how many sessions are remembered, maxOpen how many requests of
	// one conversation may wait for their answer, and maxHeld how many bytes of
	// arguments wait with them, over all conversations.
	maxSessions = 10_000
	maxOpen     = 4096
	maxHeld     = 64 << 20
)

// Watcher watches one server. It holds what every conversation with it may use:
// the tools that were listed, the server's name, the sessions.
type Watcher struct {
	config    Config
	fine      map[string]bool // tools whose empty answers are fine
	ids       *adapter.CallIDs
	platforms adapter.Platforms
	held      atomic.Int64 // bytes of arguments that wait
	counts    counts

	mu       sync.Mutex
	server   umpire.Peer
	catalog  catalog
	registry *adapter.Registry // of resources and prompts
	shaken   map[handshake]time.Time
	sessions map[string]*Conversation
	turn     uint64 // counts the uses of sessions
}

// New returns the watcher of one server.
func New(config Config) *Watcher {
	w := &Watcher{config: config, fine: map[string]bool{}, sessions: map[string]*Conversation{}, registry: new(adapter.Registry)}
	for _, tool := range config.Hooks.EmptyIsFine {
		w.fine[tool] = true
	}
	if config.Run != "" {
		w.ids = adapter.NewCallIDs(config.Run)
	}
	return w
}

// Scope says which conversation a frame belongs to.
type Scope struct {
	// Session is the transport's session id (Mcp-Session-Id); "" on stdio and
	// where the server gave none. It leaves the process as a hash only.
	Session string
	// Asker is who sends a request that is in no session, as adapter.Asker names
	// it; "" if that is not known.
	Asker string
	// Protocol is the header MCP-Protocol-Version, UserAgent the header
	// User-Agent of the request; "" without one.
	Protocol  string
	UserAgent string
}

// Conversation returns the conversation with that session id, which is made on
// its first use; one without a session id is always new. Sessions that are idle
// are forgotten when there are too many, the oldest first.
func (w *Watcher) Conversation(s Scope) *Conversation {
	if s.Session == "" {
		return newConversation(w, s)
	}
	w.mu.Lock()
	c, known := w.sessions[s.Session]
	if !known {
		c = newConversation(w, s)
		w.name(c, s.Session)
	}
	w.turn++
	c.used.Store(w.turn)
	w.mu.Unlock()
	if known {
		c.asks(s) // takes its lock, which is never taken under ours
	}
	return c
}

// name makes c found under a session id. The lock is held.
func (w *Watcher) name(c *Conversation, session string) {
	if len(w.sessions) >= maxSessions {
		w.forget()
	}
	w.sessions[session] = c
}

// forget drops the sessions that were idle longest, a quarter of all at once.
// Those with open calls stay, unless that would be all.
func (w *Watcher) forget() {
	type entry struct {
		session string
		busy    int
		used    uint64
	}
	all := make([]entry, 0, len(w.sessions))
	for session, c := range w.sessions {
		all = append(all, entry{session, min(int(c.busy.Load()), 1), c.used.Load()})
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.busy, b.busy), cmp.Compare(a.used, b.used)) })
	for _, e := range all[:len(all)/4+1] {
		delete(w.sessions, e.session)
	}
}

// leave takes a conversation that is over off the sessions.
func (w *Watcher) leave(c *Conversation, session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sessions[session] == c {
		delete(w.sessions, session)
	}
}

// Tick lets the time pass for all sessions that Conversation made by an id: see
// Conversation.Tick.
func (w *Watcher) Tick(at time.Time) {
	w.mu.Lock()
	var busy []*Conversation
	for _, c := range w.sessions {
		if c.busy.Load() > 0 {
			busy = append(busy, c)
		}
	}
	w.mu.Unlock()
	for _, c := range busy {
		c.Tick(at)
	}
}

// Close says that nothing more will pass: what clients gave up in the sessions
// that Conversation made by an id waits for its answer no longer.
func (w *Watcher) Close(at time.Time) { w.Tick(at.Add(heldFor)) }

// Server is the server's own name for itself, as far as a handshake told it.
func (w *Watcher) Server() umpire.Peer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.server
}

// calledItself takes note of the name that the server gave itself.
func (w *Watcher) calledItself(p umpire.Peer) {
	if p.Name == "" && p.Version == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server != p {
		if w.server != (umpire.Peer{}) { // another server, or another version of it
			w.registry = new(adapter.Registry)
		}
		w.server = p
		w.catalog.renew()
	}
}

// Stats counts what a watcher saw.
type Stats struct {
	Frames uint64 // of both directions
	Alien  uint64 // frames that are no JSON-RPC
	Cut    uint64 // frames over MaxFrame
	Calls  uint64 // tools/call requests
	Late   uint64 // answers to calls that had ended for us
	Unseen uint64 // calls that found no room: they make no event
	Faults uint64 // panics of our own that were caught
}

type counts struct{ frames, alien, cut, calls, late, unseen, faults atomic.Uint64 }

// Stats returns the counts so far.
func (w *Watcher) Stats() Stats {
	n := &w.counts
	return Stats{
		Frames: n.frames.Load(), Alien: n.alien.Load(), Cut: n.cut.Load(), Calls: n.calls.Load(),
		Late: n.late.Load(), Unseen: n.unseen.Load(), Faults: n.faults.Load(),
	}
}

// safely runs f; a panic of our own is counted and goes no further.
func (w *Watcher) safely(f func()) {
	defer func() {
		if recover() != nil {
			w.counts.faults.Add(1)
		}
	}()
	f()
}

// open takes a frame apart, and counts it.
func (w *Watcher) open(f Frame) (list []message) {
	w.counts.frames.Add(1)
	if f.IsCut() {
		w.counts.cut.Add(1)
	}
	w.safely(func() { list = messages(f) })
	if len(list) == 0 {
		w.counts.alien.Add(1)
	}
	return list
}
