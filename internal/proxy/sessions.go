package proxy

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

const (
	sessionHeader  = "Mcp-Session-Id"
	protocolHeader = "Mcp-Protocol-Version"

	// orphanFor is how long a call waits whose stream ended, while its session has
	// no other stream on which the answer could come.
	orphanFor = 5 * time.Minute
)

// sessions is what the exchanges of one server have in common. It is a Tap that
// hears the ticks. All but watcher is used on the Taps' goroutine only.
type sessions struct {
	watcher *mcpwire.Watcher
	say     func(string)
	said    atomic.Bool

	orphans map[umpire.ID]orphan
	streams map[*mcpwire.Conversation]int // open streams of sessions
}

// orphan is a call whose answer may yet come on another stream.
type orphan struct {
	talk  *mcpwire.Conversation
	since time.Time
}

func (s *sessions) Client([]byte, time.Time) {}
func (s *sessions) Server([]byte, time.Time) {}

// Gap and End forget the orphans: nothing is known of their answers.
func (s *sessions) Gap(at time.Time) { s.forsake(nil, mcpwire.Unseen, at) }

func (s *sessions) End(_ End, at time.Time) {
	s.forsake(nil, mcpwire.Unseen, at)
	s.watcher.Close(at)
}

// Tick implements Tap.
func (s *sessions) Tick(at time.Time) {
	s.watcher.Tick(at)
	for id, o := range s.orphans {
		switch {
		case s.streams[o.talk] > 0:
			o.since = at
			s.orphans[id] = o
		case at.Sub(o.since) > orphanFor:
			delete(s.orphans, id)
			o.talk.EndCall(id, mcpwire.NoReply, at)
		}
	}
}

// forsake ends the orphans of one conversation, or all.
func (s *sessions) forsake(talk *mcpwire.Conversation, how mcpwire.Ending, at time.Time) {
	for id, o := range s.orphans {
		if talk == nil || o.talk == talk {
			delete(s.orphans, id)
			o.talk.EndCall(id, how, at)
		}
	}
}

// exchange begins to watch one HTTP request.
func (s *sessions) exchange(r *http.Request) *exchange {
	x := &exchange{sessions: s, method: r.Method, session: r.Header.Get(sessionHeader), resumes: r.Header.Get("Last-Event-Id") != ""}
	if x.session == "" { // the older transport names it in the address
		x.session = oldSession(r.URL.Query())
	}
	asker := ""
	if x.session == "" {
		asker, _ = adapter.Asker("", r.Header)
	}
	x.talk = s.watcher.Conversation(mcpwire.Scope{
		Session: x.session, Asker: asker, Protocol: r.Header.Get(protocolHeader), UserAgent: r.UserAgent(),
	})
	return x
}

// guard runs what is done in the way of a request. A bug there is said, once, and
// goes no further.
func (s *sessions) guard(f func()) {
	defer func() {
		if r := recover(); r != nil && !s.said.Swap(true) {
			s.say(fmt.Sprintf("a bug of Umpire (panic: %v): the server is not touched by it; what was seen at that moment is not recorded", r))
		}
	}()
	f()
}
