package pipeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An event that was set aside and that the store takes later lands under its own
// time, once, however often it is replayed; one that is refused again stays.
func TestDeadLettersAreReplayedOnce(t *testing.T) {
	r := newRig(t, Options{})
	cured, poison, dropped := call("cured"), call("poison"), call("dropped")
	at := time.Now().Add(-5 * time.Hour).UTC().Truncate(time.Microsecond)
	cured.Event.StartedAt = at
	for _, it := range []Item{cured, poison, dropped} {
		r.mem.poison[it.Event.ID] = true
	}
	r.submit(1, cured, poison)
	r.submit(2, dropped, call("behind"))
	r.sync()
	letters := func() (tools []string) {
		t.Helper()
		if err := r.DeadLetters(func(l DeadLetter) bool {
			e, err := decode(l.Event)
			if err != nil || l.Reason != "poison" || l.ReceivedAt.IsZero() || l.ID() != e.ID.String() {
				t.Errorf("letter %+v, %v", l, err)
			}
			tools = append(tools, e.Tool)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return tools
	}
	if d := cmp.Diff([]string{"cured", "poison", "dropped"}, letters()); d != "" {
		t.Fatal(d)
	}
	if n, err := r.DropDeadLetters(func(l DeadLetter) bool { return l.Project == 2 }); n != 1 || err != nil {
		t.Errorf("%d dropped, %v", n, err)
	}
	r.mem.set(func(m *memory) { delete(m.poison, cured.Event.ID) })
	everyone := func(DeadLetter) bool { return true }
	if n, err := r.ReplayDeadLetters(ctx, everyone); n != 2 || err != nil {
		t.Errorf("%d replayed, %v", n, err)
	}
	r.submit(1, call("later"))
	r.sync()
	if d := cmp.Diff([]string{"poison"}, letters()); d != "" {
		t.Error(d)
	}
	// Sent again by its sender: it is there.
	if got := r.submit(1, cured); got.Duplicates != 1 {
		t.Errorf("sent again: %+v", got)
	}
	r.restart()
	if n, err := r.ReplayDeadLetters(ctx, everyone); n != 1 || err != nil {
		t.Errorf("%d replayed, %v", n, err)
	}
	r.submit(1, call("last"))
	r.sync()
	if d := cmp.Diff([]string{"2/behind", "1/cured", "1/later", "1/last"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
	if e := r.mem.entries[1]; !e.Event.StartedAt.Equal(at) {
		t.Errorf("replayed under %s, want %s", e.Event.StartedAt, at)
	}
	if d := cmp.Diff([]string{"poison"}, letters()); d != "" {
		t.Error(d)
	}
}
