package console

import (
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Check writes each figure beside its limit.
func (p *Printer) Check(c query.Check) {
	p.heading("Check", c.Header)
	for _, h := range c.Checks {
		value := format.NotReported
		if h.Value != nil {
			value = heldFigure(h.Figure, *h.Value)
		}
		word, s := "ok", style("32")
		switch h.Verdict {
		case query.Exceeded:
			word, s = "exceeded", "31"
		case query.CannotTell:
			word, s = "unknown", "33"
		}
		fmt.Fprint(p.Out, "  ")
		p.printf(s, "%-8s", word)
		fmt.Fprintf(p.Out, "  %s %s of %s, limit %s\n", heldWords[h.Figure], value, format.Plural(h.Of, "call"), heldFigure(h.Figure, h.Limit))
	}
	if c.Calls < c.MinCalls {
		fmt.Fprintf(p.Out, "  %s: fewer than %s say nothing (--min-calls)\n", format.Plural(c.Calls, "call"), format.Count(c.MinCalls))
	}
}

var heldWords = map[string]string{
	"error_rate": "error rate", "empty_rate": "empty rate", "crashed": "crashes", "p95_us": "p95", "first_call_success": "first-call success",
}

func heldFigure(figure string, x float64) string {
	switch figure {
	case "crashed":
		return format.Count(int64(x))
	case "p95_us":
		return format.Duration(int64(x))
	}
	return format.Rate(x)
}
