package pipeline

import (
	"fmt"
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
