package console

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// style is how a text is written when colours are on.
type style string

const (
	normal style = ""
	muted  style = "2"
	bold   style = "1"
)

// sliceStyles are the slices' colours of the pages, in the sixteen of a terminal.
var sliceStyles = map[umpire.Slice]style{
	"ok": "34", "empty": "90", "bad_args": "33", "tool_error": "31", "crashed": "35",
}

// Printer writes for one terminal.
type Printer struct {
	Out io.Writer
	// Color is set when Out is a terminal and NO_COLOR is not set.
	Color bool
	// Width is how many columns there are; 0: any number.
	Width int
}

func (p *Printer) paint(c cell) string {
	text := printable(c.text)
	if !p.Color || c.style == normal || text == "" {
		return text
	}
	return "\x1b[" + string(c.style) + "m" + text + "\x1b[0m"
}

// printable makes foreign text harmless for a terminal: a tool's name is chosen
// by whoever calls.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '�'
		}
		return r
	}, s)
}

// Report writes the overview, the tools and the clients of a project.
func (p *Printer) Report(project string, o query.OverviewAnswer, t query.ToolsAnswer, c query.ClientsAnswer) {
	p.heading(project, o.Header)
	p.Breakdown(o.Measures)
	p.figures(o)
	p.tools(t)
	p.Clients(c)
}

func (p *Printer) printf(s style, layout string, args ...any) {
	fmt.Fprint(p.Out, p.paint(cell{fmt.Sprintf(layout, args...), s}))
}

func (p *Printer) newline() { fmt.Fprintln(p.Out) }

func (p *Printer) heading(project string, h query.Header) {
	const layout = "2 Jan 15:04"
	p.printf(bold, "%s", project)
	p.printf(muted, "  %s – %s UTC", h.Range.From.UTC().Format(layout), h.Range.To.UTC().Format(layout))
	for _, name := range slices.Sorted(maps.Keys(h.Filters)) {
		p.printf(muted, "  %s=%s", name, strings.Join(h.Filters[name], ","))
	}
	p.newline()
	p.newline()
}

// Breakdown writes the five slices under their caption.
func (p *Printer) Breakdown(m query.Measures) {
	p.printf(bold, "Outcomes")
	p.printf(muted, "  %s", format.Caption(m.ErrorRate, m.EmptyRate))
	p.newline()
	counts := []int64{m.Slices.OK, m.Slices.Empty, m.Slices.BadArgs, m.Slices.ToolError, m.Slices.Crashed}
	widest := len(format.Count(m.Calls))
	for i, s := range umpire.Slices() {
		fmt.Fprint(p.Out, "  ")
		p.printf(sliceStyles[s], "■")
		fmt.Fprintf(p.Out, " %-10s  %*s  %6s  ", format.Slice(s), widest, format.Count(counts[i]), format.RateOf(counts[i], m.Calls))
		p.printf(sliceStyles[s], "%s", bar(counts[i], m.Calls))
		p.newline()
	}
	fmt.Fprintf(p.Out, "    %-10s  %*s\n\n", "Calls", widest, format.Count(m.Calls))
}

// bar is a share of 40 columns; what is not zero shows.
func bar(n, of int64) string {
	const columns = 40
	if n == 0 || of == 0 {
		return ""
	}
	if width := int(n * columns / of); width > 0 {
		return strings.Repeat("█", width)
	}
	return "▏"
}

func (p *Printer) figures(o query.OverviewAnswer) {
	first := format.Dash
	if r := o.FirstCallSuccess.Rate; r != nil {
		first = format.Rate(*r)
	}
	fmt.Fprintf(p.Out, "  First-call success %s of %s, %s\n", first,
		format.Plural(o.FirstCallSuccess.Of, "call"), retries(o.Retries))
	fmt.Fprintf(p.Out, "  Latency p50 %s, p95 %s, p99 %s\n",
		duration(o.LatencyUS.P50), duration(o.LatencyUS.P95), duration(o.LatencyUS.P99))
	if o.Sessions != nil {
		fmt.Fprintf(p.Out, "  %s", format.Plural(*o.Sessions, "session"))
		if o.CallsPerSession != nil {
			fmt.Fprintf(p.Out, ", %s calls each", format.Decimal(*o.CallsPerSession))
		}
		if o.NoSession > 0 {
			fmt.Fprintf(p.Out, "; %s in no session", format.Plural(o.NoSession, "call"))
		}
		p.newline()
	}
	if o.SeenOutside > 0 {
		fmt.Fprintf(p.Out, "  %s seen from outside: more may have crashed than are counted\n", format.Plural(o.SeenOutside, "call"))
	}
	p.unseen(o.NotReported, o.SeenOutside > 0)
	if o.SetAside > 0 {
		fmt.Fprintf(p.Out, "  %s set aside: no outcome and nothing to judge from\n", format.Plural(o.SetAside, "event"))
	}
	for _, kind := range slices.Sorted(maps.Keys(o.OtherKinds)) {
		fmt.Fprintf(p.Out, "  %s of kind %s, which this version does not know\n",
			format.Plural(o.OtherKinds[kind], "event"), printable(kind))
	}
	p.newline()
}

func retries(n int64) string {
	if n == 1 {
		return "1 retry"
	}
	return format.Count(n) + " retries"
}

func (p *Printer) tools(t query.ToolsAnswer) {
	list := table{head: []string{"Tool", "Calls", "Bad args", "Tool errors", "Crashes", "Empty", "p95"}}
	for _, l := range t.Tools {
		list.rows = append(list.rows, []cell{
			plain(l.Tool), plain(format.Count(l.Calls)), count(l.BadArgs), count(l.ToolError),
			count(l.Crashed), count(l.Empty), plain(duration(l.P95US)),
		})
	}
	p.write(p.Out, list)
	for _, u := range t.UnknownTools {
		near := ""
		if len(u.Nearest) > 0 {
			near = ", nearest: " + strings.Join(u.Nearest, ", ")
		}
		p.printf(muted, "  unknown tool %s: %s%s", u.Name, format.Plural(u.Calls, "call"), near)
		p.newline()
	}
	p.newline()
}

// Clients writes how each client's calls ended.
func (p *Printer) Clients(c query.ClientsAnswer) {
	list := table{head: []string{"Client", "Calls", "Bad args", "Tool errors", "Crashes", "Empty", "p95"}}
	for _, l := range c.Clients {
		list.rows = append(list.rows, []cell{
			plain(l.Client), plain(format.Count(l.Calls)), count(l.BadArgs), count(l.ToolError),
			count(l.Crashed), count(l.Empty), plain(duration(l.P95US)),
		})
	}
	p.write(p.Out, list)
}

// count writes a count: a dash where there were no calls, a muted zero where
// there were.
func count(n *int64) cell {
	switch {
	case n == nil:
		return cell{format.Dash, muted}
	case *n == 0:
		return cell{"0", muted}
	default:
		return plain(format.Count(*n))
	}
}

func duration(us *int64) string {
	if us == nil {
		return format.Dash
	}
	return format.Duration(*us)
}
