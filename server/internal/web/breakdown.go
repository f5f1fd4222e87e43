package web

import (
	"html/template"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// breakdown is how a set of calls ended, in five slices. The overview and the
// page of a tool show the same one, made here.
type breakdown struct {
	// Caption is the one pooled rate: 13.4% failed · 0.4% empty.
	Caption string
	Bar     template.HTML
	Rows    []breakdownRow
}

type breakdownRow struct {
	Mark        template.HTML
	Slice       string
	Count, Rate string
	Href        string // to the calls of this slice; empty without any
	Zero        bool
	Unseen      *unseen // why the count may be low
}

func makeBreakdown(sc *scope, m query.Measures, told []query.NotReported) breakdown {
	v := values(m.Slices)
	b := breakdown{Bar: chart.Breakdown(v)}
	if m.ErrorRate != nil {
		b.Caption = format.Caption(m.ErrorRate, m.EmptyRate)
	}
	for i, s := range umpire.Slices() {
		row := breakdownRow{
			Mark: chart.Mark(string(s)), Slice: string(s),
			Count: format.Count(v[i]), Rate: format.RateOf(v[i], m.Calls), Zero: v[i] == 0,
			Unseen: unseenOf(told, string(s)),
		}
		if v[i] > 0 {
			row.Href = sc.callsLink("slice", string(s))
		}
		b.Rows = append(b.Rows, row)
	}
	return b
}

// values turns the slices of a query into those of a chart.
func values(s query.Slices) chart.Values {
	return chart.Values{s.OK, s.Empty, s.BadArgs, s.ToolError, s.Crashed}
}
