package query

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// granularity is a step that a series can have.
type granularity struct {
	name string
	step time.Duration
}

// granularities are all the steps, shortest first. Each divides the week (or is
// whole weeks), so that steps begin at round times (store.StepStart).
var granularities = []granularity{
	{"1m", time.Minute},
	{"5m", 5 * time.Minute},
	{"15m", 15 * time.Minute},
	{"30m", 30 * time.Minute},
	{"1h", time.Hour},
	{"2h", 2 * time.Hour},
	{"3h", 3 * time.Hour},
	{"6h", 6 * time.Hour},
	{"12h", 12 * time.Hour},
	{"1d", day},
	{"7d", 7 * day},
	{"28d", 28 * day},
}

// hourly is the shortest step that rollups know.
var hourly = granularity{"1h", time.Hour}

const (
	suitedBars = 36   // at most, of a series whose granularity was not asked for
	maxBars    = 2000 // at most, of one that was
)

// step is the granularity that was asked for, or the shortest one that gives at
// most 36 bars: 24 hours in hours, 7 days in quarters of a day, 30 days in days.
func (p Params) step() (granularity, error) {
	length := p.Filter.To.Sub(p.Filter.From)
	if p.Granularity == "" {
		for _, g := range granularities {
			if length <= suitedBars*g.step {
				return g, nil
			}
		}
		return granularities[len(granularities)-1], nil
	}
	names := make([]string, len(granularities))
	for i, g := range granularities {
		names[i] = g.name
		if g.name != p.Granularity {
			continue
		}
		if length > maxBars*g.step {
			return g, fault.New(fault.BadRequest, fmt.Sprintf("a granularity of %s is too fine for this range", g.name),
				fmt.Sprintf("give a coarser one, or a range of at most %d steps", maxBars))
		}
		return g, nil
	}
	return granularity{}, bad("granularity", p.Granularity, "one of "+strings.Join(names, ", "))
}

// Coarser is p with a granularity that gives at most so many steps, where a finer one
// was asked for, and that one's name; p itself where it does.
func (p Params) Coarser(most int) (coarser Params, finer string) {
	length := p.Filter.To.Sub(p.Filter.From)
	g, err := p.step()
	if err != nil || p.Granularity == "" || length <= time.Duration(most)*g.step {
		return p, ""
	}
	finer = p.Granularity
	for _, g := range granularities {
		if p.Granularity = g.name; length <= time.Duration(most)*g.step {
			break
		}
	}
	return p, finer
}

// seriesStep is step where it can be answered: where single events are gone, an
// hour at least.
func (p Params) seriesStep() (granularity, error) {
	g, err := p.step()
	if err == nil && p.RawGone && g.step < time.Hour {
		if p.Granularity != "" {
			return g, fault.New(fault.BadRequest, "single events of this range are no longer kept, and steps below an hour need them", "give a granularity of 1h or more")
		}
		g = hourly
	}
	return g, err
}

// series is the calls step by step, with zeros where there are none. The first
// step may begin before the range, and the last may end after it; only calls of
// the range are counted.
func series(ctx context.Context, src Source, p Params) (string, []Bucket, error) {
	g, err := p.seriesStep()
	if err != nil {
		return "", nil, err
	}
	points, err := src.Series(ctx, p.Filter, g.step)
	if err != nil {
		return "", nil, err
	}
	buckets := []Bucket{}
	for at := store.StepStart(p.Filter.From, g.step); at.Before(p.Filter.To); at = at.Add(g.step) {
		b := Bucket{At: at}
		if len(points) > 0 && points[0].At.Equal(at) {
			b = bucket(points[0])
			points = points[1:]
		}
		buckets = append(buckets, b)
	}
	if len(points) > 0 {
		return "", nil, fmt.Errorf("BUG: the store has a step at %v, which is none of the series'", points[0].At)
	}
	return g.name, buckets, nil
}

func bucket(p store.Point) Bucket {
	sessions := p.Sessions
	return Bucket{
		At: p.At, Calls: p.Calls, Slices: slicesOf(p.Counts), P95US: latency(p.Latency).P95, Sessions: &sessions,
		FirstCallSuccess: &Share{Rate: rate(p.FirstOK, p.FirstCalls), Of: p.FirstCalls},
	}
}
