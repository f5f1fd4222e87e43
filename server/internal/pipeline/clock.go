package pipeline

import (
	"sync"
	"time"
)

// clock knows what the time may be, where the machine's clock was set meanwhile: no
// event is taken for one of the future, or for too old, because our clock is wrong.
type clock struct {
	base time.Time // with a monotonic reading

	mu     sync.Mutex
	offset time.Duration // of the machine's clock from base and the time gone by, when last looked at
	newest time.Time     // received, of what the log held at the start
}

// stepped is by how much the clock must have been set to be told of.
const stepped = time.Minute

func newClock() clock { return clock{base: time.Now()} }

// span is between what times it may be, when the door's clock says now; step is by
// how much that was set since the last time, if it was.
func (c *clock) span(now time.Time) (from, to time.Time, step time.Duration) {
	now = now.Round(0)
	steady := c.base.Round(0).Add(time.Since(c.base))
	from, to = now, now
	if steady.Before(from) {
		from = steady
	}
	if steady.After(to) {
		to = steady
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest.After(to) {
		to = c.newest
	}
	if offset := now.Sub(steady); offset-c.offset > stepped || c.offset-offset > stepped {
		step, c.offset = offset-c.offset, offset
	}
	return from, to, step
}

// clockWasSet tells of it, and keeps the set of recent ids from trusting times that
// were read before.
func (p *Pipeline) clockWasSet(step time.Duration) {
	p.count.clockSteps.Add(1)
	p.logg.Warn("the machine's clock was set; events keep their own times", "by", step.Round(time.Second))
	p.ids.clockWasSet(step)
}

// clockWasSet moves what is said to have been received since a time of the clock
// before it was set forward. When it is set back the time stands, which asks the
// store more often than it must.
func (s *ids) clockWasSet(step time.Duration) {
	if step <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.recent.since.IsZero() {
		s.recent.since = s.recent.since.Add(step)
	}
	s.recent.started = s.recent.started.Add(step)
}
