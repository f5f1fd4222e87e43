package gosdk

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire/internal/adapter"
)

// A call that its client gave up is no call but a cancelled event, held until
// the handler answers or heldFor is over (outcomes.md 1.2). How a client gives
// up is told in two ways: the SDK cancels the context, and a notification that
// passes through the middleware a moment before or after gives the reason.
const (
	heldFor = 60 * time.Second
	// reasonWithin bounds the wait for a notification that may still follow a
	// cancelled context. There is none when an HTTP stream was closed.
	reasonWithin = 100 * time.Millisecond
	// watchAfter is how old a call gets before its context is watched. Calls
	// that end sooner, which is nearly all, cost no context.AfterFunc.
	watchAfter = time.Second
	// timedOut is what the SDKs write as the reason when they gave up waiting.
	timedOut = "Request timed out"
)

// openCalls are the calls that are being served, newest first. Code of the
// server's owner (a context may be of any type) never runs under the lock.
type openCalls struct {
	withdrawn func(*call, withdrawal) // records; called without the lock
	givenUp   func(*call)             // notes that the client gave a call up that is held

	mu    sync.Mutex
	first *call
	timer *time.Timer // runs watch, while there is an unwatched call
	armed bool
}

// openCall is the part of a call that openCalls guards.
type openCall struct {
	prev, next *call
	shared     bool        // a timer or a context knows it: never reused
	sent       bool        // its event is recorded or being recorded
	answered   bool        // the handler returned
	notified   bool        // a cancellation named it
	reason     string      // as the cancellation gave it
	timer      *time.Timer // ends the holding
	unwatch    func() bool // undoes context.AfterFunc
}

// withdrawal is how a call ended that its client gave up.
type withdrawal struct {
	hang   bool // the client waited in vain: a crash, and no withdrawal
	broken bool // the connection ended under it
	late   bool // an answer came after all
}

// verdict is what openCalls says of a call whose handler returned.
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
	broken            // the connection failed or was closed
)

// endOf reads it off the context of the request. The SDK cancels without a
// cause for a client's cancellation, and with the error of the connection when
// that failed. A deadline is one that the server's own middleware set: the
// client still waits.
func endOf(ctx context.Context) end {
	if ctx.Err() == nil {
		return kept
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		return kept
	case errors.Is(cause, context.Canceled):
		return gone
	default:
		return broken
	}
}

// given is what end means for c: what the client itself said stands first. The
// lock is held.
func (c *call) given(e end) end {
	if c.notified {
		return gone
	}
	return e
}

func (c *call) withdrawal(e end) withdrawal {
	return withdrawal{
		hang:   c.notified && strings.Contains(c.reason, timedOut),
		broken: e == broken,
		late:   c.answered,
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

// hold makes sure that the event of c is sent after d at the latest. The lock
// is held. A deadline that stands already stays: it began with the cancellation.
func (o *openCalls) hold(c *call, d time.Duration) {
	c.shared = true
	if c.timer == nil {
		c.timer = time.AfterFunc(d, func() { o.send(c) })
	}
}

// answer is told that the handler of c returned, and says what that means.
func (o *openCalls) answer(c *call) verdict {
	took := time.Since(c.event.StartedAt).Microseconds()
	ctxEnd := endOf(c.ctx)
	o.mu.Lock()
	if c.sent {
		o.mu.Unlock()
		return elsewhere
	}
	c.answered, c.took = true, took
	e := c.given(ctxEnd)
	if e == gone && !c.notified {
		if c.timer != nil { // of heldFor
			c.timer.Stop()
			c.timer = nil
		}
		o.hold(c, reasonWithin)
		o.mu.Unlock()
		return elsewhere
	}
	how := c.withdrawal(e)
	o.unlink(c)
	o.mu.Unlock()
	switch e {
	case gone:
		o.withdrawn(c, how)
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
	took := time.Since(c.event.StartedAt).Microseconds()
	ctxEnd := endOf(c.ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.sent {
		return false, kept
	}
	c.took = took
	e = c.given(ctxEnd)
	o.unlink(c)
	return true, e
}

// cancel is told that the client withdrew request id of session ss.
func (o *openCalls) cancel(ss *mcp.ServerSession, id jsonrpc.ID, reason string) {
	c := o.find(ss, id)
	if c == nil {
		return // answered before, or never a tools/call
	}
	o.mu.Lock()
	if c.sent || c.notified {
		o.mu.Unlock()
		return
	}
	c.notified, c.reason = true, reason
	if !c.answered {
		o.hold(c, heldFor)
		if !c.withdrawal(gone).hang {
			o.givenUp(c)
		}
		o.mu.Unlock()
		return
	}
	how := c.withdrawal(gone)
	o.unlink(c)
	o.mu.Unlock()
	o.withdrawn(c, how)
}

// find returns the open call with that id in that session.
func (o *openCalls) find(ss *mcp.ServerSession, id jsonrpc.ID) *call {
	type candidate struct {
		call *call
		ctx  context.Context
	}
	var of []candidate
	o.mu.Lock()
	for c := o.first; c != nil; c = c.next {
		if c.session == ss {
			c.shared = true // we hold it without the lock: it must not be reused
			of = append(of, candidate{c, c.ctx})
		}
	}
	o.mu.Unlock()
	for _, c := range of {
		if own, ok := peekID(c.ctx); ok && own == id {
			return c.call
		}
	}
	return nil
}

// watch looks after the calls that have been open for long: from now on the
// end of their context is noticed while their handler runs.
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
		c.shared = true
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

// ended is told that the context of c is over while its handler runs.
func (o *openCalls) ended(c *call) {
	defer func() { _ = recover() }() // a context of an unknown type
	e := endOf(c.ctx)
	if e == kept {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !c.sent && !c.answered {
		o.hold(c, heldFor)
		if e == gone && !c.notified { // one that is notified is noted by its reason
			o.givenUp(c)
		}
	}
}

// send records a call that was given up, unless somebody else did.
func (o *openCalls) send(c *call) {
	defer func() { _ = recover() }() // a context of an unknown type
	ctxEnd := endOf(c.ctx)
	o.mu.Lock()
	if c.sent {
		o.mu.Unlock()
		return
	}
	how := c.withdrawal(c.given(ctxEnd))
	o.unlink(c)
	o.mu.Unlock()
	o.withdrawn(c, how)
}

// sawCancellation passes a notifications/cancelled on to the call it names.
func (w *watcher) sawCancellation(req mcp.Request) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	params, ok := req.GetParams().(*mcp.CancelledParams)
	if !ok || params == nil {
		return
	}
	ss, ok := req.GetSession().(*mcp.ServerSession)
	if !ok || ss == nil {
		return
	}
	if id, err := jsonrpc.MakeID(params.RequestID); err == nil && id.IsValid() {
		w.open.cancel(ss, id, params.Reason)
	}
}

// withdrawn records a call that its client gave up.
func (w *watcher) withdrawn(c *call, how withdrawal) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	e := &c.event
	if e.Late = how.late; how.late {
		e.DurationUS = &c.took
	}
	switch {
	case how.hang:
		w.silent(c, "timeout")
	case how.broken:
		e.Late, e.DurationUS = false, nil
		w.silent(c, "no_reply")
	default:
		adapter.Withdraw(e)
		w.record(c)
	}
}
