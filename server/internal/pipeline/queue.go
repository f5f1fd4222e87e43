package pipeline

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// queue holds what is in the log and not yet in the store, in the order of the
// log. Its size is bounded by reserve, before anything is written.
type queue struct {
	max int64

	mu      sync.Mutex
	chunks  []chunk
	events  int   // in chunks
	pending int   // in chunks, and being applied
	lag     int64 // bytes reserved, queued, and being applied
	oldest  time.Time
	pushed  uint64 // the last sequence number that was pushed
	applied uint64 // the last that is done with
	syncing int
	closing bool
	changed chan struct{} // closed and replaced when something above changes
}

// chunk is a run of entries with rising sequence numbers.
type chunk struct {
	entries []store.Entry
	bytes   int64
}

var errStopped = errors.New("the pipeline stopped before that")

func newQueue(max int64) *queue {
	return &queue{max: max, changed: make(chan struct{})}
}

// notify wakes everyone who waits for a change. The caller holds mu.
func (q *queue) notify() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// reserve makes room for n bytes; false if there is none.
func (q *queue) reserve(n int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lag > 0 && q.lag+n > q.max {
		return false
	}
	q.lag += n
	return true
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

// push adds entries whose room is reserved.
func (q *queue) push(c chunk) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.events == 0 {
		q.oldest = time.Now()
	}
	q.chunks = append(q.chunks, c)
	q.events += len(c.entries)
	q.pending += len(c.entries)
	q.pushed = c.entries[len(c.entries)-1].Seq
	q.notify()
}

// pushWhenRoom waits for room first: the replay uses it.
func (q *queue) pushWhenRoom(ctx context.Context, c chunk, stopped <-chan struct{}) error {
	for !q.reserve(c.bytes) {
		q.mu.Lock()
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-stopped:
			return errStopped
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	q.push(c)
	return nil
}

// take waits for a batch: until there are most entries, or delay has passed since
// the first came, or somebody is in a hurry. It returns nothing when the queue
// is closed and empty.
func (q *queue) take(most int, delay time.Duration) chunk {
	for {
		q.mu.Lock()
		if q.events == 0 && q.closing {
			q.mu.Unlock()
			return chunk{}
		}
		wait := delay - time.Since(q.oldest)
		if q.events >= most || q.events > 0 && (wait <= 0 || q.syncing > 0 || q.closing) {
			c := q.cut(most)
			q.mu.Unlock()
			return c
		}
		if q.events == 0 {
			wait = time.Hour
		}
		changed := q.changed
		q.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// more adds to c up to most entries of what waits.
func (q *queue) more(c chunk, most int) chunk {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.events == 0 {
		return c
	}
	add := q.cut(most)
	return chunk{entries: append(c.entries[:len(c.entries):len(c.entries)], add.entries...), bytes: c.bytes + add.bytes}
}

// cut removes up to most entries. The caller holds mu.
func (q *queue) cut(most int) chunk {
	q.oldest = time.Now()
	if len(q.chunks) > 0 && q.events == len(q.chunks[0].entries) && q.events <= most {
		out := q.chunks[0] // all there is: no copy
		q.chunks, q.events = nil, 0
		return out
	}
	out := chunk{entries: make([]store.Entry, 0, min(most, q.events))}
	for len(q.chunks) > 0 && len(out.entries) < most {
		c := &q.chunks[0]
		n := min(most-len(out.entries), len(c.entries))
		share := c.bytes * int64(n) / int64(len(c.entries))
		out.entries = append(out.entries, c.entries[:n]...)
		out.bytes += share
		c.entries, c.bytes = c.entries[n:], c.bytes-share
		if len(c.entries) == 0 {
			q.chunks[0] = chunk{}
			q.chunks = q.chunks[1:]
		}
	}
	q.events -= len(out.entries)
	return out
}

// done is told that n entries, up to seq, are in the store or set aside.
func (q *queue) done(seq uint64, n int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending -= n
	q.lag -= bytes
	q.applied = seq
	q.notify()
}

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
	q.closing = true
	q.notify()
}

// state returns a channel that is closed at the next change, and whether the
// queue is closing.
func (q *queue) state() (changed <-chan struct{}, closing bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.changed, q.closing
}

type depth struct {
	events int
	bytes  int64
}

func (q *queue) depth() depth {
	q.mu.Lock()
	defer q.mu.Unlock()
	return depth{events: q.pending, bytes: q.lag}
}
