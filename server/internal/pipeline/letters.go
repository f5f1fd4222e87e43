package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// DeadLetter is an event that the store could not take and that was set aside.
type DeadLetter struct {
	// Seq is its number in the log, and its name among the dead letters.
	Seq        uint64    `json:"seq"`
	Project    uint32    `json:"-"`
	ReceivedAt time.Time `json:"received_at"`
	SetAsideAt time.Time `json:"set_aside_at"`
	// Reason is what the store said.
	Reason string `json:"reason"`
	// Event is as the log had it; without it, what is in the log is no event, and
	// cannot be replayed.
	Event json.RawMessage `json:"event,omitempty"`
}

// DeadLetters calls yield with each, oldest first, until it says false.
func (p *Pipeline) DeadLetters(yield func(DeadLetter) bool) error {
	return p.dead.each(func(l deadLetter) bool {
		return yield(DeadLetter{Seq: l.Seq, Project: l.Project, ReceivedAt: l.ReceivedAt, SetAsideAt: l.SetAsideAt, Reason: l.Reason, Event: l.Event})
	})
}

// DropDeadLetters removes those that gone names for ever, and counts them.
func (p *Pipeline) DropDeadLetters(gone func(DeadLetter) bool) (n int, err error) {
	err = p.dead.remove(func(l deadLetter) bool {
		drop := gone(DeadLetter{Seq: l.Seq, Project: l.Project, ReceivedAt: l.ReceivedAt, SetAsideAt: l.SetAsideAt, Reason: l.Reason, Event: l.Event})
		if drop {
			n++
			p.dead.forsake(l.Seq)
		}
		return drop
	})
	return n, err
}

// ReplayDeadLetters gives those that again names to the store once more, as they
// were received and under the time that they happened: through the log, so that one
// that was replayed is there once, however often. One that the store refuses again is
// a dead letter again, under a new number. It returns how many went into the log.
func (p *Pipeline) ReplayDeadLetters(ctx context.Context, again func(DeadLetter) bool) (n int, err error) {
	end := p.log.Next() // those of this replay that come back have numbers from here on
	for {
		b, seqs, err := p.nextLetters(end, again)
		if err != nil || b == nil {
			return n, err
		}
		if err := p.replayLetters(ctx, b); err != nil {
			return n, err
		}
		n += len(seqs)
		if err := p.dead.remove(func(l deadLetter) bool { return seqs[l.Seq] }); err != nil {
			return n, err
		}
	}
}

// replayBatch is how many dead letters of one project are replayed at a time.
const replayBatch = 1000

// nextLetters makes a batch of the first project's letters before end that match and
// can be replayed.
func (p *Pipeline) nextLetters(end uint64, again func(DeadLetter) bool) (b *batch, seqs map[uint64]bool, err error) {
	err = p.DeadLetters(func(l DeadLetter) bool {
		if b != nil && b.project != l.Project || l.Seq >= end || len(l.Event) == 0 || !again(l) {
			return true
		}
		e, err := decode(l.Event)
		if err != nil {
			return true
		}
		if b == nil {
			b, seqs = &batch{project: l.Project}, map[uint64]bool{}
		}
		b.entries = append(b.entries, store.Entry{Project: l.Project, ReceivedAt: l.ReceivedAt, Event: e})
		b.items = append(b.items, wal.Item{Project: l.Project, ReceivedAt: l.ReceivedAt, Body: l.Event})
		b.claims = append(b.claims, claimant{key{l.Project, e.ID}, time.Time{}, wins(&e)}) // born long ago: the store is asked
		b.bytes += int64(len(l.Event))
		seqs[l.Seq] = true
		return len(seqs) < replayBatch
	})
	return b, seqs, err
}

func (p *Pipeline) replayLetters(ctx context.Context, b *batch) error {
	p.quiet.RLock()
	defer p.quiet.RUnlock()
	p.gate.RLock()
	defer p.gate.RUnlock()
	if err := p.open(b.project); err != nil {
		return err
	}
	if refusal := p.queue.reserve(b.bytes); refusal != "" {
		return busy(refusal, nil)
	}
	err := p.take(ctx, b)
	p.queue.release(b.bytes - b.appended)
	if err == nil {
		p.count.replayed.Add(int64(b.receipt.Accepted))
	}
	return err
}

// each reads the file from its beginning.
func (d *deadLetters) each(yield func(deadLetter) bool) error {
	d.mu.Lock()
	path, size := d.path, d.size
	d.mu.Unlock()
	if path == "" || size == 0 {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the dead letters: %w", err)
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		var l deadLetter
		if len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &l) == nil && !yield(l) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read the dead letters: %w", err)
		}
	}
}

// forsake remembers the number of a record that is given up for ever; mu is held.
func (d *deadLetters) forsake(seq uint64) {
	if d.dropped == nil {
		d.dropped = map[uint64]bool{}
	}
	d.dropped[seq] = true
}

// refused are the numbers in the log of what the store refused and nobody replayed.
func (d *deadLetters) refused() (map[uint64]bool, error) {
	d.mu.Lock()
	seqs := maps.Clone(d.dropped)
	d.mu.Unlock()
	if seqs == nil {
		seqs = map[uint64]bool{}
	}
	return seqs, d.each(func(l deadLetter) bool {
		seqs[l.Seq] = true
		return true
	})
}

// ID is the event's, for a person who looks for an event.
func (l DeadLetter) ID() string {
	id, ok := idOf(l.Event)
	if !ok {
		return ""
	}
	return id.String()
}
