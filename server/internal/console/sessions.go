package console

import (
	"fmt"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Sessions writes a list of sessions, the last call first.
func (p *Printer) Sessions(a query.SessionsAnswer) {
	p.heading("Sessions", a.Header)
	t := table{
		head: []string{"Session", "Worst", "Client", "Calls", "Bad args", "Tool errors", "Crashes", "Empty", "Retries", "Took", "Last call", "Loop"}, texts: []int{1, 2, 11},
		whole: true, later: []int{7, 8, 6, 5, 4, 9, 11, 2, 10, 3, 1},
	}
	for _, s := range a.Sessions {
		loop := ""
		if s.Loop {
			loop = "loop"
		}
		t.rows = append(t.rows, []cell{
			plain(s.ID), slice(s.Worst), plain(s.Client), number(s.Calls), number(s.BadArgs), number(s.ToolError), number(s.Crashed),
			number(s.Empty), number(s.Retries), plain(format.Duration(s.DurationUS)), plain(moment(s.LastAt)), plain(loop),
		})
	}
	p.write(p.Out, t)
	p.next(a.Next)
}

// Session writes one session, call by call.
func (p *Printer) Session(a query.SessionAnswer) {
	s := a.Session
	p.heading("Session "+s.ID, a.Header)
	fmt.Fprintf(p.Out, "  %s, %s, %s %s\n\n", format.Plural(s.Calls, "call"), retries(s.Retries), printable(s.Client), printable(s.ClientVersion))
	for _, c := range a.Calls {
		if c.GapUS != nil && *c.GapUS >= 1_000_000 {
			p.printf(muted, "    … %s", format.Duration(*c.GapUS))
			p.newline()
		}
		mark := "  "
		switch {
		case c.InLoop:
			mark = "↻ "
		case c.IsRetry:
			mark = "↳ "
		}
		fmt.Fprint(p.Out, mark)
		p.CallLine(c.CallLine)
	}
	p.next(a.Next)
}

func slice(name string) cell {
	return cell{format.Slice(umpire.Slice(name)), sliceStyles[umpire.Slice(name)]}
}

func number(n int64) cell { return count(&n) }

// next says how to get the next part of a list.
func (p *Printer) next(cursor *string) {
	if cursor != nil {
		p.printf(muted, "  more: --cursor %s", *cursor)
		p.newline()
	}
}
