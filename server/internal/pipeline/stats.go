package pipeline

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// Stats counts since the start, and says how far the store is behind.
type Stats struct {
	Accepted, Duplicates, Rejected int64
	// Repeats were accepted while the store was behind, and turned out to be there
	// already.
	Repeats int64
	// RefusedBatches could not be taken at all: the store behind, the disk full.
	RefusedBatches int64
	// Stored are in the store; DeadLetters were set aside.
	Stored, DeadLetters int64
	// Replayed are dead letters that were given to the store once more.
	Replayed int64
	// ApplyErrors counts attempts that the store refused.
	ApplyErrors int64
	// Damage counts damaged places of the log, Lost the entries these may have cost.
	Damage, Lost int64
	// ClockSteps counts how often the machine's clock was set.
	ClockSteps int64
	// Ahead counts events that came with a time too far ahead to be right.
	Ahead int64
	// LagEvents and LagBytes are acknowledged and not yet in the store.
	LagEvents int
	LagBytes  int64
	// LagAge is how long the oldest of them has been waiting, since the start.
	LagAge time.Duration
	// LagLimit is how many bytes LagBytes may be.
	LagLimit int64
	// LogBytes is what the log takes on disk.
	LogBytes int64
	// Err is why nothing can be taken or stored now; nil while all is well.
	Err error
}

type counters struct {
	accepted, duplicates, rejected, refusedBatches                                atomic.Int64
	stored, deadLetters, applyErrors, damage, lost, repeats, replayed, clockSteps atomic.Int64
	ahead                                                                         atomic.Int64

	mu     sync.Mutex
	err    error
	places map[place]bool
}

// place is where the log is damaged.
type place struct {
	file          string
	offset, bytes int64
	to            uint64 // where there is a gap and nothing to read
}

// newDamage reports whether nobody came upon the place before.
func (c *counters) newDamage(d wal.Damage) bool {
	at := place{file: d.File, offset: d.Offset, bytes: d.Bytes}
	if d.Bytes == 0 {
		at.to = d.To
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil {
		c.places = map[place]bool{}
	}
	known := c.places[at]
	c.places[at] = true
	return !known
}

func (c *counters) add(r Receipt) {
	c.accepted.Add(int64(r.Accepted))
	c.duplicates.Add(int64(r.Duplicates))
	c.rejected.Add(int64(len(r.Rejected)))
}

func (c *counters) setError(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// Stats returns the counters.
func (p *Pipeline) Stats() Stats {
	d := p.queue.depth()
	c := &p.count
	s := Stats{
		Accepted: c.accepted.Load(), Duplicates: c.duplicates.Load(), Rejected: c.rejected.Load(),
		RefusedBatches: c.refusedBatches.Load(), Stored: c.stored.Load(), DeadLetters: c.deadLetters.Load(),
		ApplyErrors: c.applyErrors.Load(), Damage: c.damage.Load(), Lost: c.lost.Load(), Repeats: c.repeats.Load(), Replayed: c.replayed.Load(), ClockSteps: c.clockSteps.Load(), Ahead: c.ahead.Load(),
		LagEvents: d.events, LagBytes: d.bytes, LagAge: d.age, LagLimit: p.opts.MaxLagBytes, LogBytes: p.log.Bytes(), Err: p.log.Err(),
	}
	if s.Err == nil {
		c.mu.Lock()
		s.Err = c.err
		c.mu.Unlock()
	}
	return s
}
