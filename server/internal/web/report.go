package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// reportView is a page that is a table and what has to be said of it.
type reportView struct {
	frame
	Heading, Caption string
	// Intro says what the rows are, and what can be done about them.
	Intro     string
	Err       *fault.Error
	Table     table
	Rest      string // how many rows are not shown
	Downloads []download
	Notes     []note
	// Done says what was just changed.
	Done string
}

// gridHead is a column of a report.
type gridHead struct {
	key, text, class string
	up               bool // the first click sorts upwards
}

// ranked is a cell that is sorted by a number.
func ranked(c cell, by float64) cell {
	c.rank = &by
	return c
}

func counted(n int64) cell {
	return ranked(cell{Text: format.Count(n), Zero: n == 0}, float64(n))
}

const reportRows = 200

// grid fills a table of a report, sorted by the parameter sort of the address, by
// default by the column of that name, downwards.
func (sc *scope) grid(t table, heads []gridHead, rows [][]cell, byDefault string) (table, string) {
	key := sc.local.Get("sort")
	name, down := strings.CutPrefix(key, "-")
	at := slices.IndexFunc(heads, func(h gridHead) bool { return h.key == name && h.key != "" })
	if at < 0 {
		at, down = slices.IndexFunc(heads, func(h gridHead) bool { return h.key == byDefault }), true
	}
	for i, h := range heads {
		out := head{Text: h.text, Class: h.class}
		if h.key != "" {
			next := "-" + h.key
			if h.up {
				next = h.key
			}
			if i == at {
				out.Sort, next = "ascending", "-"+h.key
				if down {
					out.Sort, next = "descending", h.key
				}
			}
			out.Href = sc.sorted("sort", next) + "#" + t.ID
		}
		t.Head = append(t.Head, out)
	}
	slices.SortStableFunc(rows, func(a, b []cell) int { return compareCells(a[at], b[at], down) })
	rest := ""
	if more := len(rows) - reportRows; more > 0 {
		rows, rest = rows[:reportRows], "and "+format.Plural(int64(more), "more row")+"; the files hold all"
	}
	for _, row := range rows {
		for i := range row {
			row[i].Label, row[i].Class = heads[i].text, heads[i].class
		}
	}
	t.Rows = rows
	return t, rest
}

// compareCells puts what is not known last, either way.
func compareCells(a, b cell, down bool) int {
	turn := 1
	if down {
		turn = -1
	}
	switch {
	case (a.Missing == "") != (b.Missing == ""):
		if a.Missing == "" {
			return -1
		}
		return 1
	case a.rank != nil && b.rank != nil:
		return turn * cmp.Compare(*a.rank, *b.rank)
	}
	return turn * strings.Compare(a.Text, b.Text)
}

// report answers with a report. fill is called when the question was answered.
func report[A any](sc *scope, w http.ResponseWriter, r *http.Request, path, heading string, got answer[A], facets answer[query.FacetsAnswer], fill func(*reportView, A)) error {
	v := reportView{frame: sc.frame(r.Context(), heading, sc.projectPath()+path, facets), Heading: heading, Err: got.Err, Done: sc.done}
	if got.Err == nil {
		fill(&v, got.Value)
		v.Downloads = sc.downloads(path)
	}
	return sc.site.render(w, http.StatusOK, "report", v)
}

// toolCell leads to the page of a tool.
func (sc *scope) toolCell(tool string, changes ...string) cell {
	return cell{Text: tool, Href: sc.toolLink(tool, changes...), Code: true, Heading: true}
}

// shareCell is a part of something, with its rate.
func shareCell(n, of int64) cell {
	if of == 0 {
		return cell{Missing: format.NoCalls}
	}
	return ranked(cell{Text: format.RateOf(n, of), Title: "of " + format.Plural(of, "call")}, float64(n)/float64(of))
}
