package console

import (
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

var standingStyles = map[query.Standing]style{query.Worse: "31", query.Better: "32"}

// Releases writes each version of a server beside the one before.
func (p *Printer) Releases(a query.ReleasesAnswer) {
	p.heading("Releases", a.Header)
	t := table{head: []string{"Server", "Version", "Verdict", "Against", "Calls", "Failed", "Empty", "Crashes", "p95", "Since"}, texts: []int{1, 2, 3}, later: []int{9, 3, 8, 7, 6, 0, 5}}
	for _, r := range a.Releases {
		verdict := cell{standing(r.Verdict), standingStyles[r.Verdict]}
		t.rows = append(t.rows, []cell{
			plain(r.Server), plain(r.Version), verdict, plain(r.Before), number(r.Calls), plain(share(r.ErrorRate)), plain(share(r.EmptyRate)),
			number(r.Slices.Crashed), plain(duration(r.LatencyUS.P95)), plain(moment(r.Since)),
		})
	}
	p.write(p.Out, t)
	for _, r := range a.Releases {
		for _, d := range r.Differences {
			p.difference(r, d.Measure, d)
		}
		for _, d := range r.Tools {
			p.difference(r, d.Measure+" of "+d.Tool, d.Difference)
		}
	}
	p.unseen(a.NotReported, false)
	p.gone(a.Header)
}

// difference writes what is better or worse beyond chance.
func (p *Printer) difference(r query.Release, what string, d query.Difference) {
	if d.Verdict != query.Worse && d.Verdict != query.Better {
		return
	}
	fmt.Fprintf(p.Out, "  %s %s: %s ", printable(r.Server), printable(r.Version), printable(what))
	p.printf(standingStyles[d.Verdict], "%s", string(d.Verdict))
	fmt.Fprintf(p.Out, ", %s after %s\n", share(d.Now), share(d.Before))
}

func standing(s query.Standing) string {
	switch s {
	case "":
		return format.Dash
	case query.TooFew:
		return "too few calls"
	}
	return string(s)
}

// share writes a rate; a dash for none.
func share(x *float64) string {
	if x == nil {
		return format.Dash
	}
	return format.Rate(*x)
}
