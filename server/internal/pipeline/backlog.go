package pipeline

import (
	"context"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// again begins the body of an event of which nobody could say, when it came,
// whether it is in the log already: the store was behind. What it repeats is in the
// store, if it repeats something, by the time that its turn comes, and the store
// is asked then.
var again = []byte(`{"again":true,`)

// repeated is the body with that mark.
func repeated(body []byte) []byte {
	return append(slices.Clone(again), body[1:]...)
}

// source hands out what is to be applied, from memory and from the log: the
// applier's own.
type source struct {
	p   *Pipeline
	log *backlog // being read, if any
	// took is for how long the store had the last chunk.
	took time.Duration
}

// drainTime is for how long Close goes on reading what was left in the log.
const drainTime = 10 * time.Second

// delay is for how long events gather: MaxDelay, and up to three times that where the
// store is slow. A batch costs it some milliseconds however small it is.
func (s *source) delay() time.Duration {
	least := s.p.opts.MaxDelay
	return min(max(least, 8*s.took), 3*least)
}

// take waits for the next chunk; ok is false when the pipeline is closing and there
// is none, or no time for it.
func (s *source) take() (c chunk, ok bool) {
	q, most := s.p.queue, s.p.opts.MaxBatch
	for {
		if s.log == nil {
			c, left := q.take(most, s.delay())
			if left.to == 0 {
				return c, len(c.entries) > 0
			}
			s.log = s.p.readLog(left, most)
		}
		_, closing := q.state()
		if closing > drainTime {
			return c, false
		}
		c, err := s.log.read()
		if len(c.entries) > 0 {
			return c, true // the error will be met again
		}
		s.stop()
		if err == nil {
			q.endPass()
			continue
		}
		s.p.count.setError(err)
		s.p.logg.Error("cannot read what waits in the log; it is tried again", "error", err)
		if closing >= 0 {
			return c, false
		}
		s.p.pause(lastTries)
		s.log = s.p.readLog(q.rest(), most)
	}
}

// more adds to the chunk what comes behind it, unless it is long.
func (s *source) more(c chunk) chunk {
	q, most := s.p.queue, s.p.opts.MaxBatch
	if len(c.entries) >= 2*most && c.bytes >= maxRead {
		return c
	}
	if s.log == nil {
		left := q.further()
		if left.to == 0 {
			return q.more(c, most)
		}
		s.log = s.p.readLog(left, most)
	}
	further, err := s.log.read() // an error will be met again
	if err == nil && len(further.entries) == 0 {
		s.stop()
		q.adopt(c)
		return q.more(c, most)
	}
	return c.plus(further)
}

func (s *source) stop() {
	if s.log != nil {
		s.log.stop()
		s.log = nil
	}
}

// withoutKnown drops those of the chunk's entries that may repeat something, and
// do: what came before them is in the store, or in front of them in entries.
func (p *Pipeline) withoutKnown(entries []store.Entry, again []uint64) ([]store.Entry, error) {
	if len(again) == 0 {
		return entries, nil
	}
	maybe := map[uint64]bool{}
	for _, seq := range again {
		maybe[seq] = true
	}
	seen := map[key]string{} // by whom
	ask := map[uint32][]umpire.ID{}
	for i := range entries {
		if maybe[entries[i].Seq] {
			ask[entries[i].Project] = append(ask[entries[i].Project], entries[i].Event.ID)
		}
	}
	for project, ids := range ask {
		known, err := p.store.Known(context.Background(), project, ids)
		if err != nil {
			return nil, err
		}
		for id, by := range known {
			seen[key{project, id}] = by
		}
	}
	out := make([]store.Entry, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		k := key{e.Project, e.Event.ID}
		if by, known := seen[k]; known && maybe[e.Seq] && (!wins(&e.Event) || !yields(by)) {
			p.count.repeats.Add(1)
			continue
		}
		seen[k] = e.Event.SeenBy
		if e.Event.SeenBy == store.Halves && !store.Whole(&e.Event) {
			seen[k] = store.Half
		}
		out = append(out, *e)
	}
	return out, nil
}
