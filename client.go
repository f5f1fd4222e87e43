package umpire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Client takes events and brings them to an Umpire server. It never panics,
// never blocks on the network or the disk in Record, never writes to stdout,
// installs no signal handler, and has no goroutine left after Close.
//
// All methods may be called from many goroutines, and on a nil Client, which
// does nothing.
type Client struct {
	opts      Options
	on        bool     // false: a no-op
	mute      bool     // no server to bring events to: only the observer hears
	what      policies // of what leaves
	redaction redaction
	voice     *voice
	wake      chan struct{} // 1 deep: something changed for the sender
	ended     chan struct{} // closed when the sender is gone
	batchN    int           // events that make a batch due at once

	journal *journal  // nil without a place on disk
	heard   *observer // nil without Options.Observer

	asked [8]atomic.Pointer[asked] // who asked last, of a few sessions and tools

	mu      sync.Mutex
	queue   queue
	stats   Stats
	bytes   int            // weight of everything not settled
	taken   uint64         // events that were queued, ever
	settled uint64         // of those, the ones whose fate is known; in order
	lost    uint64         // of those, the ones that were dropped or refused
	drops   map[string]int // by reason, not yet told to the server
	waiters []waiter
	cancel  context.CancelFunc // stops the request that is under way
	since   time.Time          // when that began

	spoolable bool // there is a place on disk, as far as is known
	closing   bool // Record refuses
	stopped   bool // nothing is sent any more
	barred    bool // because the server refused the key
	fresh     bool // a Flush or Close arrived: try at once
	hurry     bool // its time is nearly over: to the spool
	relieved  bool // the request under way was cut short to make room in the queue
}

// Stats counts what became of the events of one client. Recorded equals Sent +
// Rejected + Dropped + Spooled + Queued at every moment.
type Stats struct {
	Recorded uint64 // given to Record
	Sent     uint64 // acknowledged by the server
	Rejected uint64 // refused by the server, one by one
	Dropped  uint64 // lost: the queue was full, the client closed, the key refused …
	Spooled  uint64 // written to disk, for this or the next process to send
	Queued   uint64 // in memory now

	Duplicates uint64 // of Sent, the ones that the server had already
	Drained    uint64 // taken to the server from the spool, of this process or of earlier ones
	Unheard    uint64 // kept from Options.Observer, which was too slow; whether they were recorded or not
}

// Reasons for which events are dropped, as the server is told them.
const (
	dropQueueFull    = "queue_full"
	dropClosed       = "closed"       // recorded after Close
	dropUnauthorized = "unauthorized" // the server refused the key
	dropRefused      = "refused"      // the server could not read the batch
	dropTooLarge     = "too_large"
	dropUnencodable  = "unencodable"
	dropSpoolFull    = "spool_full"
	dropLost         = "lost"          // Close ran out of time and there was no spool
	dropSpoolDamaged = "spool_damaged" // a line of the spool that cannot be read
)

const (
	// awayAfter is how long a server may fail before events wait on disk.
	awayAfter = 2 * time.Second
	// relieveAfter is how long a request may last while the queue is half full.
	relieveAfter = 250 * time.Millisecond

	// flushLimit ends a Flush or Close whose context has no deadline.
	flushLimit = 10 * time.Second
	// spoolReserve is kept back from the time of a Flush for writing to disk.
	spoolReserve = 200 * time.Millisecond
)

// waiter is a Flush that waits until the first upTo events are settled.
type waiter struct {
	upTo uint64
	done chan struct{}
}

// New returns a Client and never fails: an option that cannot be used falls
// back to its default, and that is said once on stderr. Without endpoint and
// key it sends nothing, and is a no-op unless it has an Observer. With both, it announces itself to the server by an
// empty list, and sends what an earlier process left in the spool.
func New(options Options) *Client {
	return newClient(options, os.Getenv, os.Stderr, &processSaid)
}

func newClient(options Options, getenv func(string) string, stderr io.Writer, said *sync.Map) *Client {
	v := &voice{out: stderr, said: said, own: ownRules(options.Redact)}
	opts, target := options.settled(getenv, v)
	c := &Client{
		opts:      opts,
		what:      newPolicies(&opts, v),
		redaction: newRedaction(opts.Redact),
		voice:     v,
		wake:      make(chan struct{}, 1),
		ended:     make(chan struct{}),
		batchN:    min(batchEvents, opts.QueueSize),
		drops:     map[string]int{},
	}
	v.debug, v.secret = opts.Debug, opts.Key
	if opts.Observer != nil {
		c.on, c.mute, c.heard = true, target == nil, newObserver(c)
	}
	if target == nil {
		v.debugf("nothing is recorded: disabled, or no key and endpoint")
		close(c.ended)
		return c
	}
	c.on = true
	s := newSender(c, target)
	c.openJournal(&s.spool)
	go s.run()
	return c
}

// openJournal finds out whether there is a place on disk, and opens the journal
// there.
func (c *Client) openJournal(sp *spool) {
	if !sp.usable() {
		return
	}
	j, err := openJournal(sp.dir, c.opts.Key, min(sp.limit/4, sp.room()))
	switch {
	case err == nil:
		c.journal, sp.own = j, j.path
	case errors.Is(err, errNoJournal):
		c.voice.debugf("no journal: %v", err)
	default:
		c.voice.debugf("the spool is off: %v", err)
		sp.dir, c.spoolable = "", false
	}
}

// Enabled reports whether Record does anything.
func (c *Client) Enabled() bool { return c != nil && c.on }

// Options returns the options in force, defaults and environment included.
func (c *Client) Options() Options {
	if c == nil {
		return Options{}
	}
	return c.opts
}

// Record queues e. It copies what it keeps, and completes it behind the queue:
// session, args_hash and input_keys are derived, what Options.Capture keeps back
// is taken out, texts are redacted and cut to the limits of docs/wire.md. An
// event that finds no room is dropped and counted. A call of a tool that is left
// out is no event.
func (c *Client) Record(e Event) {
	if c == nil || !c.on {
		return
	}
	p := c.what.holding(&e)
	if p.leavesOut(&e) {
		return
	}
	if e.StartedAt.IsZero() {
		e.StartedAt = time.Now()
	}
	if e.ID.IsZero() {
		e.ID = newID(e.StartedAt)
	}
	p.take(&e)
	if c.heard != nil {
		c.heard.take(&e)
	}
	if c.mute {
		return
	}
	detach(&e)
	var record *scratch
	if c.journal != nil {
		record = c.journal.recordOf(&e)
		defer record.done()
	}
	if c.enqueue(&e, weigh(&e), record) {
		c.wakeSender()
	}
}

// enqueue reports whether the sender has a reason to look: a queue that was
// empty starts its clock, and a full batch is sent at once.
func (c *Client) enqueue(e *Event, weight int, record *scratch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing && missedByNobody(e) {
		return false
	}
	c.stats.Recorded++
	switch {
	case c.closing:
		c.drop(dropClosed, 1)
		return false
	case c.stopped:
		c.drop(dropUnauthorized, 1)
		return false
	case c.taken-c.settled >= uint64(c.opts.QueueSize), c.bytes+weight > c.opts.QueueBytes:
		c.drop(dropQueueFull, 1)
		c.relieve()
		return false
	}
	var m mark
	if record != nil {
		m = c.journal.add(record)
	}
	c.queue.add(e, weight, m)
	c.bytes += weight
	c.taken++
	full := c.queue.events%c.batchN == 0
	if full && c.fills(1, 2) {
		c.relieve()
	}
	return c.queue.events == 1 || full
}

// missedByNobody reports whether e is no loss after Close: an adapter learns the
// list of tools on a goroutine of its own, which a short process may outrun, and
// the next process tells the list.
func missedByNobody(e *Event) bool { return e.Kind == "catalog" }

// drop counts lost events; the lock is held.
func (c *Client) drop(reason string, n int) {
	if n > 0 {
		c.stats.Dropped += uint64(n)
		c.drops[reason] += n
		c.journal.noteDrop(reason, c.drops[reason])
	}
}

func (c *Client) wakeSender() {
	select {
	case c.wake <- struct{}{}:
	default: // it is awake already
	}
}

// Flush sends at once, and returns nil when everything recorded before the
// call is acknowledged by the server or, where the server cannot take it, on
// disk in the spool. Otherwise it returns an error when ctx ends (10 s if ctx
// has no deadline); events that are still queued stay so. The last 200 ms
// before a deadline belong to the spool; a ctx that is cancelled early is
// given as much. A Flush also waits until Options.Observer has heard of them.
func (c *Client) Flush(ctx context.Context) error {
	if c == nil || !c.on {
		return nil
	}
	c.mu.Lock()
	w := waiter{upTo: c.taken, done: make(chan struct{})}
	lostBefore := c.lost
	if c.settled >= w.upTo {
		close(w.done)
	} else {
		c.waiters = append(c.waiters, w)
		c.fresh = true
	}
	c.mu.Unlock()
	c.wakeSender()
	return c.awaitBoth(ctx, w.done, "flush events", lostBefore)
}

// Close refuses further events, flushes as Flush does, and ends the client's
// goroutine and connections. What could be neither sent nor spooled when ctx
// ends is dropped, and the error says so.
func (c *Client) Close(ctx context.Context) error {
	if c == nil || !c.on {
		return nil
	}
	c.mu.Lock()
	lostBefore := c.lost
	c.fresh = c.fresh || !c.closing
	c.closing = true
	c.mu.Unlock()
	c.wakeSender()
	c.heard.close()
	return c.awaitBoth(ctx, c.ended, "close the client", lostBefore)
}

// awaitBoth waits for done, and for the observer.
func (c *Client) awaitBoth(ctx context.Context, done <-chan struct{}, what string, lostBefore uint64) error {
	began := time.Now()
	err := c.await(ctx, done, what, lostBefore)
	if unheard := c.heard.await(ctx, began); unheard != nil {
		return errors.Join(err, unheard)
	}
	return err
}

// await waits for done. Shortly before ctx ends it makes the sender give up on
// the network.
func (c *Client) await(ctx context.Context, done <-chan struct{}, what string, lostBefore uint64) error {
	limit := flushLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(0, time.Until(deadline))
	}
	patience := time.NewTimer(limit - min(spoolReserve, limit/2))
	defer patience.Stop()
	select {
	case <-done:
		return c.verdict(what, lostBefore)
	case <-patience.C:
	case <-ctx.Done():
	}

	c.giveUpSending()
	patience.Reset(spoolReserve)
	select {
	case <-done:
		return c.verdict(what, lostBefore)
	case <-patience.C:
		err := ctx.Err()
		if err == nil {
			err = context.DeadlineExceeded
		}
		return fmt.Errorf("cannot %s: %d events are neither acknowledged nor on disk: %w", what, c.Stats().Queued, err)
	}
}

// giveUpSending ends the request under way, if anything better can be done with
// its events in the time that is left.
func (c *Client) giveUpSending() {
	c.mu.Lock()
	if c.spoolable || c.closing {
		c.hurry = true
		if c.cancel != nil {
			c.cancel()
		}
	}
	c.mu.Unlock()
	c.wakeSender()
}

var (
	errLost   = errors.New("dropped, or refused by the server")
	errBarred = errors.New("the server refuses the key")
)

// verdict is the answer of a wait that came to its end.
func (c *Client) verdict(what string, lostBefore uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.lost - lostBefore; n > 0 {
		return fmt.Errorf("cannot %s: %d events were lost: %w", what, n, errLost)
	}
	if c.barred {
		return fmt.Errorf("cannot %s: %w", what, errBarred)
	}
	return nil
}

// Stats returns the counts so far.
func (c *Client) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Queued = c.taken - c.settled
	s.Unheard = c.heard.unheard()
	return s
}
