package pipeline

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
)

// What was erased is in no file any more: not in the log, not in the dead letters.
func TestEraseForgetsEverything(t *testing.T) {
	r := newRig(t, Options{})
	secret, poison, kept := call("secret"), call("poisoned secret"), call("kept")
	secret.Event.User, poison.Event.User, kept.Event.User = "u1", "u1", "u2"
	r.mem.poison[poison.Event.ID] = true
	r.submit(1, secret, poison)
	r.submit(1, kept)
	r.sync()
	of := func(e *umpire.Event) bool { return e.User == "u1" }
	asked := 0
	letters, err := r.Erase(ctx, 1, of, "u1", func(context.Context) error {
		asked++
		if d := cmp.Diff([]string{"1/secret", "1/kept"}, r.mem.tools()); d != "" {
			t.Errorf("not all was in the store: %s", d)
		}
		return nil
	})
	if err != nil || letters != 1 || asked != 1 {
		t.Errorf("%d dead letters, %v, asked %d times", letters, err, asked)
	}
	r.submit(1, call("later")) // it goes on
	r.sync()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.holdsNowhere("secret")
}

// Each project has a retention of its own.
func TestRetentionOfAProject(t *testing.T) {
	r := newRig(t, Options{RetentionOf: func(project uint32) time.Duration {
		if project == 1 {
			return -1
		}
		return time.Hour
	}})
	for project, want := range map[uint32]bool{1: true, 2: false} {
		old := call("old")
		old.Event.StartedAt = time.Now().Add(-2 * time.Hour).UTC()
		b := r.prepare(project, time.Now(), []Item{old}, r.retentionOf(ctx, project))
		if got := time.Since(b.entries[0].Event.StartedAt) > time.Hour; got != want {
			t.Errorf("project %d: an event of two hours ago keeps its time: %v", project, got)
		}
	}
}
