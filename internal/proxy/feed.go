package proxy

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// feedBytes and feedPieces bound what waits for the Tap.
	feedBytes  = 16 << 20
	feedPieces = 1 << 16
	// feedRest is how long what was seen rests before a Tap is told of it: until
	// then server and client have most likely done with it, and the Tap's work is
	// in nobody's way. feedSoon ends the rest: so many bytes wait already.
	feedRest = 5 * time.Millisecond
	feedSoon = 1 << 20
	// feedPanics is how often a Tap may panic before it is given up.
	feedPanics = 5
)

// feed is the queue between the relays and the Taps. put never waits: what finds
// no room is dropped and counted, and the Tap hears of the gap in its place.
type feed struct {
	say func(string) // to people; at most a few times

	mu     sync.Mutex
	waits  []note
	bytes  int
	gaps   map[Tap]bool // taps that missed something since the last note
	closed bool

	wake    chan struct{} // 1 deep
	rests   atomic.Bool   // wake will come by itself
	done    chan struct{}
	off     atomic.Bool // the Tap is given up: nothing is copied any more
	dropped atomic.Uint64
	panics  int
	live    map[Tap]bool // taps that were told something and have not ended
}

// note is one thing to tell a Tap.
type note struct {
	to   Tap
	what func(Tap, []byte, time.Time)
	data []byte
	at   time.Time
	last bool // the Tap hears no more
}

func newFeed(say func(string)) *feed {
	f := &feed{
		say: say, gaps: map[Tap]bool{}, live: map[Tap]bool{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go f.run()
	return f
}

// put queues a copy of data. The relay calls it before it passes the bytes on, so
// that an answer never stands before its question, and rouse after: to set a clock
// costs more than the copy.
func (f *feed) put(to Tap, what func(Tap, []byte, time.Time), data []byte, at time.Time) {
	if f.off.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
	case f.bytes+len(data) > feedBytes || len(f.waits) >= feedPieces:
		f.dropped.Add(1)
		f.gaps[to] = true
	default:
		f.mend(to, at)
		f.bytes += len(data)
		f.waits = append(f.waits, note{to: to, what: what, data: bytes.Clone(data), at: at})
		if f.bytes >= feedSoon {
			f.now()
		}
	}
}

// mend puts the gap into the place of what is missing; the lock is held.
func (f *feed) mend(to Tap, at time.Time) {
	if f.gaps[to] {
		delete(f.gaps, to)
		f.waits = append(f.waits, note{to: to, what: toldGap, at: at})
	}
}

// end queues the end of a Tap. It always finds room.
func (f *feed) end(to Tap, how End, at time.Time) {
	f.mu.Lock()
	if !f.closed {
		f.mend(to, at)
		f.waits = append(f.waits, note{to: to, at: at, last: true, what: func(t Tap, _ []byte, at time.Time) { t.End(how, at) }})
	}
	f.mu.Unlock()
	f.rouse()
}

func toldClient(t Tap, piece []byte, at time.Time) { t.Client(piece, at) }
func toldServer(t Tap, piece []byte, at time.Time) { t.Server(piece, at) }
func toldGap(t Tap, _ []byte, at time.Time)        { t.Gap(at) }
func toldTick(t Tap, _ []byte, at time.Time)       { t.Tick(at) }

// rouse sees to it that the Taps hear of what was put, soon.
func (f *feed) rouse() {
	if f.rests.Swap(true) {
		return
	}
	time.AfterFunc(feedRest, f.now)
}

// now lets the Taps hear of what was put.
func (f *feed) now() {
	f.rests.Store(false)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// close lets the Taps hear what waits, for as long as patience, and ends.
func (f *feed) close(patience time.Duration) {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.now()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-f.done:
	case <-timer.C:
	}
}

func (f *feed) run() {
	defer close(f.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		f.mu.Lock()
		notes, closed := f.waits, f.closed
		f.waits = nil
		f.mu.Unlock()
		for i := range notes {
			f.tell(&notes[i])
			f.mu.Lock()
			f.bytes -= len(notes[i].data)
			f.mu.Unlock()
			notes[i] = note{}
		}
		if len(notes) > 0 {
			continue
		}
		if closed {
			return
		}
		select {
		case <-f.wake:
		case at := <-tick.C:
			for t := range f.live {
				f.tell(&note{to: t, what: toldTick, at: at})
			}
		}
	}
}

// tell tells one Tap one thing, and survives it. A Tap that panicked is in some
// state, as after a gap.
func (f *feed) tell(n *note) {
	if f.off.Load() {
		return
	}
	f.live[n.to] = true
	if n.last {
		delete(f.live, n.to)
	}
	if !f.survives(n) && !n.last {
		f.survives(&note{to: n.to, what: toldGap, at: n.at})
	}
}

func (f *feed) survives(n *note) (well bool) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		f.panics++
		if f.panics == 1 {
			f.say(fmt.Sprintf("a bug of Umpire (panic: %v): the server is not touched by it; what was seen at that moment is not recorded", r))
		}
		if f.panics == feedPanics {
			f.off.Store(true)
			f.say("the bug repeats itself: nothing more is recorded; the server is not touched by it")
		}
	}()
	n.what(n.to, n.data, n.at)
	return true
}
