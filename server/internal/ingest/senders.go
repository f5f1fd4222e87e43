package ingest

import (
	"net"
	"sync"
	"time"
)

const (
	// openFor is how long a sender's word of its open calls holds.
	openFor = time.Minute
	// maxSenders bounds how many senders are remembered.
	maxSenders = 10_000
)

// senders remembers how many calls each sender said it holds open. A sender is a
// key at an address: nearer than that a request does not say who it is.
type senders struct {
	mu   sync.Mutex
	said map[sender]saying
}

type sender struct {
	project uint32
	key     int64
	host    string
}

type saying struct {
	calls int64
	at    time.Time
}

func newSenders() senders { return senders{said: map[sender]saying{}} }

func (s *senders) say(project uint32, key int64, remote string, calls int64, now time.Time) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.said) >= maxSenders {
		for who, what := range s.said {
			if now.Sub(what.at) > openFor {
				delete(s.said, who)
			}
		}
	}
	if len(s.said) < maxSenders {
		s.said[sender{project, key, host}] = saying{calls, now}
	}
}

func (s *senders) open(project uint32, now time.Time) (calls int64, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who, what := range s.said {
		if who.project == project && now.Sub(what.at) <= openFor {
			calls += what.calls
			known = true
		}
	}
	return calls, known
}
