package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// followed are the tools of what the log hands out behind after.
func (r *rig) followed(after uint64) (tools []string, lost uint64) {
	r.t.Helper()
	lost, err := r.Follow(after, r.AppliedTo(), func(e store.Entry) error {
		tools = append(tools, e.Event.Tool)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return tools, lost
}

// Who follows hears of what was stored: not of what was set aside, nor of a project
// that was deleted.
func TestFollow(t *testing.T) {
	r := newRig(t, Options{Followed: func() uint64 { return 0 }})
	poison := call("poison")
	r.mem.poison[poison.Event.ID] = true
	r.submit(1, call("a"), poison, call("b"))
	r.submit(2, call("gone"))
	r.submit(1, call("c"))
	r.sync()
	if got, lost := r.followed(0); lost != 0 || !cmp.Equal(got, []string{"a", "b", "gone", "c"}) {
		t.Errorf("%v, %d lost", got, lost)
	}
	if err := r.DeleteProject(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if got, lost := r.followed(1); lost != 0 || !cmp.Equal(got, []string{"b", "c"}) {
		t.Errorf("behind the first: %v, %d lost", got, lost)
	}
	r.restart()
	if got, _ := r.followed(1); len(got) == 0 || got[0] != "b" {
		t.Errorf("behind the first, after a restart: %v", got)
	}
}

// The log waits for who follows, up to its limit; beyond that it is shortened, and
// what is missing is counted.
func TestTheLogWaitsForAFollower(t *testing.T) {
	for _, one := range []struct {
		name  string
		limit int64
		all   bool
	}{
		{"below the limit", 1 << 30, true},
		{"beyond it", 10_000, false},
	} {
		t.Run(one.name, func(t *testing.T) {
			r := newRig(t, Options{Followed: func() uint64 { return 0 }, MaxFollowed: one.limit})
			var want []string
			for i := range 300 { // segments are of 4 KiB
				it := call(fmt.Sprint(i))
				want = append(want, it.Event.Tool)
				r.submit(1, it)
			}
			r.sync()
			r.truncate()
			got, lost := r.followed(0)
			if int(lost)+len(got) != len(want) || (lost == 0) != one.all {
				t.Fatalf("%d are there and %d lost of %d", len(got), lost, len(want))
			}
			if d := cmp.Diff(want[lost:], got); d != "" {
				t.Error(d)
			}
			if size := r.log.Bytes(); !one.all && size > one.limit+8<<10 {
				t.Errorf("the log has %d bytes, the limit is %d", size, one.limit)
			}
		})
	}
}

// What the store refused is no recorded call, and is not handed out: neither while it
// is a dead letter nor when it was given up. One that was replayed is recorded.
func TestFollowPassesOverWhatWasRefused(t *testing.T) {
	r := newRig(t, Options{Followed: func() uint64 { return 0 }})
	cured, poison, dropped := call("cured"), call("poison"), call("dropped")
	for _, it := range []Item{cured, poison, dropped} {
		r.mem.poison[it.Event.ID] = true
	}
	r.submit(1, call("first"), cured, poison, dropped, call("last"))
	r.sync()
	check := func(want ...string) {
		t.Helper()
		got, lost := r.followed(0)
		if d := cmp.Diff(want, got); d != "" || lost != 0 {
			t.Errorf("%d lost, %s", lost, d)
		}
	}
	check("first", "last")
	of := func(tool string) func(DeadLetter) bool {
		return func(l DeadLetter) bool { return strings.Contains(string(l.Event), tool) }
	}
	if n, err := r.DropDeadLetters(of("dropped")); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	r.mem.set(func(m *memory) { delete(m.poison, cured.Event.ID) })
	if n, err := r.ReplayDeadLetters(ctx, of("cured")); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	r.sync()
	check("first", "cured", "last", "cured") // one event: whoever follows knows it by its id
}

// For a follower's sake the log keeps the newest, up to its limit, and what is gone is
// counted.
func TestFollowKeepsTheNewest(t *testing.T) {
	const limit = 16 << 10 // four segments
	r := newRig(t, Options{Followed: func() uint64 { return 0 }, MaxFollowed: limit})
	const n = 200
	for i := range n {
		r.submit(1, call(fmt.Sprint(i)))
		r.sync()
	}
	got, lost := r.followed(0)
	if bytes := r.log.Bytes(); bytes > limit || bytes < limit/2 {
		t.Errorf("the log takes %d bytes", bytes)
	}
	if lost == 0 || lost+uint64(len(got)) != n || got[0] != fmt.Sprint(lost) || got[len(got)-1] != fmt.Sprint(n-1) {
		t.Errorf("%d lost, and there are %d: %v", lost, len(got), got)
	}
}
