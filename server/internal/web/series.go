package web

import (
	"html/template"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// figure is a picture with its title and the same numbers as a table.
type figure struct {
	Title          string
	Picture, Table template.HTML
	// Bars says that each bar is a link.
	Bars bool
	// Note says that the steps are not those that were asked for.
	Note string
	// Breaks explain the letters in the picture.
	Breaks []breakRow
}

// barsMax is how many steps a page draws: with more it would be large, and no bar could
// be told from its neighbours.
const barsMax = 96

const day = 24 * time.Hour

// callsOverTime is the series as a picture. Each bar is a link to its own range
// on the same page.
func callsOverTime(sc *scope, h query.Header, granularity string, buckets []query.Bucket, changes []query.Change) figure {
	return overTime(sc, h, "Calls", granularity, buckets, changes)
}

// failuresOnly is what a series is called that holds failed calls alone.
const failuresOnly = "Failures"

// overTime is callsOverTime of what is called so.
func overTime(sc *scope, h query.Header, what, granularity string, buckets []query.Bucket, changes []query.Change) figure {
	d := step(granularity)
	s := chart.Series{ID: "calls", Failures: what == failuresOnly, Title: what + " per " + per(d) + " by outcome", Unit: "From"}
	if d >= day {
		s.Unit = "Day"
	}
	var total chart.Values
	now := sc.site.opt.Now()
	for _, b := range buckets {
		bar := chart.Bar{At: b.At, Label: bucketLabel(b.At, d), Tick: bucketTick(b.At, d, len(buckets)), Values: values(b.Slices)}
		from, to := b.At, b.At.Add(d)
		switch {
		case to.After(now) || to.After(h.Range.To):
			bar.Part = "so far"
		case from.Before(h.Range.From):
			bar.Part = "in part"
		}
		if from.Before(h.Range.From) {
			from = h.Range.From
		}
		if to.After(h.Range.To) {
			to = h.Range.To
		}
		if len(buckets) > 1 {
			bar.Href = sc.here("last", "", "granularity", "", "from", rfc(from), "to", rfc(to))
		}
		for i := range total {
			total[i] += bar.Values[i]
		}
		s.Bars = append(s.Bars, bar)
	}
	var rows []breakRow
	s.Breaks, rows = breaks(changes, buckets, d)
	s.Desc = format.Plural(total.Total(), "call") + " in " + lastWords(sc.params) + ": " + total.Words() + "."
	f := figure{Title: s.Title, Picture: s.SVG(), Table: s.Table(), Bars: len(buckets) > 1 && total.Total() > 0, Breaks: rows}
	if sc.finer != "" {
		f.Note = "Steps of " + sc.finer + " are more than the " + format.Count(barsMax) + " that a page draws; the read API gives them."
	}
	return f
}

func rfc(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// bucketLabel names a bucket in full. Days are days in UTC, because that is what
// they are counted by; the script turns a time of day into the viewer's zone.
func bucketLabel(at time.Time, d time.Duration) string {
	at = at.UTC()
	switch {
	case d > day:
		return at.Format("2 Jan") + " – " + at.Add(d-day).Format("2 Jan")
	case d == day:
		return at.Format("Mon 2 Jan")
	default:
		return at.Format("Mon 2 Jan 15:04") + "–" + at.Add(d).Format("15:04") + " UTC"
	}
}

// bucketTick is the name under the axis of a bucket that begins at a round time.
func bucketTick(at time.Time, d time.Duration, buckets int) string {
	at = at.UTC()
	whole := func(unit time.Duration) bool { return at.Equal(at.Truncate(unit)) }
	span := time.Duration(buckets) * d
	switch {
	case d >= day:
		return at.Format("2 Jan")
	case span > 2*day:
		if whole(day) {
			return at.Format("2 Jan")
		}
	case span > 6*time.Hour:
		if whole(3 * time.Hour) {
			return at.Format("15:04")
		}
	case span > time.Hour:
		if whole(30 * time.Minute) {
			return at.Format("15:04")
		}
	default:
		if whole(min(10*time.Minute, max(d, time.Minute)*5)) {
			return at.Format("15:04")
		}
	}
	return ""
}

// latency is the histogram of durations as a picture.
func latency(bars []query.LatencyBar, l query.Latency) figure {
	h := chart.Histogram{ID: "latency", Title: "How long calls took"}
	for _, b := range bars {
		h.Bins = append(h.Bins, chart.Bin{FromUS: b.FromUS, ToUS: b.ToUS, Calls: b.Calls})
	}
	note := ""
	for _, p := range []struct {
		name string
		us   *int64
	}{{"p50", l.P50}, {"p95", l.P95}, {"p99", l.P99}} {
		if p.us == nil {
			continue
		}
		h.Lines = append(h.Lines, chart.Line{Name: p.name, US: *p.us})
		if note != "" {
			note += " · "
		}
		note += p.name + " " + format.Duration(*p.us)
	}
	if len(h.Bins) == 0 {
		return figure{}
	}
	h.Desc = "Calls by duration, failures included. " + note + "."
	return figure{Title: h.Title, Picture: h.SVG(), Table: h.Table()}
}
