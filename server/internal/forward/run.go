package forward

import (
	"errors"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

var errClosing = errors.New("the server is stopping")

// run delivers until Close.
func (f *Forwarder) run() {
	defer close(f.done)
	kept := time.Now()
	for {
		batch, upto, ok := f.next()
		if !ok {
			return
		}
		var err error
		if upto > 0 {
			err = f.catchUp(upto)
		} else {
			err = f.deliver(batch, batch[len(batch)-1].Seq)
		}
		if time.Since(kept) > keepEvery {
			kept = time.Now()
			f.keep()
		}
		if errors.Is(err, errClosing) {
			return
		}
		if err != nil {
			f.opts.Log.Warn("cannot read what is to be forwarded; it is tried again", "error", err)
			f.mu.Lock()
			f.gap = true
			f.mu.Unlock()
			f.wait(f.opts.Retry)
		}
	}
}

// keep writes the position down, if it moved.
func (f *Forwarder) keep() {
	at := f.Position()
	if at == f.kept && !f.fresh {
		return
	}
	if err := writePosition(f.file(), at); err != nil {
		f.opts.Log.Warn("cannot keep how far events were forwarded", "error", err)
		return
	}
	f.kept, f.fresh = at, false
}

// next waits for what comes next: a batch, or that the log has to be read up to a
// number.
func (f *Forwarder) next() (batch []store.Entry, upto uint64, ok bool) {
	for {
		f.mu.Lock()
		n := min(len(f.queue), maxBatch)
		batch, f.queue = f.queue[:n:n], f.queue[n:]
		for i := range batch {
			f.bytes -= size(&batch[i].Event)
		}
		closing, gap := f.closing, f.gap
		if n == 0 {
			f.queue = nil
			if gap && !closing {
				f.gap, upto = false, f.newest
			}
		}
		f.mu.Unlock()
		switch {
		case n > 0:
			return batch, 0, true
		case upto > 0:
			return nil, upto, true
		case closing:
			return nil, 0, false
		}
		select {
		case <-f.wake:
		case <-time.After(keepEvery): // nothing comes, and what was delivered last is kept
			f.keep()
		case <-f.ctx.Done():
			return nil, 0, false
		}
	}
}

// catchUp delivers what the log holds behind the position, up to a number.
func (f *Forwarder) catchUp(upto uint64) error {
	var batch []store.Entry
	after := f.Position()
	if upto <= after {
		return nil
	}
	lost, err := f.source.Follow(after, upto, func(e store.Entry) error {
		f.strip(&e.Event)
		if batch = append(batch, e); len(batch) < maxBatch {
			return nil
		}
		err := f.deliver(batch, e.Seq)
		batch = batch[:0]
		return err
	})
	if err != nil {
		return err
	}
	if lost > 0 {
		f.opts.Log.Warn("events are not forwarded: the log no longer held them", "events", lost)
		f.mu.Lock()
		f.stats.Dropped += int64(lost)
		f.mu.Unlock()
	}
	return f.deliver(batch, upto)
}

// deliver sends the batch until it is taken or given up; then all up to upto is done.
func (f *Forwarder) deliver(batch []store.Entry, upto uint64) error {
	at := f.Position()
	fresh := make([]told, 0, len(batch))
	for i := range batch {
		e := &batch[i]
		name, there := f.opts.Project(e.Project)
		if e.Seq > at && there && f.seen.First(e.Project, e.Event.ID) {
			fresh = append(fresh, told{e, name})
		}
	}
	spans := f.out.spans(fresh)
	var began time.Time
	for attempt := 0; len(spans) > 0; attempt++ {
		rejected, err := f.out.send(f.ctx, spans)
		var answer *answered
		answers := errors.As(err, &answer)
		if answers && began.IsZero() {
			began = time.Now()
		}
		switch {
		case err == nil:
			f.count(Stats{Sent: int64(len(spans) - rejected), Dropped: int64(rejected)})
			spans = nil
		case answers && (answer.final || time.Since(began) > patience):
			f.opts.Log.Error("events are not forwarded: the collector does not take them", "events", len(spans), "error", err)
			f.count(Stats{Dropped: int64(len(spans)), Failures: 1})
			spans = nil
		default:
			f.count(Stats{Failures: 1})
			if attempt == 0 {
				f.opts.Log.Warn("the collector does not take events; they are sent again", "events", len(spans), "error", err)
			}
			if !f.wait(min(f.opts.Retry<<min(attempt, 10), lastRetry)) {
				return errClosing
			}
		}
	}
	f.mu.Lock()
	f.at = max(f.at, upto)
	f.mu.Unlock()
	return nil
}

func (f *Forwarder) count(s Stats) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stats.Sent += s.Sent
	f.stats.Dropped += s.Dropped
	f.stats.Failures += s.Failures
}

// wait reports whether there is time for another attempt.
func (f *Forwarder) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		f.mu.Lock()
		closing := f.closing
		f.mu.Unlock()
		if closing {
			return false
		}
		select {
		case <-timer.C:
			return true
		case <-f.wake: // perhaps to close
		case <-f.ctx.Done():
			return false
		}
	}
}
