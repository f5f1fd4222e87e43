package door

import (
	"sync"

	"github.com/umpire-mcp/umpire"
)

// Clients remembers who called in which session, for senders that name the client
// in some of its events only. It is a help and no more: it is empty after a restart,
// and bounded. The zero value is ready.
type Clients struct {
	mu           sync.Mutex
	current, old map[sessionOf]umpire.Peer
}

type sessionOf struct {
	project uint32
	session string
}

const maxSessions = 20_000

// Carry gives e the client of its session, or notes it.
func (c *Clients) Carry(project uint32, e *umpire.Event) {
	if e.Session == "" {
		return
	}
	of := sessionOf{project, e.Session}
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.current[of]
	if !ok {
		known, ok = c.old[of]
	}
	if e.Client.Name == "" {
		if ok {
			e.Client = known
		}
		return
	}
	if c.current == nil || len(c.current) >= maxSessions {
		c.current, c.old = map[sessionOf]umpire.Peer{}, c.current
	}
	c.current[of] = e.Client
}
