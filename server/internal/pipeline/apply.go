package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

const (
	lastRetry = 10 * time.Second
	// patience is how many failures in a row a trial bears before it takes the
	// store for broken; it doubles with each attempt at the same events.
	patience = 32
	// lastTries is how often a failing store is tried after Close was called.
	lastTries = 5
)

// applyLoop brings what is in the queue into the store, until Close.
func (p *Pipeline) applyLoop() {
	defer close(p.applierDone)
	from := source{p: p}
	defer from.stop()
	var c chunk
	attempt := 0
	for {
		if len(c.entries) == 0 {
			attempt = 0
			var ok bool
			if c, ok = from.take(); !ok {
				return
			}
		} else {
			_, closing := p.queue.state()
			if closing >= 0 && attempt >= lastTries {
				return
			}
			p.pause(attempt)
			// What came meanwhile goes along: only a later event that is taken
			// shows that it is not the store that is broken.
			c = from.more(c)
		}
		began := time.Now()
		n := p.settle(&c, attempt)
		from.took = time.Since(began)
		if n > 0 {
			attempt = 0
		}
		attempt++
	}
}

// pause waits before another attempt; Close cuts it short.
func (p *Pipeline) pause(attempt int) {
	timer := time.NewTimer(min(p.opts.retry<<min(attempt-1, 10), lastRetry))
	defer timer.Stop()
	for {
		changed, closing := p.queue.state()
		if closing >= 0 {
			time.Sleep(p.opts.retry)
			return
		}
		select {
		case <-timer.C:
			return
		case <-changed:
		}
	}
}

// settle tries the chunk and takes from its front what is in the store or set
// aside; it returns how many entries that were.
func (p *Pipeline) settle(c *chunk, attempt int) int {
	p.dead.trial.Lock()
	defer p.dead.trial.Unlock()
	t := trial{p: p, patience: patience << min(attempt, 10), mark: p.dead.mark()}
	t.entries, t.err = p.withoutKnown(p.withoutDeleted(c.entries), c.again)
	if t.err == nil {
		t.windows(p.opts.MaxBatch)
		t.finish()
	} else {
		t.entries = c.entries // none is settled
	}
	p.count.stored.Add(int64(t.settled - len(t.dead)))

	n := len(c.entries)
	p.count.setError(nil)
	if left := len(t.entries) - t.settled; left > 0 {
		n = 0
		for t.settled > 0 && c.entries[n].Seq <= t.entries[t.settled-1].Seq {
			n++
		}
		p.count.setError(t.err)
		p.logg.Warn("the store did not take events; they wait in the log", "events", left, "attempt", attempt+1, "error", t.err)
	}
	if t.err != nil {
		p.count.applyErrors.Add(1)
	}
	p.release(c, n)
	return n
}

// release lets go of the first n entries of the chunk.
func (p *Pipeline) release(c *chunk, n int) {
	if n == 0 {
		return
	}
	var done chunk
	done, *c = c.split(n)
	p.ids.forget(p.queue.live(done))
	p.truncate()
	p.queue.done(done)
}

// withoutDeleted drops the entries of projects that were deleted meanwhile.
func (p *Pipeline) withoutDeleted(entries []store.Entry) []store.Entry {
	p.gate.RLock()
	defer p.gate.RUnlock()
	if len(p.deleted) == 0 {
		return entries
	}
	var out []store.Entry
	for _, e := range entries {
		if !p.deleted[e.Project] {
			out = append(out, e)
		}
	}
	return out
}

// truncate lets the log delete what the store holds durably.
func (p *Pipeline) truncate() {
	if p.log.Segments() < 2 {
		return
	}
	position, err := p.store.Position(context.Background())
	if err == nil {
		err = p.log.Truncate(p.kept(position))
	}
	if err != nil {
		p.logg.Warn("cannot shorten the log", "error", err)
	}
}

// trial is one attempt at a run of entries. When the store refuses them it
// halves them until the one at fault stands alone. An entry is only ever set
// aside when the store took a later one: that it refuses the last entries it
// was given may as well be the store's fault, and they are tried again.
type trial struct {
	p        *Pipeline
	entries  []store.Entry
	patience int
	mark     int64 // of the dead letters, behind the last that counts

	settled  int // entries in front that are stored or dead
	failures int // in a row
	refused  []refusal
	dead     []refusal
	err      error // the last
}

type refusal struct {
	entry store.Entry
	err   error
}

// windows tries all entries, as many at a time as a batch may hold.
func (t *trial) windows(size int) {
	for from := 0; from < len(t.entries); from += size {
		if !t.run(from, min(from+size, len(t.entries))) {
			return
		}
	}
}

// run tries entries[from:to]; false means to give up for now.
func (t *trial) run(from, to int) bool {
	if from == to {
		return true
	}
	err := t.p.applyOnce(t.entries[from:to])
	if err == nil {
		t.settled, t.failures = to, 0
		t.dead = append(t.dead, t.refused...)
		t.refused, t.mark = nil, t.p.dead.mark()
		return true
	}
	t.err = err
	if t.failures++; t.failures > t.patience {
		return false
	}
	if to-from == 1 {
		if errors.Is(err, store.ErrUnavailable) {
			return false
		}
		if err := t.p.dead.add(t.entries[from], err); err != nil {
			t.err = err
			return false
		}
		t.refused = append(t.refused, refusal{t.entries[from], err})
		return true
	}
	mid := from + (to-from)/2
	return t.run(from, mid) && t.run(mid, to)
}

// finish takes back the dead letters that do not count and tells of the others.
func (t *trial) finish() {
	if err := t.p.dead.rollback(t.mark); err != nil {
		t.p.logg.Error("an event is listed as set aside and will be tried again", "error", err)
	}
	for _, r := range t.dead {
		t.p.count.deadLetters.Add(1)
		t.p.logg.Error("an event was set aside: the store cannot take it", "seq", r.entry.Seq,
			"project", r.entry.Project, "id", r.entry.Event.ID.String(), "file", t.p.dead.path, "error", r.err)
	}
}

// applyOnce is Apply, with a panic of the store turned into an error.
func (p *Pipeline) applyOnce(entries []store.Entry) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the store panicked: %v", r)
			p.logg.Error("the store panicked", slog.Any("panic", r))
		}
	}()
	if err := p.store.Apply(context.Background(), entries); err != nil {
		return err
	}
	if p.opts.Applied != nil {
		p.opts.Applied(entries)
	}
	return nil
}
