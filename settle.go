package umpire

import (
	"context"
	"maps"
	"slices"
	"time"
)

// fate is what became of the encoded events of a batch.
type fate struct {
	sent, duplicates, rejected, spooled int
	dropped                             string // the reason, if all were dropped
}

// settle accounts for a batch and lets go whoever waited for it.
func (s *sender) settle(b *batch, f fate) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	lost := f.rejected + b.tooLarge + b.unencodable
	c.drop(dropTooLarge, b.tooLarge)
	c.drop(dropUnencodable, b.unencodable)
	if f.dropped != "" {
		c.drop(f.dropped, len(b.ends))
		lost += len(b.ends)
	}
	c.stats.Sent += uint64(f.sent)
	c.stats.Duplicates += uint64(f.duplicates)
	c.stats.Rejected += uint64(f.rejected)
	c.stats.Spooled += uint64(f.spooled)
	c.lost += uint64(lost)
	c.settled += uint64(b.taken)
	c.bytes -= b.weight
	c.journal.settle(b.mark)
	c.journal.noteDrops(c.drops)
	c.release()
}

// stop drops everything that is queued and makes Record drop what comes.
func (s *sender) stop(reason string) { s.abandon(reason, 0) }

// abandon is stop, but for so many events that the journal keeps for the next
// client: they are on disk no less than those in the spool.
func (s *sender) abandon(reason string, kept int) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int(c.taken - c.settled)
	kept = min(kept, n)
	c.stats.Spooled += uint64(kept)
	c.drop(reason, n-kept)
	c.lost += uint64(n - kept)
	c.settled, c.bytes, c.queue = c.taken, 0, queue{}
	if kept > 0 {
		c.journal.stay()
	} else if c.journal != nil {
		c.journal.settle(c.journal.now())
	}
	c.journal.noteDrops(c.drops)
	c.stopped = true
	c.barred = c.barred || reason == dropUnauthorized
	c.release()
	s.pending = nil
}

// release ends the waits that are over; the lock is held.
func (c *Client) release() {
	c.waiters = letGo(c.waiters, c.settled)
}

// letGo ends the waits for the first n events, and returns the others.
func letGo(waiters []waiter, n uint64) []waiter {
	return slices.DeleteFunc(waiters, func(w waiter) bool {
		over := w.upTo <= n
		if over {
			close(w.done)
		}
		return over
	})
}

// begin opens the way for a request, unless a Flush or Close is in such a hurry
// that none shall be made.
func (c *Client) begin() (context.Context, context.CancelFunc, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hurry {
		return nil, nil, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	c.cancel, c.since, c.relieved = cancel, time.Now(), false
	return ctx, cancel, true
}

// end closes the way again and reports whether the request was cut short.
func (c *Client) end() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel = nil
	return c.hurry // one that was relieved is late, and is put off
}

// fills reports whether what waits takes up part/of of the queue or the
// journal. The lock is held.
func (c *Client) fills(part, of int) bool {
	return c.taken-c.settled > uint64(c.opts.QueueSize/of*part) || c.bytes > c.opts.QueueBytes/of*part || c.journal.fills(part, of)
}

// relieve cuts short a request that nobody answers while the queue fills up, so
// that the sender can put what waits on disk. The lock is held.
func (c *Client) relieve() {
	if c.cancel != nil && c.spoolable && time.Since(c.since) > relieveAfter {
		c.relieved = true
		c.cancel()
	}
}

// hasSpool tells the client whether there is a place on disk.
func (s *sender) hasSpool(has bool) {
	s.c.mu.Lock()
	s.c.spoolable = has
	s.c.mu.Unlock()
}

// inherit takes over the drops that an earlier process could not tell.
func (c *Client) inherit(drops map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for reason, n := range drops {
		c.drops[reason] += n
	}
	c.journal.noteDrops(c.drops)
}

func (c *Client) dropsToTell() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.drops)
}

func (c *Client) dropsTold(told map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for reason, n := range told {
		if c.drops[reason] -= n; c.drops[reason] == 0 {
			delete(c.drops, reason)
		}
	}
	c.journal.noteDrops(c.drops)
}
