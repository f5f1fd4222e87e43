package pipeline

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// queue says what is in the log and not yet in the store, in the order of the log.
// How much that may be is bounded by reserve, before anything is written. Of it the
// queue holds in memory what has room there; what came later is left in the log,
// and read from it again when its turn comes.
type queue struct {
	limits queueLimits

	mu      sync.Mutex
	pass    stretch // being read from the log; it comes before the chunks
	chunks  []chunk
	left    stretch // in the log only, behind the chunks
	events  int     // in chunks
	held    int64   // what is in memory takes, in chunks and being applied
	pending int     // events everywhere, being applied as well
	lag     int64   // bytes reserved, and of what is pending
	first   time.Time
	busy    time.Time // when what is being applied came; zero: nothing is
	adopted uint64    // the last that came over from a stretch that is over
	pushed  uint64    // the last sequence number that was pushed
	wanted  int       // how many entries in chunks take waits for, beside time
	applied uint64    // the last that is done with
	syncing int
	closing bool
	closed  time.Time     // when closing was set
	changed chan struct{} // closed and replaced when something above changes
}

type queueLimits struct {
	bytes int64         // that may be reserved and pending together
	age   time.Duration // that the oldest may have; 0: any
	room  int64         // bytes that may be held in memory
}

// chunk is a run of entries with rising sequence numbers.
type chunk struct {
	entries []store.Entry
	sizes   []int32   // of their bodies
	bytes   int64     // the sum
	at      time.Time // when the first of them came
	// again are the sequence numbers of entries that may be in the store already.
	again []uint64
}

// stretch is a part of the log.
type stretch struct {
	from, to uint64
	events   int
	bytes    int64
	at       time.Time // when the first of them came
}

var errStopped = errors.New("the pipeline stopped before that")

func newQueue(limits queueLimits) *queue {
	return &queue{limits: limits, changed: make(chan struct{})}
}

// notify wakes everyone who waits for a change. The caller holds mu.
func (q *queue) notify() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// reserve makes room for n bytes; otherwise it says why there is none.
func (q *queue) reserve(n int64) (refusal string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.lag > 0 && q.lag+n > q.limits.bytes:
		return "the store is behind, and the log holds all that it may"
	case q.limits.age > 0 && q.pending > 0 && q.age() > q.limits.age:
		return "the store has been behind for too long"
	}
	q.lag += n
	return ""
}

// release gives room back.
func (q *queue) release(n int64) {
	if n == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lag -= n
	q.notify()
}

// waitForRoom waits, no longer than that, until there is room in memory: a store
// that is only a little slower than its senders slows them down to what it can do.
// One that is away is not waited for a second time.
func (q *queue) waitForRoom(ctx context.Context, most time.Duration) {
	var late <-chan time.Time
	for {
		q.mu.Lock()
		changed, enough := q.changed, q.held < q.limits.room || q.left.events > 0 || q.closing
		q.mu.Unlock()
		if enough {
			return
		}
		if late == nil {
			timer := time.NewTimer(most)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-changed:
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// push adds entries whose bytes are reserved; held is whether they are kept in
// memory, or left in the log.
func (q *queue) push(c chunk) (held bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.at = time.Now()
	n, last := len(c.entries), c.entries[len(c.entries)-1].Seq
	takes := c.bytes + int64(n)*weight(0)
	held = q.left.events == 0 && (q.held == 0 || q.held+takes <= q.limits.room)
	if held {
		if q.events == 0 {
			q.first = c.at
		}
		q.chunks = append(q.chunks, c)
		q.events += n
		q.held += takes
	} else {
		q.leave(stretch{from: c.entries[0].Seq, to: last, events: n, bytes: c.bytes, at: c.at})
	}
	q.pending += n
	q.pushed = last
	// To wake the applier for nothing with each request would cost the next ones.
	if q.events <= n || q.events >= q.wanted || q.held > q.limits.room/2 {
		q.notify()
	}
	return held
}

// leave adds to what is in the log only. The caller holds mu.
func (q *queue) leave(s stretch) {
	if q.left.events == 0 {
		q.left = s
		return
	}
	q.left.to = s.to
	q.left.events += s.events
	q.left.bytes += s.bytes
}

// found tells of what the log held when it was opened, behind what is applied.
func (q *queue) found(s stretch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.events == 0 {
		return
	}
	s.at = time.Now() // a wall clock that was set in between says nothing
	q.leave(s)
	q.pending += s.events
	q.lag += s.bytes
	q.pushed = s.to
	q.notify()
}

// behind reports whether something waits of which the ids are not known: what was
// left in the log.
func (q *queue) behind() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.left.events > 0 || q.pass.to > 0 || q.applied < q.adopted
}

// take waits for a batch: until there are most entries, or delay has passed since
// the first came, or somebody is in a hurry. What is in the log only is handed out
// as a stretch, to be read, and is over with endPass. It returns nothing when the
// queue is closed and empty.
func (q *queue) take(most int, delay time.Duration) (chunk, stretch) {
	for {
		q.mu.Lock()
		if q.events == 0 && q.left.events > 0 {
			q.pass, q.left = q.left, stretch{}
			q.mu.Unlock()
			return chunk{}, q.pass
		}
		if q.events == 0 && q.closing {
			q.mu.Unlock()
			return chunk{}, stretch{}
		}
		wait := delay - time.Since(q.first)
		if q.events >= most || q.events > 0 && (wait <= 0 || q.syncing > 0 || q.closing || q.held > q.limits.room/2) {
			c := q.cut(most)
			q.busy = c.at
			q.mu.Unlock()
			return c, stretch{}
		}
		if q.events == 0 {
			wait = time.Hour
		}
		changed := q.changed
		q.wanted = most
		q.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// more adds to c up to most entries of what waits in memory.
func (q *queue) more(c chunk, most int) chunk {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.events == 0 {
		return c
	}
	return c.plus(q.cut(most))
}

// split parts the first n entries from the others.
func (c chunk) split(n int) (first, rest chunk) {
	first, rest = c, c
	first.entries, rest.entries = c.entries[:n:n], c.entries[n:]
	first.sizes, rest.sizes = c.sizes[:n:n], c.sizes[n:]
	first.bytes = 0
	for _, size := range first.sizes {
		first.bytes += int64(size)
	}
	rest.bytes = c.bytes - first.bytes
	return first, rest
}

// plus is c with what follows it.
func (c chunk) plus(more chunk) chunk {
	if len(c.entries) == 0 {
		return more
	}
	c.sizes = append(c.sizes[:len(c.sizes):len(c.sizes)], more.sizes...)
	c.entries = append(c.entries[:len(c.entries):len(c.entries)], more.entries...)
	c.again = append(c.again[:len(c.again):len(c.again)], more.again...)
	c.bytes += more.bytes
	return c
}

// cut removes up to most entries. The caller holds mu.
func (q *queue) cut(most int) chunk {
	q.first = time.Now()
	if len(q.chunks) > 0 && q.events == len(q.chunks[0].entries) && q.events <= most {
		out := q.chunks[0] // all there is: no copy
		q.chunks, q.events = nil, 0
		return out
	}
	out := chunk{entries: make([]store.Entry, 0, min(most, q.events)), sizes: make([]int32, 0, min(most, q.events))}
	for len(q.chunks) > 0 && len(out.entries) < most {
		first, rest := q.chunks[0].split(min(most-len(out.entries), len(q.chunks[0].entries)))
		if len(out.entries) == 0 {
			out.at = first.at
		}
		out.entries = append(out.entries, first.entries...)
		out.sizes = append(out.sizes, first.sizes...)
		out.again = append(out.again, first.again...) // those of entries that stay do no harm
		out.bytes += first.bytes
		q.chunks[0] = rest
		if len(rest.entries) == 0 {
			q.chunks[0] = chunk{}
			q.chunks = q.chunks[1:]
		}
	}
	q.events -= len(out.entries)
	return out
}

// done is told which entries are in the store or set aside.
func (q *queue) done(c chunk) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range c.entries {
		size := int64(c.sizes[i])
		if seq := c.entries[i].Seq; q.pass.holds(seq) {
			q.pass.events--
			q.pass.bytes -= size
		} else {
			q.held -= weight(size)
		}
	}
	q.pending -= len(c.entries)
	q.lag -= c.bytes
	q.busy = time.Time{}
	q.applied = c.entries[len(c.entries)-1].Seq
	q.notify()
}

func (s stretch) holds(seq uint64) bool { return s.to > 0 && s.from <= seq && seq <= s.to }

func (q *queue) setApplied(seq uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.applied, q.pushed = seq, seq
}

// sync waits until what has been pushed so far is done with.
func (q *queue) sync(ctx context.Context, stopped <-chan struct{}) error {
	q.mu.Lock()
	target := q.pushed
	q.syncing++
	q.notify()
	defer func() {
		q.mu.Lock()
		q.syncing--
		q.mu.Unlock()
	}()
	for q.applied < target {
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-stopped:
			q.mu.Lock()
			ok := q.applied >= target
			q.mu.Unlock()
			if !ok {
				return errStopped
			}
			return nil
		}
		q.mu.Lock()
	}
	q.mu.Unlock()
	return nil
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closing {
		q.closing, q.closed = true, time.Now()
	}
	q.notify()
}

// state returns a channel that is closed at the next change, and for how long the
// queue has been closing; below zero: it is open.
func (q *queue) state() (changed <-chan struct{}, closing time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closing {
		return q.changed, -1
	}
	return q.changed, time.Since(q.closed)
}
