package query

import "context"

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
	totals, err := src.Totals(ctx, p.Filter)
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
	before := previousRange(p.Filter)
	if gone := answerable(kept, before); gone != nil {
		answer.NotFiltered = append(answer.NotFiltered, "previous")
		return answer, nil //nolint:nilerr // what is gone is null
	}
	if totals, err = src.Totals(ctx, before); err != nil {
		return OverviewAnswer{}, err
	}
	answer.Previous = previous(before, totals)
	if unseen, err = unseenOf(ctx, src, before); err != nil {
		return OverviewAnswer{}, err
	}
	unseen.blankPrevious(&answer.Previous)
	return answer, nil
}
