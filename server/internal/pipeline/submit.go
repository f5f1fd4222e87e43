package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// batch is one Submit under way: its usable events in three parallel lists.
type batch struct {
	project uint32
	rules   []Rule // of the project
	times   times
	entries []store.Entry
	items   []wal.Item
	claims  []claimant

	again []int // of entries that may be in the log already; see again

	bytes    int64 // of all bodies
	appended int64 // of those that went into the log
	receipt  Receipt
}

// claimant is what the ids are told of an event.
type claimant struct {
	key key
	// born is when the id or else the event says that it was made, by the
	// sender's clock.
	born time.Time
	wins bool // see holder
}

// prepare validates, cleans and encodes.
func (p *Pipeline) prepare(project uint32, receivedAt time.Time, items []Item, retention time.Duration) *batch {
	receivedAt = receivedAt.UTC().Truncate(time.Microsecond)
	b := &batch{
		project: project, entries: make([]store.Entry, 0, len(items)),
		items: make([]wal.Item, 0, len(items)), claims: make([]claimant, 0, len(items)),
	}
	earliest, latest, step := p.clock.span(receivedAt)
	if step != 0 {
		p.clockWasSet(step)
	}
	b.times = times{received: receivedAt, earliest: earliest, latest: latest, retention: retention}
	if p.opts.Rules != nil {
		b.rules = p.opts.Rules(project)
	}
	for i := range items {
		if reason, hint := p.prepareOne(b, &items[i]); reason != "" {
			id := ""
			if !items[i].Event.ID.IsZero() {
				id = items[i].Event.ID.String()
			}
			b.receipt.Rejected = append(b.receipt.Rejected, Rejection{Index: items[i].Index, ID: id, Reason: reason, Hint: hint})
		}
	}
	return b
}

func (p *Pipeline) prepareOne(b *batch, it *Item) (reason, hint string) {
	e := &it.Event
	if reason, hint = unusable(e); reason != "" {
		return reason, hint
	}
	born := bornAt(e.ID, e.StartedAt)
	if b.times.ahead(e.StartedAt) {
		p.count.ahead.Add(1)
	}
	normalize(e, it.Extra, b.times, p.redact)
	judge(e, b.rules)
	p.strangers.bound(b.project, e)
	body, reason, hint := encode(e)
	if reason != "" {
		return reason, hint
	}
	b.entries = append(b.entries, store.Entry{Project: b.project, ReceivedAt: b.times.received, Event: *e})
	b.items = append(b.items, wal.Item{Project: b.project, ReceivedAt: b.times.received, Body: body})
	b.claims = append(b.claims, claimant{key{b.project, e.ID}, born, wins(e)})
	b.bytes += int64(len(body))
	return "", ""
}

// take claims the batch's ids, writes what is new, and waits for whoever else is
// writing one of them. A claim that fell because its owner's write failed is
// taken over in another round.
func (p *Pipeline) take(ctx context.Context, b *batch) error {
	todo := make([]int, len(b.claims))
	for i := range todo {
		todo[i] = i
	}
	for len(todo) > 0 {
		claim := p.ids.claim(b, todo)
		b.receipt.Duplicates += claim.own
		if err := p.write(ctx, b, claim); err != nil {
			return err
		}
		todo = todo[:0]
		for _, w := range claim.others {
			select {
			case <-w.flight.done:
			case <-ctx.Done():
				return busy("the request ended early", ctx.Err())
			}
			if w.flight.failed || w.beats {
				todo = append(todo, w.index)
			} else {
				b.receipt.Duplicates++
			}
		}
	}
	return nil
}

// write puts what the claim holds into the log, and settles the claim either way.
func (p *Pipeline) write(ctx context.Context, b *batch, c claim) error {
	fresh, err := p.verify(ctx, b, c)
	for _, i := range c.mine {
		b.entries[i].Fresh = true
	}
	for _, i := range c.suspects {
		b.entries[i].Fresh = false
	}
	var left []store.Entry
	if err == nil && len(fresh) > 0 {
		left, err = p.append(b, fresh)
	}
	if err != nil {
		p.ids.settle(b, c, nil, false)
		return err
	}
	p.ids.settle(b, c, fresh, true)
	p.ids.forget(left)
	b.receipt.Accepted += len(fresh)
	b.receipt.Duplicates += len(c.mine) - len(fresh)
	return nil
}

// verify returns those of the claimed events that are new: suspects, whose id
// was seen recently or is too old to tell, are looked up in the store.
func (p *Pipeline) verify(ctx context.Context, b *batch, c claim) (fresh []int, err error) {
	b.again = b.again[:0]
	if len(c.suspects) == 0 {
		return c.mine, nil
	}
	behind := p.queue.behind() // before the store is asked
	ask := make([]umpire.ID, 0, len(c.suspects))
	for _, i := range c.suspects {
		ask = append(ask, b.claims[i].key.id)
	}
	known, err := p.store.Known(ctx, b.project, ask)
	if err != nil {
		return nil, busy("the store cannot be asked for duplicates", err)
	}
	if !behind {
		p.there.Store(nil)
	}
	there := p.there.Load()
	suspects := c.suspects
	for _, i := range c.mine {
		suspect := len(suspects) > 0 && suspects[0] == i
		if suspect {
			suspects = suspects[1:]
		}
		p := &b.claims[i]
		if seenBy, stored := known[p.key.id]; stored && !(p.wins && yields(seenBy)) { //nolint:staticcheck // as it is said
			continue
		}
		if there != nil && suspect && !p.wins {
			if _, again := (*there)[p.key]; again {
				continue
			}
		}
		if suspect && behind {
			b.items[i].Body = repeated(b.items[i].Body)
			b.again = append(b.again, i)
		}
		fresh = append(fresh, i)
	}
	return fresh, nil
}

// append writes the fresh events; the usual case, all of them, costs no copy. It
// returns those that are left in the log alone.
func (p *Pipeline) append(b *batch, fresh []int) (left []store.Entry, err error) {
	entries, items, bytes := b.entries, b.items, b.bytes
	if len(fresh) < len(entries) || len(b.again) > 0 {
		entries, items, bytes = make([]store.Entry, len(fresh)), make([]wal.Item, len(fresh)), 0
		for n, i := range fresh {
			entries[n], items[n] = b.entries[i], b.items[i]
			bytes += int64(len(items[n].Body))
		}
	}
	_, err = p.log.Append(items, func(first uint64) {
		c := chunk{entries: entries, sizes: make([]int32, len(items)), bytes: bytes}
		again := b.again // both rise
		for n := range entries {
			entries[n].Seq = first + uint64(n)
			c.sizes[n] = int32(len(items[n].Body))
			if len(again) > 0 && again[0] == fresh[n] {
				again = again[1:]
				c.again = append(c.again, entries[n].Seq)
			}
		}
		if !p.queue.push(c) {
			left = entries
		}
	})
	return left, p.appended(b, bytes, err)
}

// appended says what an error of the log means to the sender.
func (p *Pipeline) appended(b *batch, bytes int64, err error) error {
	switch {
	case err == nil:
		b.appended += bytes
		return nil
	case errors.Is(err, wal.ErrBusy), errors.Is(err, wal.ErrFull):
		return busy("cannot write to disk now", err)
	case errors.Is(err, wal.ErrClosed):
		return busy("the server is stopping", err)
	default:
		f := fault.Wrap(err, fault.Unavailable, "cannot write to disk", "the server's operator must look after its disk and start it again")
		f.RetryAfter = time.Minute
		return f
	}
}
