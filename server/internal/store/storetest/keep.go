package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// retention: without raw events the rollups say what they said, and what is left of
// the raw events says what a recount of it says.
func retention(t *testing.T, b *bench) {
	Check(t, 10, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		b.put(t, project, many(t, Event(), 40), sizes(t)...)
		whole := store.Filter{Project: project, From: Base, To: Base.Add(Span)}
		before := fromRollups(t, b, whole)
		cut := Base.Add(pick(t, "cut", time.Hour, 2*time.Hour))
		gone, err := b.Expire(context.Background(), project, cut, time.Time{})
		if err != nil {
			t.Fatalf("Expire: %v", err)
		}
		if diff := cmp.Diff(before, fromRollups(t, b, whole), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the rollups changed (-before +after):\n%s", diff)
		}
		old := slices.IndexFunc(b.all, func(e store.Entry) bool { return e.Event.StartedAt.Before(cut) }) >= 0
		kept, err := b.Kept(context.Background(), project)
		if err != nil || old != (gone > 0) || old != kept.Raw.Equal(cut) || !kept.Rollups.IsZero() {
			t.Errorf("%d are gone, kept is %+v, %v; something was old: %v", gone, kept, err, old)
		}
		// What began later is there, raw and counted.
		left := raw(whole)
		left.From = cut
		got, err := b.Totals(context.Background(), left)
		if diff := cmp.Diff(b.all.totals(left), got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v: what is left differs from the recount (-want +got):\n%s", err, diff)
		}
		if early, err := b.Totals(context.Background(), raw(whole)); err != nil || early.Calls != got.Calls {
			t.Errorf("%d calls are there raw, %v; want %d", early.Calls, err, got.Calls)
		}
		if _, err := b.Expire(context.Background(), project, cut, cut); err != nil {
			t.Fatalf("Expire: %v", err)
		}
		whole.From = cut
		if diff := cmp.Diff(b.all.totals(whole), fromRollups(t, b, whole).Totals, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the rollups of what is kept changed (-want +got):\n%s", diff)
		}
		whole.From, whole.To = Base, cut
		if n := fromRollups(t, b, whole).Totals.Calls; n != 0 {
			t.Errorf("%d calls are counted before the retention of rollups", n)
		}
	})
}

// keptSessionsStayWhole: a call that is no longer kept may be what joins two later ones.
func keptSessionsStayWhole(t *testing.T, b *bench) {
	project, cut := b.project(), Base.Add(time.Hour)
	long := int64(31 * 60 * 1_000_000)
	var events []umpire.Event
	for _, at := range []time.Duration{-20 * time.Second, 30 * time.Second, time.Hour} {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: cut.Add(at), Session: store.DerivedSession + "1"}
		e.Tool, e.Outcome = "find", umpire.OK
		events = append(events, e)
	}
	events[0].DurationUS = &long
	b.put(t, project, events)
	f := store.Filter{Project: project, From: cut, To: Base.Add(Span)}
	before, err := b.Totals(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Expire(t.Context(), project, cut, cut); err != nil {
		t.Fatal(err)
	}
	after, err := b.Totals(t.Context(), f)
	if err != nil || before.Sessions != 1 || after.Sessions != before.Sessions {
		t.Errorf("%d sessions before, %d after, %v; want 1 each", before.Sessions, after.Sessions, err)
	}
}

// fromRollups is what rollups alone can tell.
func fromRollups(t fataler, b *bench, f store.Filter) answers {
	t.Helper()
	a, err := ask(b, f)
	if err != nil {
		t.Fatalf("%v", err)
	}
	delete(a.Series, time.Minute.String())
	return answers{Totals: a.Totals, Series: a.Series, Tools: a.Tools, Clients: a.Clients, Facets: a.Facets, Senders: a.Senders}
}

// erasure: what was erased was never there, for every question.
func erasure(t *testing.T, b *bench) {
	Check(t, 15, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		events := many(t, Event(), 30)
		for _, e := range many(t, Call("s2"), 20) { // which follow each other closely
			e.User = pick(t, "user of a call", "", "u1", "u1")
			events = append(events, e)
		}
		b.put(t, project, events, sizes(t)...)
		whose := pick(t, "whose", store.Whose{User: "u1"}, store.Whose{User: "u1"}, store.Whose{Session: "s1"}, store.Whose{Session: "derived-1"}, store.Whose{User: "nobody"})
		n, calls := int64(len(b.all)), int64(0)
		b.all = slices.DeleteFunc(b.all, func(e store.Entry) bool {
			his := whose.User != "" && e.Event.User == whose.User || whose.Session != "" && e.Event.Session == whose.Session
			if his && e.Event.Kind == "call" {
				calls++
			}
			return his
		})
		gone, err := b.Erase(context.Background(), project, whose)
		if err != nil || gone.Events != n-int64(len(b.all)) || gone.Calls != calls || (gone.From == nil) != (gone.Events == 0) {
			t.Fatalf("Erase = %+v, %v; want %d events, %d calls", gone, err, n-int64(len(b.all)), calls)
		}
		b.check(t, store.Filter{Project: project, From: Base, To: Base.Add(Span)})
		b.check(t, Filter(project).Draw(t, "filter"))
		b.put(t, project, many(t, Event(), 10))
		b.check(t, store.Filter{Project: project, From: Base, To: Base.Add(Span)})
	})
}
