package pipeline

import (
	"testing"
	"time"
)

// The machine's clock is set, back and forward, in either case far: events that the
// senders date rightly keep their time, and none is taken twice.
func TestTheClockIsSet(t *testing.T) {
	for _, c := range []struct {
		name string
		step time.Duration
	}{
		{"an hour back", -time.Hour},
		{"a year back", -365 * 24 * time.Hour},
		{"an hour forward", time.Hour},
		{"a year forward", 365 * 24 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Options{})
			at := time.Now().UTC().Truncate(time.Microsecond)
			before, after := call("before"), call("after")
			before.Event.StartedAt, after.Event.StartedAt = at, at
			r.submit(1, before)
			for range 2 {
				if _, err := r.Submit(ctx, 1, time.Now().Add(c.step), []Item{after, before}); err != nil {
					t.Fatal(err)
				}
			}
			r.sync()
			r.mem.mu.Lock()
			defer r.mem.mu.Unlock()
			if len(r.mem.entries) != 2 {
				t.Errorf("%d are stored", len(r.mem.entries))
			}
			for _, e := range r.mem.entries {
				if !e.Event.StartedAt.Equal(at) {
					t.Errorf("%s is stored under %s, was at %s", e.Event.Tool, e.Event.StartedAt, at)
				}
			}
			if n := r.Stats().ClockSteps; n != 1 {
				t.Errorf("%d steps were seen, want 1", n)
			}
		})
	}
}

// A clock that was set back while the server was stopped: what the log holds shows
// that it is later.
func TestTheClockWasSetBackBeforeTheStart(t *testing.T) {
	r := newRig(t, Options{})
	r.mem.set(func(m *memory) { m.down = errAway })
	later := time.Now().Add(3 * time.Hour) // as it was before
	if _, err := r.Submit(ctx, 1, later, []Item{call("a")}); err != nil {
		t.Fatal(err)
	}
	r.restart()
	r.mem.set(func(m *memory) { m.down = nil })
	b := call("b")
	b.Event.StartedAt = later.UTC().Truncate(time.Microsecond)
	r.submit(1, b)
	r.sync()
	r.mem.mu.Lock()
	defer r.mem.mu.Unlock()
	if got := r.mem.entries[1].Event.StartedAt; !got.Equal(b.Event.StartedAt) {
		t.Errorf("stored under %s, was at %s", got, b.Event.StartedAt)
	}
}

// The set of recent ids forgets by the clock: after a step forward an id that it has
// forgotten is still looked up in the store.
func TestAStepForwardForgetsNoID(t *testing.T) {
	r := newRig(t, Options{RecentIDs: 20})
	slow := time.Now().Add(-2 * time.Hour) // the machine's clock, at first
	first := calls(5)
	submit := func(now time.Time, items []Item) Receipt {
		t.Helper()
		got, err := r.Submit(ctx, 1, now, append([]Item(nil), items...))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	r.clock.offset = -2 * time.Hour
	r.ids.recent.started = slow
	submit(slow, first)
	for range 3 {
		submit(slow, calls(30)) // forgets the first
	}
	r.ids.mu.Lock()
	r.ids.recent.since, r.ids.recent.started = slow.Add(time.Second), slow.Add(time.Second)
	r.ids.mu.Unlock()
	r.sync()
	if got := submit(time.Now(), first); got.Duplicates != 5 {
		t.Errorf("after the step: %+v", got)
	}
}

// timesOf is a clock that was never set.
func timesOf(received time.Time, retention time.Duration) times {
	return times{received: received, earliest: received, latest: received, retention: retention}
}

// What is dated further ahead than clocks are apart is counted, for umpire doctor.
func TestEventsAheadAreCounted(t *testing.T) {
	r := newRig(t, Options{})
	for _, ahead := range []time.Duration{-time.Hour, 9 * time.Minute, 11 * time.Minute, time.Hour} {
		c := call("t")
		c.Event.StartedAt = time.Now().Add(ahead)
		r.submit(1, c)
	}
	if n := r.Stats().Ahead; n != 2 {
		t.Errorf("%d are counted, want 2", n)
	}
}
