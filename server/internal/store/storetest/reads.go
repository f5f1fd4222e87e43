package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// readsAreNoCalls: resources, prompts, handshakes and events of one's own change
// no figure at all, whatever they carry and though they bear a tool's name; a
// handshake makes no session (outcomes.md 6.1).
func readsAreNoCalls(t *testing.T, b *bench) {
	filters := []store.Filter{
		{Project: 1, From: Base, To: Base.Add(Span)},
		{Project: 1, From: Base, To: Base.Add(Span), Tool: []string{"find"}},
	}
	b.put(t, 1, []umpire.Event{call(0, "find", umpire.OK, "a"), call(100, "find", umpire.Crashed, "b")})
	before := make([]answers, len(filters))
	for i, f := range filters {
		a, err := ask(b, f)
		if err != nil {
			t.Fatal(err)
		}
		before[i] = a
	}
	var beside []umpire.Event
	for i, kind := range []string{"resource", "prompt", "session", "custom"} {
		for j, outcome := range []umpire.Outcome{umpire.OK, umpire.BadArgs, umpire.ToolError, umpire.Crashed, ""} {
			e := call(1+20*i+j, "find", outcome, "c")
			e.Kind, e.Session, e.Cause, e.ErrorType, e.Fingerprint = kind, "other", "unknown_tool", "net.OpError", "f"
			e.Client = umpire.Peer{Name: "another", Version: "9"}
			e.Empty = outcome == umpire.OK
			e.Suspects, e.Near = []string{"error_text"}, []string{"buy"}
			e.BadParams = []umpire.BadParam{{Path: "/a", Rule: "type"}}
			beside = append(beside, e)
		}
	}
	b.put(t, 1, beside, 7)
	for i, f := range filters {
		for _, f := range []store.Filter{f, raw(f)} {
			after, err := ask(b, f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before[i], after, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%+v: what is no call moved a figure (-before +after):\n%s", f, diff)
			}
		}
		b.check(t, f)
	}
}
