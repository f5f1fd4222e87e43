package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// wholeDaysAndHours asks for ranges of some days, of which the edges and the cut lie
// within days or between them: a store may count whole days apart from hours.
func wholeDaysAndHours(t *testing.T, b *bench) {
	const day = 24 * time.Hour
	midnight := Base.Truncate(day)
	Check(t, 3, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		events := rapid.SliceOfN(Event(), 60, 60).Draw(t, "events")
		for i := range events {
			events[i].StartedAt = events[i].StartedAt.Add(time.Duration(i%10)*day + time.Duration(i%3-1)*11*time.Hour)
		}
		b.put(t, project, events, 20)
		for _, r := range []struct{ from, to, cut time.Time }{
			{midnight.Add(day), midnight.Add(8 * day), midnight.Add(4 * day)},
			{midnight.Add(day), midnight.Add(8 * day), Base.Add(4*day + time.Hour)},
			{Base.Add(time.Hour), Base.Add(9*day + time.Hour), Base.Add(5 * day)},
			{Base.Add(time.Hour), midnight.Add(9 * day), midnight.Add(5 * day)},
			{midnight, Base.Add(9*day + time.Hour), Base.Add(time.Hour)},
			{Base.Add(time.Hour), Base.Add(9*day + time.Hour), Base.Add(9 * day)},
			{Base.Add(time.Hour), Base.Add(3*day - time.Hour), Base.Add(day)},
		} {
			f := store.Filter{Project: project, From: r.from, To: r.to}
			if diff := b.checkDays(f, r.cut); diff != "" {
				t.Errorf("from %s to %s, cut at %s: differs from the recount (-want +got):\n%s", r.from, r.to, r.cut, diff)
			}
		}
	})
}

func (b *bench) checkDays(f store.Filter, cut time.Time) string {
	type sums struct {
		Totals, Before, Since store.Totals
		Days, Hours           []store.Point
		Tools                 []store.ToolRow
	}
	early, late := f, f
	early.To, late.From = cut, cut
	want := sums{b.all.totals(f), b.all.totals(early), b.all.totals(late), b.all.series(f, 24*time.Hour), b.all.series(f, 6*time.Hour), b.all.byTool(f)}
	var got sums
	var err [5]error
	ctx := context.Background()
	got.Totals, err[0] = b.Totals(ctx, f)
	got.Before, got.Since, err[1] = b.TotalsApart(ctx, f, cut)
	got.Days, err[2] = b.Series(ctx, f, 24*time.Hour)
	got.Hours, err[3] = b.Series(ctx, f, 6*time.Hour)
	got.Tools, err[4] = b.ByTool(ctx, f)
	if err := errors.Join(err[:]...); err != nil {
		return fmt.Sprint(err)
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// checkWide asks for days around the filter's range, whole ones and hours at both ends:
// what is counted by the day has to follow whatever is done to the events.
func (b *bench) checkWide(t fataler, f store.Filter) {
	t.Helper()
	const day = 24 * time.Hour
	cut := f.From.Truncate(time.Hour).Add(time.Hour)
	f = store.Filter{
		Project: f.Project, Now: f.Now, From: f.From.Truncate(day).Add(-50 * time.Hour), To: f.To.Truncate(day).Add(76 * time.Hour),
		Server: f.Server, Version: f.Version, Env: f.Env, Tool: f.Tool, Client: f.Client, Platform: f.Platform,
	}
	if diff := b.checkDays(f, cut); diff != "" {
		t.Errorf("days, %+v, cut at %s: differs from the recount (-want +got):\n%s", f, cut, diff)
	}
}
