package console

import (
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/insight"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

var severityStyles = map[query.Severity]style{query.Critical: "31", query.Warning: "33"}

// Insights writes what is broken, the worst first.
func (p *Printer) Insights(a query.InsightsAnswer) {
	p.heading("Insights", a.Header)
	if len(a.Insights) == 0 {
		fmt.Fprintln(p.Out, "  Nothing stands out.")
	}
	for _, i := range a.Insights {
		fmt.Fprint(p.Out, "  ")
		p.printf(severityStyles[i.Severity], "%-8s", string(i.Severity))
		p.printf(bold, "  %s", i.Tool)
		fmt.Fprintf(p.Out, "  %s\n", printable(insight.Text(i)))
		p.printf(muted, "            %s", i.Consequence)
		p.newline()
	}
	for _, n := range a.NotJudged {
		p.printf(muted, "  not judged: %s, %s", n.Rule, n.Reason)
		p.newline()
	}
	p.gone(a.Header)
}
