package mcpwire

import (
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
type Conversation struct{}

// FromClient takes a frame that the client sent at the given time, and returns
// the tools/call requests in it, in order.
func (c *Conversation) FromClient(f Frame, at time.Time) []Call { return nil }

// FromServer takes a frame that the server sent at the given time.
func (c *Conversation) FromServer(f Frame, at time.Time) {}

// Answer takes the body that HTTP gave back for one call, whatever id it bears:
// errors of a transport often bear null. A body that is no JSON-RPC answer
// changes nothing.
func (c *Conversation) Answer(id umpire.ID, f Frame, at time.Time) {}

// EndCall says that one call will get no answer. It does nothing for a call that
// has ended.
func (c *Conversation) EndCall(id umpire.ID, how Ending, at time.Time) {}

// End says that no call of the conversation that is still open will get an
// answer, and that the conversation is over.
func (c *Conversation) End(how Ending, at time.Time) {}

// Began says that the server gave the conversation this session id, in its answer
// to initialize: Watcher.Conversation finds it under that id from now on.
func (c *Conversation) Began(session string) {}

// Tick lets the time pass: what was cancelled 60 seconds ago is recorded. Calling
// it every few seconds is enough. Conversations with a session id hear of it
// through Watcher.Tick.
func (c *Conversation) Tick(at time.Time) {}

// Open is how many calls wait for their answer.
func (c *Conversation) Open() int { return 0 }
