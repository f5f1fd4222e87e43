package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// alignLog sees to it that new entries come behind what the store has.
func (p *Pipeline) alignLog(position uint64) error {
	p.damaged(p.log.Damage())
	if next := p.log.Next(); next <= position {
		p.logg.Warn("the log is behind the store: it was lost, or belongs to another store; new events go on behind what is stored",
			"log", next-1, "store", position)
		if err := p.log.Advance(position + 1); err != nil {
			return fmt.Errorf("cannot bring the log up to the store: %w", err)
		}
	}
	return nil
}

// damaged counts and tells of what is damaged, each place once: what is behind a
// damaged place is read more than once.
func (p *Pipeline) damaged(places []wal.Damage) {
	for _, d := range places {
		if p.count.newDamage(d) {
			p.damage(d)
		}
	}
}

func (p *Pipeline) damage(d wal.Damage) {
	p.count.damage.Add(1)
	if d.From <= d.To && !d.Torn {
		p.count.lost.Add(int64(d.To - d.From + 1))
	}
	p.logg.Error("the log is damaged", "file", d.File, "offset", d.Offset, "bytes", d.Bytes,
		"maybe_lost_from", d.From, "maybe_lost_to", d.To, "torn_tail", d.Torn, "reason", d.Reason)
}

// loadRecent fills the set of recent ids from the store.
func (p *Pipeline) loadRecent(ctx context.Context, position uint64) error {
	if position == 0 {
		return nil // nothing was ever received
	}
	since := time.Now().Add(-p.opts.RecentWindow)
	p.ids.recent.since, p.ids.recent.started = since, since
	err := p.store.RecentIDs(ctx, since, func(project uint32, id umpire.ID) {
		p.ids.recent.add(key{project, id}, time.Now)
	})
	if err != nil {
		return fmt.Errorf("cannot read the recent ids: %w", err)
	}
	return nil
}

// maxThere bounds the ids that are known one by one; a store that is well has not
// more than some 250,000 to take again.
const maxThere = 1 << 20

// scan finds out what the log holds above position: how much, and which ids. It is
// read again, and applied, while new events are taken.
func (p *Pipeline) scan(position uint64) error {
	began := time.Now()
	s := stretch{from: position + 1}
	there := map[key]struct{}{}
	report, err := p.log.Replay(s.from, func(seq uint64, it wal.Item) error {
		s.to = seq
		s.events++
		s.bytes += int64(len(it.Body))
		if it.ReceivedAt.After(p.clock.newest) {
			p.clock.newest = it.ReceivedAt
		}
		if id, ok := idOf(it.Body); ok {
			if len(there) < maxThere {
				there[key{it.Project, id}] = struct{}{}
			}
			if p.ids.recent.add(key{it.Project, id}, time.Now) {
				p.twice[seq] = true
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot read the log: %w", err)
	}
	p.there.Store(&there)
	p.damaged(report.Damage)
	if s.events > 0 {
		p.logg.Info("the log holds events that go into the store now", "events", s.events, "from", report.First, "to", report.Last, "took", time.Since(began).Round(time.Millisecond))
	}
	p.queue.found(s)
	return nil
}

// idOf is the id of an event in the log, which is its first member.
func idOf(body []byte) (id umpire.ID, ok bool) {
	for _, start := range []string{`{"id":"`, string(again) + `"id":"`} {
		if text, found := bytes.CutPrefix(body, []byte(start)); found && len(text) >= 36 {
			err := id.UnmarshalText(text[:36])
			return id, err == nil
		}
	}
	e, err := decode(body)
	return e.ID, err == nil
}
