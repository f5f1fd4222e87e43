package sentry

import (
	"sync"

	"github.com/umpire-mcp/umpire/server/internal/door/span"
)

// spanOf names a span.
type spanOf struct {
	project     uint32
	trace, span string
}

const (
	// maxPairs is how many exceptions, and how many failed calls, are kept in each of
	// two generations. The halves come within seconds of each other.
	maxPairs = 2000
	// maxWaiting is how large a call may be that is kept, in bytes.
	maxWaiting = 16 << 10
)

// pairs bring an exception and the span that it happened in together: they are sent
// in envelopes of their own, in either order. It is a help and no more: it is empty
// after a restart, and bounded.
type pairs struct {
	mu     sync.Mutex
	thrown generations[span.Exception]
	calls  generations[span.Span]
}

// of is the exception that happened in a span.
func (p *pairs) of(s spanOf) (span.Exception, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.thrown.get(s)
}

// wait keeps a failed call for the exception that may follow.
func (p *pairs) wait(of spanOf, s span.Span) {
	size := len(s.Name) + len(s.Message)
	for key, v := range s.Attributes {
		text, _ := v.(string)
		size += len(key) + len(text)
	}
	if size > maxWaiting {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls.put(of, s)
}

// threw notes an exception, and returns the call that was waiting for it.
func (p *pairs) threw(of spanOf, x span.Exception) (s span.Span, waiting bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thrown.put(of, x)
	s, waiting = p.calls.get(of)
	s.Exceptions = []span.Exception{x}
	return s, waiting
}

// generations is a map that forgets: when the new half is full, the old one goes.
type generations[V any] struct{ young, old map[spanOf]V }

func (g *generations[V]) get(k spanOf) (V, bool) {
	if v, ok := g.young[k]; ok {
		return v, true
	}
	v, ok := g.old[k]
	return v, ok
}

func (g *generations[V]) put(k spanOf, v V) {
	if g.young == nil || len(g.young) >= maxPairs {
		g.old, g.young = g.young, make(map[spanOf]V)
	}
	g.young[k] = v
}
