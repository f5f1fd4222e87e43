package umpire

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// sender is the one goroutine of a client. It alone touches its fields; what it
// shares with callers is in Client, under its lock.
type sender struct {
	c     *Client
	enc   encoder
	door  door
	spool spool
	drain drainer

	pending  []batch   // encoded and not settled, oldest first
	dueAt    time.Time // when the queue is sent though no batch is full
	retryAt  time.Time // nothing is tried before
	attempts int       // in a row that failed
	failing  time.Time // when the first of them began; zero if there is none
	told     bool      // the server itself named retryAt
	down     bool      // the last attempt reached no Umpire server: soon is no better than now
	up       bool      // the last attempt was answered by an Umpire server

	announced bool
	reported  bool // Close has tried to tell the drops
	turn      bool // the spool's, when there are new events and old ones
}

func newSender(c *Client, target *url.URL) *sender {
	s := &sender{
		c:    c,
		enc:  encoder{opts: c.opts, what: c.what, redaction: c.redaction},
		door: newDoor(c.opts, target),
		spool: spool{
			dir: spoolDir(c.opts, target), limit: c.opts.SpoolBytes, voice: c.voice,
		},
	}
	c.spoolable = s.spool.usable()
	return s
}

type action int

const (
	actWait action = iota
	actSend
	actSpool
	actReport // an empty list: the announcement, or drops that are left to tell
	actDrain
	actStop // nobody will ever take what waits
	actQuit
)

func (s *sender) run() {
	defer close(s.c.ended)
	defer s.finish()
	defer func() {
		if r := recover(); r != nil {
			s.c.voice.once("stopped by a bug of its own (panic: %T): nothing more is recorded", r)
			s.stop(dropLost)
		}
	}()
	s.drain.paths = s.spool.left()
	for {
		act, wait := s.plan(time.Now())
		switch act {
		case actSend:
			s.send()
		case actSpool:
			s.toSpool()
		case actReport:
			s.report()
		case actDrain:
			s.drainStep()
		case actStop:
			s.stop(dropUnauthorized)
		case actWait:
			s.sleep(wait)
		case actQuit:
			return
		}
	}
}

// plan decides what to do next, and for how long to wait if that is nothing;
// zero means until woken.
func (s *sender) plan(now time.Time) (action, time.Duration) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fresh {
		c.fresh, s.down = false, false
		if !s.told {
			s.retryAt = time.Time{}
		}
	}
	waiting := c.taken > c.settled
	stored := s.drain.more() || s.spool.file != nil
	urgent := c.closing || len(c.waiters) > 0
	blocked := now.Before(s.retryAt)
	if c.hurry && !c.closing && (!waiting || !s.spool.usable()) {
		c.hurry = false
	}
	s.startClock(now)

	switch {
	case c.stopped && c.closing:
		return actQuit, 0
	case c.stopped:
		return actWait, 0
	case waiting && s.spool.usable() && (c.hurry || s.overflows(now, urgent, blocked)):
		return actSpool, 0
	case c.barred:
		return s.planBarred(now, waiting)
	case c.hurry && c.closing:
		return actQuit, 0
	case waiting && !blocked && (urgent || s.due(now)):
		if s.turn && stored && s.up && !urgent {
			return actDrain, 0
		}
		return actSend, 0
	case c.closing && !waiting:
		if !blocked && !s.reported && (len(c.drops) > 0 || !s.announced) {
			s.reported = true
			return actReport, 0
		}
		return actQuit, 0
	case !blocked && !s.announced:
		return actReport, 0
	case !blocked && stored: // if the server is away, this finds out when it is back
		return actDrain, 0
	}
	wakeAt := s.dueAt
	if blocked {
		awayAt := s.failing.Add(awayAfter)
		if awayAt.Before(wakeAt) {
			awayAt = wakeAt
		}
		if wakeAt = s.retryAt; waiting && s.spool.usable() && awayAt.Before(wakeAt) {
			wakeAt = awayAt
		}
	}
	if wakeAt.IsZero() {
		return actWait, 0
	}
	return actWait, wakeAt.Sub(now)
}

// overflows reports whether events that wait go to disk: nobody can take them
// before Flush or Close want to be over, the server has been away for more than
// a moment, or the queue fills up.
func (s *sender) overflows(now time.Time, urgent, blocked bool) bool {
	switch {
	case s.c.barred:
		return urgent || s.due(now)
	case urgent:
		return s.down || s.told && blocked
	case s.c.fills(3, 4):
		return true
	case !s.failing.IsZero() && s.c.fills(1, 4):
		return true // before the next attempt, which may hang while the rest fills up
	}
	return blocked && s.due(now) && now.Sub(s.failing) >= awayAfter
}

// planBarred is what is left to do for a client whose key is refused, and whose
// events wait on disk for one who is not.
func (s *sender) planBarred(now time.Time, waiting bool) (action, time.Duration) {
	switch {
	case waiting && !s.spool.usable():
		return actStop, 0
	case s.c.closing && !waiting:
		return actQuit, 0
	case s.dueAt.IsZero():
		return actWait, 0
	}
	return actWait, max(s.dueAt.Sub(now), 1)
}

// startClock gives the first event of a queue its time to wait for others.
func (s *sender) startClock(now time.Time) {
	switch {
	case s.c.queue.events == 0:
		s.dueAt = time.Time{}
	case s.dueAt.IsZero():
		s.dueAt = now.Add(s.c.opts.FlushInterval)
	}
}

func (s *sender) due(now time.Time) bool {
	return len(s.pending) > 0 || s.c.queue.events >= s.c.batchN || !s.dueAt.IsZero() && !now.Before(s.dueAt)
}

func (s *sender) sleep(d time.Duration) {
	if d <= 0 {
		<-s.c.wake
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.c.wake:
	case <-t.C:
	}
}

// describe names an event in debug lines by what is no secret.
func describe(e *Event, err error) string {
	s := fmt.Sprintf("%s %s %s %s", e.ID, quote(e.Kind), quote(e.Tool), quote(string(e.Outcome)))
	if err != nil {
		s += " dropped: " + quote(err.Error())
	}
	return s
}

// send delivers the oldest events.
func (s *sender) send() {
	s.turn = true
	if len(s.pending) == 0 && (!s.load() || len(s.pending) == 0) {
		return
	}
	b := &s.pending[0]
	a := s.post(b)
	switch a.reception {
	case accepted:
		s.settle(b, fate{sent: len(b.ends) - a.rejected, rejected: a.rejected, duplicates: a.duplicates})
		s.pending = s.pending[1:]
	case refused:
		s.settle(b, fate{dropped: dropRefused})
		s.pending = s.pending[1:]
	case tooLarge:
		if len(b.ends) == 1 {
			s.settle(b, fate{dropped: dropTooLarge})
			s.pending = s.pending[1:]
			break
		}
		first, second := b.halve()
		s.pending = append([]batch{first, second}, s.pending[1:]...)
	case unauthorized, later, interrupted: // nothing is settled, or all of it
	}
}

// report sends an empty list: it proves key and endpoint, and tells the drops.
func (s *sender) report() {
	if a := s.post(&batch{}); a.reception == refused || a.reception == tooLarge {
		s.announced = true // this door will never take one
	}
}

// post makes one attempt and draws the conclusions that do not depend on
// whose events they are.
func (s *sender) post(b *batch) answer {
	drops := s.c.dropsToTell()
	a := s.attempt(b, drops)
	switch a.reception {
	case accepted:
		s.c.dropsTold(drops)
		s.announced = true
		if s.spool.resume() {
			s.hasSpool(true)
		}
	case unauthorized:
		s.bar(a)
	case later:
		s.postpone(a)
	case refused, tooLarge, interrupted:
	}
	if a.reception != later && a.reception != interrupted {
		s.attempts, s.failing, s.told, s.down, s.up = 0, time.Time{}, false, false, a.reception != unauthorized
	}
	return a
}

// bar ends all sending: the server refuses the key. What is recorded waits on
// disk for a client with this key that is not refused; without a place on disk
// it is dropped.
func (s *sender) bar(a answer) {
	s.c.voice.once("%s refuses the key (%s): nothing more is sent; check UMPIRE_KEY or Options.Key", s.door.name, a.why)
	if !s.spool.usable() {
		s.stop(dropUnauthorized)
		return
	}
	s.c.mu.Lock()
	s.c.barred = true
	s.c.mu.Unlock()
}

// attempt is one request, which a hurried Flush or Close, or a queue that fills
// up, may cut short.
func (s *sender) attempt(b *batch, drops map[string]int) answer {
	ctx, cancel, ok := s.c.begin()
	if !ok {
		return answer{reception: interrupted}
	}
	defer cancel()
	a := s.door.post(ctx, b, drops)
	if s.c.end() && a.reception == later {
		a.reception = interrupted
	}
	s.c.voice.debugf("%d events to %s: %s", len(b.ends), s.door.name, a.why)
	s.c.voice.debugDrops(drops)
	for _, r := range a.reasons {
		s.c.voice.debugf("%s", r)
	}
	return a
}

// postpone sets when to try again: when the server said, else after a delay
// that doubles, with jitter so that many senders do not come back together.
func (s *sender) postpone(a answer) {
	if a.misplaced {
		s.c.voice.once("%s does not answer like an Umpire server (%s): check UMPIRE_ENDPOINT or Options.Endpoint", s.door.name, a.why)
	}
	wait := a.wait
	if wait == 0 {
		wait = backoff(s.attempts)
	}
	s.attempts++
	if s.failing.IsZero() {
		s.failing = s.c.since
	}
	s.told, s.down, s.up = a.wait > 0, a.down || a.misplaced, false
	s.retryAt = time.Now().Add(wait)
	s.c.voice.debugf("next attempt in %s", wait.Round(time.Millisecond))
}

// toSpool writes everything that waits to disk.
func (s *sender) toSpool() {
	for s.load() {
	}
	n, err := s.spool.write(s.pending)
	for i := range s.pending[:n] {
		s.settle(&s.pending[i], fate{spooled: len(s.pending[i].ends)})
	}
	s.pending = s.pending[n:]
	switch {
	case errors.Is(err, errSpoolFull):
		for i := range s.pending {
			s.settle(&s.pending[i], fate{dropped: dropSpoolFull})
		}
		s.pending = nil
	case err != nil:
		s.c.voice.debugf("the spool is off: %v", err)
		s.hasSpool(false)
	default:
		s.c.voice.debugf("%d batches put into the spool", n)
	}
}

// drainStep sends one batch of the spool, or gets on to the next file.
func (s *sender) drainStep() {
	s.turn = false
	b := s.drain.load(s)
	if b == nil {
		return
	}
	switch a := s.post(b); a.reception {
	case accepted, refused:
		s.drained(len(b.ends))
		if s.drain.file != nil {
			s.drain.load(s) // so that a file that is done is gone
		}
	case tooLarge:
		if len(b.ends) == 1 {
			s.drained(1)
			break
		}
		first, second := b.halve()
		s.drain.pending = append([]batch{first, second}, s.drain.pending[1:]...)
	case unauthorized, later, interrupted: // the file stays
	}
}

func (s *sender) drained(n int) {
	s.drain.pending = s.drain.pending[1:]
	s.c.mu.Lock()
	s.c.stats.Drained += uint64(n)
	s.c.mu.Unlock()
}

// finish leaves nothing behind: no event unaccounted, no file that nobody needs,
// no connection. What the spool could not take, as when the disk is full, waits
// in the journal.
func (s *sender) finish() {
	s.abandon(dropLost, s.c.journal.waiting())
	s.drain.close()
	s.spool.close()
	s.c.mu.Lock()
	s.c.journal.close()
	s.c.mu.Unlock()
	s.door.close()
}
