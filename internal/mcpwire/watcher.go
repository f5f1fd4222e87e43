package mcpwire

import (
	"time"

	"github.com/umpire-mcp/umpire"
)

// Config says what a Watcher watches, and who hears of it.
type Config struct {
	// Record takes each event: Client.Record of an umpire.Client. It is called on
	// the goroutine that brought the frame, with no lock held, and must not keep
	// Arguments and Structured of the event.
	Record func(umpire.Event)
	// Hooks holds the owner's judgement hooks: IsEmpty and EmptyIsFine.
	Hooks umpire.Options
	// Run names the process that is watched over stdio, and is what UMPIRE_RUN
	// tells that process. The ids of calls are made from it, so that an SDK inside
	// makes the same ones (outcomes.md 1.4); it stands for the session, too.
	// Without a run ids are made by umpire.NewID.
	Run string
	// Transport is stdio, http or sse.
	Transport string
}

// Watcher watches one server. It holds what every conversation with it may use:
// the tools that were listed, the server's name, the sessions.
type Watcher struct{ config Config }

// New returns the watcher of one server.
func New(config Config) *Watcher { return &Watcher{config: config} }

// Scope says which conversation a frame belongs to.
type Scope struct {
	// Session is the transport's session id (Mcp-Session-Id); "" on stdio and
	// where the server gave none. It leaves the process as a hash only.
	Session string
	// Protocol is the header MCP-Protocol-Version, UserAgent the header
	// User-Agent of the request; "" without one.
	Protocol  string
	UserAgent string
}

// Conversation returns the conversation with that session id, which is made on
// its first use; one without a session id is always new. Sessions that are idle
// are forgotten when there are too many, the oldest first.
func (w *Watcher) Conversation(s Scope) *Conversation { return &Conversation{} }

// Stats counts what a watcher saw.
type Stats struct {
	Frames  uint64 // of both directions
	Alien   uint64 // frames that are no JSON-RPC
	Cut     uint64 // frames over MaxFrame
	Calls   uint64 // tools/call requests
	Late    uint64 // answers to calls that had ended for us
	Strange uint64 // answers to requests that nobody was seen to make
	Unseen  uint64 // calls that found no room: they make no event
	Faults  uint64 // panics of our own that were caught
}

// Stats returns the counts so far.
func (w *Watcher) Stats() Stats { return Stats{} }

// Server is the server's own name for itself, as far as a handshake told it.
func (w *Watcher) Server() umpire.Peer { return umpire.Peer{} }

// Tick lets the time pass for all sessions that Conversation made by an id: see
// Conversation.Tick.
func (w *Watcher) Tick(at time.Time) {}
