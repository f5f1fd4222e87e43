package console

import (
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Tool writes what is wrong with one tool.
func (p *Printer) Tool(a query.ToolAnswer) {
	p.heading(a.Tool, a.Header)
	if !a.Registered {
		fmt.Fprint(p.Out, "  No server lists this tool.\n\n")
	}
	p.Breakdown(a.Measures)
	p.figures(query.OverviewAnswer{Header: a.Header, Measures: a.Measures, NotReported: a.NotReported})
	p.failures(a.Failures, false)
	refused := table{head: []string{"Argument", "Calls", "Clients", "Rule", "Nearest"}, texts: []int{3, 4}}
	for _, b := range a.BadParams {
		refused.rows = append(refused.rows, []cell{plain(b.Path), plain(format.Count(b.Calls)), plain(format.Count(b.Clients)), plain(format.Rule(b.Rule)), plain(b.Near)})
	}
	p.list("Refused arguments", refused)
	p.names("Why answers count as empty", "Rule", a.EmptyRules, format.EmptyRule)
	p.names("Successes that look like failures", "Mark", a.Suspects, format.Suspect)
	p.Clients(query.ClientsAnswer{Clients: a.Clients})
	p.gone(a.Header)
}

func (p *Printer) names(title, head string, list []query.NameCount, words func(string) string) {
	t := table{head: []string{head, "Calls"}}
	for _, n := range list {
		t.rows = append(t.rows, []cell{plain(words(n.Name)), plain(format.Count(n.Calls))})
	}
	if len(t.rows) > 0 {
		p.list(title, t)
	}
}

// failures writes groups of failures; named ones with their tool.
func (p *Printer) failures(list []query.Failure, named bool) {
	t := table{head: []string{"What", "Calls", "Clients", "Last seen", "Type", "Message"}, texts: []int{4, 5}, later: []int{2, 3, 4, 5}}
	if named {
		t.head, t.texts, t.later = append([]string{"Tool"}, t.head...), []int{1, 5, 6}, []int{3, 4, 5, 6}
	}
	for _, f := range list {
		row := []cell{
			{format.Slice(umpire.Slice(f.Outcome)) + ": " + format.Cause(f.Cause), sliceStyles[umpire.Slice(f.Outcome)]},
			plain(format.Count(f.Calls)), plain(format.Count(f.Clients)), plain(moment(f.LastSeen)), plain(f.ErrorType), plain(f.Message),
		}
		if named {
			row = append([]cell{plain(f.Tool)}, row...)
		}
		t.rows = append(t.rows, row)
	}
	p.list("Failures", t)
}

// gone says what a filter or the retention leaves unknown.
func (p *Printer) gone(h query.Header) {
	for _, name := range h.NotFiltered {
		p.printf(muted, "  %s: not known under these filters, or no longer kept", name)
		p.newline()
	}
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
