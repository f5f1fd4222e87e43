package console

import (
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// CallLine writes one call on one line: when it began, how it ended, how long it
// took, the tool, who called, and what went wrong.
func (p *Printer) CallLine(c query.CallLine) {
	slice := umpire.Slice(c.Slice)
	head := c.StartedAt.UTC().Format("01-02 15:04:05.000")
	took := duration(c.DurationUS)
	p.printf(muted, "%s", head)
	fmt.Fprint(p.Out, "  ")
	p.printf(sliceStyles[slice], "%-10s", format.Slice(slice))
	fmt.Fprintf(p.Out, "  %8s  ", took)
	p.printf(bold, "%s", c.Tool)
	rest := []string{c.Client}
	if c.Cause != "" && c.Cause != "unknown" {
		rest = append(rest, format.Cause(c.Cause))
	}
	if c.ErrorType != "" && c.ErrorType != "unknown" {
		rest = append(rest, c.ErrorType)
	}
	if c.EmptyRule != "" {
		rest = append(rest, format.EmptyRule(c.EmptyRule))
	}
	if c.ErrorMessage != "" {
		rest = append(rest, c.ErrorMessage)
	}
	text := strings.Join(rest, "  ")
	if p.Width > 0 {
		text = shorten(text, max(least, p.Width-len(head)-26-len([]rune(c.Tool))))
	}
	fmt.Fprintf(p.Out, "  %s\n", printable(text))
}
