package pipeline

import (
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// What the queue knows of the part of the log that is being read.

// weight is what an entry takes in memory, in bytes: its fields, and texts as long as its
// body.
func weight(body int64) int64 { return body + 1<<10 }

// live are those of the chunk's entries whose ids are remembered one by one: what
// was in memory all the while.
func (q *queue) live(c chunk) []store.Entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	from, to := 0, len(c.entries)
	for from < to && c.entries[from].Seq <= q.adopted {
		from++
	}
	for from < to && q.pass.holds(c.entries[to-1].Seq) {
		to--
	}
	return c.entries[from:to]
}

// at is told when what is being read from the log came. It may only make the
// oldest younger: that time was read from a clock that may have been set since.
func (q *queue) at(received time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if age := time.Since(received); age >= 0 && age < time.Since(q.pass.at) {
		q.pass.at = time.Now().Add(-age)
	}
}

// rest is what is still to be read of the stretch, after an error.
func (q *queue) rest() stretch {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.pass
	s.from = max(s.from, q.applied+1)
	return s
}

// adopt says that the stretch was read to its end, and that c, which holds the last
// of it, is not applied yet: from now on it is as if it had come from memory.
func (q *queue) adopt(c chunk) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lost := q.pass
	for i := range c.entries {
		if q.pass.holds(c.entries[i].Seq) {
			lost.events--
			lost.bytes -= int64(c.sizes[i])
			q.held += weight(int64(c.sizes[i]))
		}
	}
	q.pending -= lost.events
	q.lag -= lost.bytes
	q.adopted = c.entries[len(c.entries)-1].Seq
	q.busy, q.pass = q.pass.at, stretch{}
	q.notify()
}

// further hands out what is in the log only, if that is what comes next.
func (q *queue) further() stretch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.events > 0 || q.pass.to > 0 {
		return stretch{}
	}
	q.pass, q.left = q.left, stretch{}
	return q.pass
}

// endPass says that the stretch was read to its end. What was missing from it is
// no longer waited for.
func (q *queue) endPass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending -= q.pass.events
	q.lag -= q.pass.bytes
	q.applied = max(q.applied, q.pass.to)
	q.pass = stretch{}
	q.notify()
}
