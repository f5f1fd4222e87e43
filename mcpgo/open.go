package mcpgo

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/internal/adapter"
)

// A call that its client gave up is no call but a cancelled event, held until
// the handler answers or heldFor is over (outcomes.md 1.2). mcp-go tells nobody
// of a client's notification: what is seen is that the request's context ends.
const (
	heldFor = 60 * time.Second
	// watchAfter is how old a call gets before its context is watched. Calls
	// that end sooner, which is nearly all, cost no context.AfterFunc.
	watchAfter = time.Second
)

// openCalls are the calls that are being served, newest first. Code of the
// server's owner (a context may be of any type) never runs under the lock.
type openCalls struct {
	withdrawn func(*call, withdrawal) // records; called without the lock

	mu    sync.Mutex
	first *call
	timer *time.Timer // runs watch, while there is an unwatched call
	armed bool
}

// openCall is the part of a call that openCalls guards.
type openCall struct {
	prev, next *call
	sent       bool        // its event is recorded or being recorded
	malformed  bool        // its parameters could not be read; written before anyone else knows the call
	timer      *time.Timer // ends the holding
	unwatch    func() bool // undoes context.AfterFunc
}

// withdrawal is how a call ended that nobody waits for.
type withdrawal struct {
	unanswered bool // the connection ended under it, or its request without a word
	late       bool // an answer came after all
}

// verdict is what openCalls says of a call that was answered.
type verdict int

const (
	inTime    verdict = iota // to be judged
	elsewhere                // nothing more to do: it is recorded elsewhere
	cutOff                   // the connection ended before the answer
)

// end is how a call tells that nobody waits for its answer.
type end int

const (
	kept   end = iota // somebody does wait
	gone              // the client cancelled
	broken            // the connection was closed
)

// end reads it off the context of the request. The SDK cancels that context by
// itself when the client says so. Else it is the transport's that ended: over
// HTTP because the stream was closed, which cancels from protocol 2026-07-28 on
// and not before (outcomes.md 1.2); over stdio because the input was; in memory
// because the client's own was cancelled. A deadline is one that the server's
// owner set: the client still waits. A task runs on by itself, whatever becomes
// of its request.
func (c *call) end() end {
	if c.ctx.Err() == nil || c.isTask() {
		return kept
	}
	transport := peekTransport(c.ctx)
	switch {
	case transport == nil || transport.Err() == nil || c.event.Transport == "memory":
		return gone
	case errors.Is(context.Cause(transport), context.DeadlineExceeded):
		return kept
	case c.event.Transport == "stdio", c.event.Transport == "http" && c.event.Protocol < adapter.PerRequest:
		return broken
	default:
		return gone
	}
}

func (o *openCalls) enter(c *call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.next = o.first
	if o.first != nil {
		o.first.prev = c
	}
	o.first = c
	o.arm()
}

// arm has watch called after a while. The lock is held.
func (o *openCalls) arm() {
	switch {
	case o.armed:
		return
	case o.timer == nil:
		o.timer = time.AfterFunc(watchAfter, o.watch)
	default:
		o.timer.Reset(watchAfter)
	}
	o.armed = true
}

// unlink takes c off the list, and its timers with it. The lock is held.
func (o *openCalls) unlink(c *call) {
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		o.first = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
	c.sent = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.unwatch != nil {
		c.unwatch()
	}
}

// answer is told that c was answered, and says what that means. The answer counts
// although the connection was closed, unless the handler gave up for that.
func (o *openCalls) answer(c *call, err error) verdict {
	e := c.end()
	switch gaveUp := isCanceled(err); {
	case e == broken && !gaveUp:
		e = kept
	case e == broken && c.event.Transport == "http":
		e = gone // the client hung up, and the SDK ended the request for it
	case gaveUp && c.isTask():
		e = gone // by tasks/cancel, or because the SDK ended the task's context
	}
	if !o.take(c) {
		return elsewhere
	}
	switch e {
	case gone:
		o.withdrawn(c, withdrawal{late: true})
		return elsewhere
	case broken:
		return cutOff
	default:
		return inTime
	}
}

// drop takes c off the books at once. It reports whether its event is still to
// be recorded, and whether its client had given it up.
func (o *openCalls) drop(c *call) (open bool, e end) {
	e = c.end()
	return o.take(c), e
}

// take ends c for everybody but its caller, who gets to know whether he is the
// first.
func (o *openCalls) take(c *call) (open bool) {
	took := time.Since(c.event.StartedAt).Microseconds()
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.sent {
		return false
	}
	c.took = took
	o.unlink(c)
	return true
}

// watch looks after the calls that have been open for long: from now on the
// end of their context is noticed.
func (o *openCalls) watch() {
	defer func() { _ = recover() }() // a context of an unknown type
	var old []*call
	o.mu.Lock()
	o.armed = false
	for c := o.first; c != nil; c = c.next {
		if c.unwatch != nil {
			continue
		}
		if time.Since(c.event.StartedAt) < watchAfter {
			o.arm()
			continue
		}
		c.unwatch = func() bool { return true } // until there is a real one
		old = append(old, c)
	}
	o.mu.Unlock()
	for _, c := range old {
		stop := context.AfterFunc(c.ctx, func() { o.ended(c) })
		o.mu.Lock()
		if c.unwatch = stop; c.sent {
			stop()
		}
		o.mu.Unlock()
	}
}

// ended is told that the context of c is over and no answer was seen. Either
// nobody waits any more, or the request ended without a word to any hook: some
// middleware outside of ours panicked.
func (o *openCalls) ended(c *call) {
	defer func() { _ = recover() }() // a context of an unknown type
	_, inside, _, _ := c.seen()
	e := c.end()
	switch {
	case e == kept:
		return
	case e == broken && inside > 0 && c.event.Transport == "http":
		return // it stays open, and its answer decides (outcomes.md 1.2)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !c.sent && c.timer == nil {
		c.timer = time.AfterFunc(heldFor, func() { o.send(c) })
		if e == gone {
			c.watcher.client.Withdrawn(c.noted)
		}
	}
}

// send records a call that was given up, unless somebody else did.
func (o *openCalls) send(c *call) {
	defer func() { _ = recover() }() // a context of an unknown type
	e := c.end()
	_, inside, _, _ := c.seen()
	if o.take(c) {
		o.withdrawn(c, withdrawal{unanswered: e == broken || inside == 0})
	}
}

// withdrawn records a call that nobody waits for.
func (w *watcher) withdrawn(c *call, how withdrawal) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if how.unanswered {
		w.silent(c, "no_reply")
		return
	}
	e := &c.event
	if e.Late = how.late; how.late {
		e.DurationUS = &c.took
	}
	adapter.Withdraw(e)
	w.record(c)
}

// isCanceled reports whether err tells of a cancelled context.
func isCanceled(err error) (is bool) {
	defer func() {
		if recover() != nil { // from a method of the error
			is = false
		}
	}()
	return errors.Is(err, context.Canceled)
}
