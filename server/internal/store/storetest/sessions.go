package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// derivedSessionsEnd: a session that was derived from a user ends where the user
// was silent for half an hour (outcomes.md 6.1), whatever came late and whichever
// of its calls a filter lets through.
func derivedSessionsEnd(t *testing.T, b *bench) {
	in := func(session, tool string, minute float64, lasted time.Duration) umpire.Event {
		e := call(0, tool, umpire.OK, "a")
		e.StartedAt = Base.Add(time.Duration(minute * float64(time.Minute)))
		us := lasted.Microseconds()
		e.Session, e.DurationUS = session, &us
		return e
	}
	const u, v, plain = "derived-u", "derived-v", "s"
	for _, c := range []struct {
		name            string
		event           umpire.Event
		sessions, finds int64 // in all, and of the tool find
	}{
		{"its first call", in(u, "find", 0, time.Minute), 1, 1},
		{"half an hour after that ended", in(u, "find", 31, 0), 2, 2},
		{"the same user's call between the two, late: one session after all", in(u, "buy", 20, 0), 1, 1},
		{"a call that takes long", in(u, "buy", 45, 50*time.Minute), 1, 1},
		{"is no silence", in(u, "find", 124, 0), 1, 1},
		{"a long silence, over whole hours", in(u, "find", 600, 0), 2, 2},
		{"of which this one has a part", in(u, "buy", 300, 0), 3, 2},
		{"another user", in(v, "find", 0, 0), 4, 3},
		{"whose next call comes an instant too soon", in(v, "find", 29.999, 0), 4, 3},
		{"a session of a transport", in(plain, "find", 0, 0), 5, 4},
		{"is one for as long as it lives", in(plain, "find", 1000, 0), 5, 4},
		{"a call that claims a month counts as one of a day", in(u, "buy", 601, 30*24*time.Hour), 5, 4},
		{"so that this is still the same session", in(u, "find", 601+24*60+29, 0), 5, 4},
		{"and this, two days later, a new one", in(u, "find", 601+72*60, 0), 6, 5},
	} {
		b.put(t, 1, []umpire.Event{c.event})
		whole := store.Filter{Project: 1, From: Base, To: Base.Add(100 * time.Hour)}
		finds := whole
		finds.Tool = []string{"find"}
		for _, q := range []struct {
			f    store.Filter
			want int64
		}{{whole, c.sessions}, {finds, c.finds}, {raw(whole), c.sessions}, {raw(finds), c.finds}} {
			got, err := b.Totals(context.Background(), q.f)
			if err != nil || got.Sessions != q.want {
				t.Errorf("%s: %d sessions (tool %q, rollups %v), %v; want %d", c.name, got.Sessions, q.f.Tool, q.f.FromRollups(), err, q.want)
			}
		}
	}
	for _, f := range []store.Filter{
		{Project: 1, From: Base, To: Base.Add(100 * time.Hour)},
		{Project: 1, From: Base.Add(time.Hour), To: Base.Add(3 * time.Hour)},
		{Project: 1, From: Base.Add(34 * time.Hour), To: Base.Add(36 * time.Hour)},
		{Project: 1, From: Base.Add(20 * time.Minute), To: Base.Add(124*time.Minute + time.Second), Session: []string{u}},
	} {
		b.check(t, f)
	}
}
