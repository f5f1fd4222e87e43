package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// replayChunk bounds how much of the log is decoded before it is handed on.
const replayChunk = 500

// alignLog sees to it that new entries come behind what the store has.
func (p *Pipeline) alignLog(position uint64) error {
	for _, d := range p.log.Damage() {
		p.damage(d)
	}
	if next := p.log.Next(); next <= position {
		p.logg.Warn("the log is behind the store: it was lost, or belongs to another store; new events go on behind what is stored",
			"log", next-1, "store", position)
		if err := p.log.Advance(position + 1); err != nil {
			return fmt.Errorf("cannot bring the log up to the store: %w", err)
		}
	}
	return nil
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

// replay queues what the log holds above position.
func (p *Pipeline) replay(ctx context.Context, position uint64) error {
	began := time.Now()
	var c chunk
	flush := func() error {
		if len(c.entries) == 0 {
			return nil
		}
		err := p.queue.pushWhenRoom(ctx, c, p.applierDone)
		c = chunk{}
		return err
	}
	report, err := p.log.Replay(position+1, func(seq uint64, it wal.Item) error {
		e, err := decode(it.Body)
		if err != nil {
			p.count.deadLetters.Add(1)
			p.logg.Error("an event of the log was set aside: it cannot be read", "seq", seq, "project", it.Project, "error", err)
			return p.dead.write(deadLetter{Seq: seq, Project: it.Project, ReceivedAt: it.ReceivedAt, Reason: err.Error(), Raw: it.Body})
		}
		if p.ids.replayed(key{it.Project, e.ID}, wins(&e)) {
			return nil
		}
		c.entries = append(c.entries, store.Entry{Seq: seq, Project: it.Project, ReceivedAt: it.ReceivedAt, Event: e})
		c.bytes += int64(len(it.Body))
		if len(c.entries) < replayChunk {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return fmt.Errorf("cannot replay the log: %w", err)
	}
	for _, d := range report.Damage {
		p.damage(d)
	}
	if report.Items > 0 {
		p.logg.Info("replayed the log", "events", report.Items, "from", report.First, "to", report.Last, "took", time.Since(began).Round(time.Millisecond))
	}
	return nil
}
