package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// whatCameNext goes through the lines of outcomes.md 6.5, one by one: what comes
// after a failure that lasts from second 0 to second 1.
func whatCameNext(t *testing.T, b *bench) {
	moved := func(e umpire.Event, change func(*umpire.Event)) umpire.Event {
		change(&e)
		return e
	}
	other := func(e *umpire.Event) { e.Session = "another" }
	for _, c := range []struct {
		name  string
		later []umpire.Event
		now   int // seconds after the failure began; 0: long after
		want  store.After
	}{
		{"nothing", nil, 0, store.After{GaveUp: 1}},
		{"nothing yet", nil, 30, store.After{Open: 1}},
		{"nothing for 30 seconds", nil, 31, store.After{GaveUp: 1}},
		{"another session", []umpire.Event{moved(call(2, "find", umpire.OK, "b"), other)}, 0, store.After{GaveUp: 1}},
		{"other arguments, ok", []umpire.Event{call(2, "find", umpire.OK, "b")}, 3, store.After{Corrected: 1}},
		{"other arguments, empty", []umpire.Event{moved(call(2, "find", umpire.OK, "b"), func(e *umpire.Event) { e.Empty = true })}, 0, store.After{Corrected: 1}},
		{"at the moment of its end", []umpire.Event{call(1, "find", umpire.OK, "b")}, 0, store.After{Corrected: 1}},
		{"while it was running", []umpire.Event{moved(call(0, "find", umpire.OK, "b"), func(e *umpire.Event) { e.StartedAt = Base.Add(time.Second / 2) })}, 0, store.After{GaveUp: 1}},
		{"after half an hour", []umpire.Event{call(1801, "find", umpire.OK, "b")}, 0, store.After{Corrected: 1}},
		{"after more", []umpire.Event{call(1802, "find", umpire.OK, "b")}, 0, store.After{GaveUp: 1}},
		{"the same arguments, ok", []umpire.Event{call(2, "find", umpire.OK, "a")}, 0, store.After{Repeated: 1}},
		{"other arguments in vain, then the same", []umpire.Event{call(2, "find", umpire.ToolError, "b"), call(5, "find", umpire.OK, "a")}, 0, store.After{Repeated: 1}},
		{"the same, then others, ok", []umpire.Event{call(2, "find", umpire.OK, "a"), call(5, "find", umpire.OK, "c")}, 0, store.After{Corrected: 1}},
		{"other arguments in vain", []umpire.Event{call(2, "find", umpire.ToolError, "b"), call(4, "buy", umpire.OK, "b")}, 0, store.After{TriedAgain: 1}},
		{"another tool", []umpire.Event{call(2, "buy", umpire.OK, "a")}, 0, store.After{AnotherTool: 1}},
		{"arguments that are not known", []umpire.Event{moved(call(2, "find", umpire.OK, ""), func(e *umpire.Event) { e.ArgsHash = "" })}, 0, store.After{Corrected: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.all = b.all[:0]
			project := b.project()
			failure := call(0, "find", umpire.BadArgs, "a")
			failure.Fingerprint = "f"
			b.put(t, project, append([]umpire.Event{failure}, c.later...))
			// The range ends before anything came: that is looked at all the same.
			f := store.Filter{Project: project, From: Base, To: Base.Add(time.Second), Fingerprint: []string{"f"}, Now: Base.Add(5 * time.Hour)}
			if c.now > 0 {
				f.Now = Base.Add(time.Duration(c.now) * time.Second)
			}
			total, rows, err := b.AfterFailures(context.Background(), f, limit)
			if err != nil || total != c.want || len(rows) != 1 || rows[0].After != c.want {
				t.Errorf("%+v, %+v, %v; want %+v", total, rows, err, c.want)
			}
			b.checkFailures(t, f)
		})
	}
}
