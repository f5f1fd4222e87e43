package migrate

import (
	"context"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// verify compares every table of the project by the hour.
func (r *run) verify(ctx context.Context, p plan) error {
	for _, t := range append(tables(), store.Catalog) {
		first, last, err := r.from.Span(ctx, t, p.ID)
		if err != nil {
			return err
		}
		if first.IsZero() {
			continue
		}
		for at, end := first.Truncate(day), last; !at.After(end); at = at.Add(31 * day) {
			r.progress.Day = at
			r.tell(r.progress)
			want, err := r.from.Sums(ctx, t, p.ID, at, at.Add(31*day))
			if err != nil {
				return err
			}
			have, err := r.to.Sums(ctx, t, p.ID, at, at.Add(31*day))
			if err != nil {
				return err
			}
			if d := differs(t, want, have); d != nil {
				return fault.New(fault.Conflict, fmt.Sprintf("the copy differs: %s of project %q, hour %s: %s", t.Name, p.Name, d.hour.Format(time.RFC3339), d.what),
					"nothing was changed in the source. Was something else written to the new store meanwhile? Delete the project there, or take an empty database, and run this again")
			}
		}
	}
	return nil
}

// difference is the first hour in which two stores differ.
type difference struct {
	hour time.Time
	what string
}

// differs compares what a table holds by the hour; nil: nothing differs.
func differs(t store.Table, want, have []store.HourSums) *difference {
	w, h := byHour(t, want), byHour(t, have)
	var first *difference
	note := func(hour time.Time, what string) {
		if first == nil || hour.Before(first.hour) {
			first = &difference{hour, what}
		}
	}
	for hour, sums := range w {
		other, there := h[hour]
		if !there {
			note(hour, "it is missing")
			continue
		}
		if exact(t) && sums.Rows != other.Rows {
			note(hour, fmt.Sprintf("%d rows, and %d in the copy", sums.Rows, other.Rows))
		}
		for i, name := range t.Summed() {
			if sums.Sums[i] != other.Sums[i] {
				note(hour, fmt.Sprintf("%s %d, and %d in the copy", name, sums.Sums[i], other.Sums[i]))
			}
		}
	}
	for hour := range h {
		if _, there := w[hour]; !there {
			note(hour, "it is in the copy alone")
		}
	}
	return first
}

// exact reports whether the number of rows says something: deltas that add up to
// nothing may be left of a rollup in one store and not in the other.
func exact(t store.Table) bool {
	if t.Name == store.Events.Name {
		return true
	}
	for _, c := range t.Columns {
		if c.Of == "sum(%)" {
			return false
		}
	}
	return true
}

// byHour leaves out hours that hold nothing but zeroes, of tables of deltas.
func byHour(t store.Table, all []store.HourSums) map[time.Time]store.HourSums {
	out := map[time.Time]store.HourSums{}
	for _, s := range all {
		empty := !exact(t)
		for _, n := range s.Sums {
			empty = empty && n == 0
		}
		if !empty {
			out[s.Hour] = s
		}
	}
	return out
}

func rowsOf(all []store.HourSums) (n int64) {
	for _, s := range all {
		n += s.Rows
	}
	return n
}
