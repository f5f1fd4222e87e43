package console

import (
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Errors writes what fails, over all tools.
func (p *Printer) Errors(a query.ErrorsAnswer) {
	p.heading("Errors", a.Header)
	fmt.Fprintf(p.Out, "  %s of %s failed (%s)", format.Count(a.Failed), format.Plural(a.Calls, "call"), share(a.Rate))
	if a.New > 0 {
		fmt.Fprintf(p.Out, ", %s not seen before", format.Plural(a.New, "kind"))
	}
	fmt.Fprint(p.Out, "\n\n")
	p.failures(a.Failures, true)
	if a.More {
		fmt.Fprintln(p.Out, "  There are more groups: narrow the range, or filter.")
	}
	p.unseen(a.NotReported, false)
	p.gone(a.Header)
}
