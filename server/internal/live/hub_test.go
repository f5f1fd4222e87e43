package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

func batch(project uint32, n int) []store.Entry {
	var out []store.Entry
	for i := range n {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: time.Unix(int64(i), 0)}
		e.Tool, e.Outcome = fmt.Sprint("t", i), umpire.OK
		out = append(out, store.Entry{Project: project, Event: e})
	}
	return out
}

// A watcher is shown every event of his project or told how many he missed.
func TestEveryEventIsShownOrCounted(t *testing.T) {
	for _, sizes := range [][]int{{1}, {10, 10}, {300}, {200, 200}, {5000}, {100, 5000, 3}} {
		h := New()
		w, _ := h.Watch(1)
		other, _ := h.Watch(2)
		total := 0
		for _, n := range sizes {
			h.Applied(append(batch(3, 5), batch(1, n)...))
			total += n
		}
		events, missed := w.Take()
		if len(events)+int(missed) != total || len(events) > buffered {
			t.Errorf("%v: %d shown, %d missed, of %d", sizes, len(events), missed, total)
		}
		if n := sizes[len(sizes)-1]; events[len(events)-1].Tool != fmt.Sprint("t", n-1) {
			t.Errorf("%v: the last shown is %s", sizes, events[len(events)-1].Tool)
		}
		if events, missed := other.Take(); len(events) > 0 || missed > 0 {
			t.Errorf("another project's watcher saw %d events, missed %d", len(events), missed)
		}
	}
}

// Who comes later sees the last events, and only his project's.
func TestRecentComesFirst(t *testing.T) {
	h := New()
	h.Applied(batch(1, 80))
	h.Applied(batch(2, 1))
	w, _ := h.Watch(1)
	events, missed := w.Take()
	if len(events) != Recent || missed != 0 || events[0].Tool != "t30" {
		t.Errorf("%d events, the first %v, %d missed", len(events), events[0].Tool, missed)
	}
	h.Forget(1)
	again, _ := h.Watch(1)
	if events, _ := again.Take(); len(events) > 0 {
		t.Errorf("%d events of a project that was forgotten", len(events))
	}
}

// Nobody waits for a reader who never reads, and a closed watcher makes room.
func TestNobodyWaits(t *testing.T) {
	h := New()
	var all []*Watcher
	for range MaxWatchers {
		w, ok := h.Watch(1)
		if !ok {
			t.Fatal("no room")
		}
		all = append(all, w)
	}
	if _, ok := h.Watch(1); ok {
		t.Error("more watch than may")
	}
	for range 50 {
		h.Applied(batch(1, 20)) // returns
	}
	all[0].Close()
	if _, ok := h.Watch(1); !ok {
		t.Error("a closed watcher makes no room")
	}
}

func TestPasses(t *testing.T) {
	e := umpire.Event{Kind: "call", Client: umpire.Peer{Name: "cursor"}}
	e.Tool, e.Outcome = "find", umpire.Crashed
	for _, c := range []struct {
		f    store.Filter
		want bool
	}{
		{store.Filter{}, true},
		{store.Filter{Tool: []string{"buy", "find"}, Client: []string{"cursor"}}, true},
		{store.Filter{Tool: []string{"buy"}}, false},
		{store.Filter{Slice: []string{"crashed"}, Outcome: []string{"crashed"}}, true},
		{store.Filter{Slice: []string{"ok"}}, false},
		{store.Filter{Cause: []string{store.Unknown}, ErrorType: []string{store.Unknown}, ErrorStatus: []string{store.Unknown}}, true},
		{store.Filter{ErrorStatus: []string{"404"}}, false},
		{store.Filter{User: []string{store.Unknown}, Session: []string{store.Unknown}, Platform: []string{store.Unknown}}, true},
		{store.Filter{Env: []string{"prod"}}, false},
	} {
		if got := ofEvent(&e).Passes(c.f); got != c.want {
			t.Errorf("%+v: %v", c.f, got)
		}
	}
}
