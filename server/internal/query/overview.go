package query

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Overview answers: how are the calls of this project ending?
func Overview(ctx context.Context, src Source, p Params) (OverviewAnswer, error) {
	return asOne(ctx, src, func(src Source) (OverviewAnswer, error) { return overviewOf(ctx, src, p) })
}

func overviewOf(ctx context.Context, src Source, p Params) (OverviewAnswer, error) {
	answer := OverviewAnswer{Header: p.header()}
	kept, err := keptFor(ctx, src, p.Filter)
	if err != nil {
		return OverviewAnswer{}, err
	}
	p.RawGone = rawGone(kept, p.Filter)
	before := previousRange(p.Filter)
	compared := answerable(kept, before) == nil
	totals, earlier, err := totalsOf(ctx, src, p.Filter, before, compared)
	if err != nil {
		return OverviewAnswer{}, err
	}
	answer.Measures, answer.Histogram = measure(totals), bars(totals.Latency)
	answer.Pending, answer.NotFiltered = p.pending()
	answer.Dropped = p.Dropped
	unseen, err := unseenOf(ctx, src, p.Filter)
	if err != nil {
		return OverviewAnswer{}, err
	}
	unseen.blank(&answer.Measures)
	answer.price(p.Prefs)
	answer.NotReported = unseen.list
	if answer.Granularity, answer.Series, err = series(ctx, src, p); err != nil {
		return OverviewAnswer{}, err
	}
	if answer.Changes, err = changesOf(ctx, src, p.Filter); err != nil {
		return OverviewAnswer{}, err
	}
	if !compared { // what is gone is null
		answer.NotFiltered = append(answer.NotFiltered, "previous")
		return answer, nil
	}
	answer.Previous = previous(before, earlier)
	if unseen, err = unseenOf(ctx, src, before); err != nil {
		return OverviewAnswer{}, err
	}
	unseen.blankPrevious(&answer.Previous)
	return answer, nil
}

// totalsOf are the totals of the range, and of the one right before it if it is compared
// with: asked as one, because most of what a question takes is to plan it.
func totalsOf(ctx context.Context, src Source, f, before store.Filter, compared bool) (now, earlier store.Totals, err error) {
	if !compared {
		now, err = src.Totals(ctx, f)
		return now, store.Totals{}, err
	}
	both := f
	both.From = before.From
	earlier, now, err = src.TotalsApart(ctx, both, f.From)
	return now, earlier, err
}
