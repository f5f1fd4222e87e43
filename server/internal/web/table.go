package web

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// table is what the template draws: the tools, or the clients.
type table struct {
	ID, Title, Caption string
	Head               []head
	Rows               [][]cell
	Empty              string // stands in place of a table without rows
	Downloads          []download
	More               *moreLink
}

type head struct {
	Text, Class string
	Href        string // sorts by the column
	Sort        string // aria-sort: ascending, descending or empty
}

type cell struct {
	Label, Class        string // the column's head and class
	Text, Title, Href   string
	Small               []string
	Badges              []badge
	Zero, Code, Heading bool
	Part                bool   // the row is a part of the one above
	Missing             string // why there is a dash
	HTML                template.HTML
	At                  *time.Time
	Act                 *action
	rank                *float64 // what a report sorts by
}

// action is a button that changes something.
type action struct {
	To     string
	Fields []pair
	Text   string
	// Said stands in place of the button, or beside it.
	Said string
}

type moreLink struct{ Text, Href string }

// line is what a row is made of, for a tool or a client alike.
type line struct {
	name, href string
	small      []string
	badges     []badge
	code       bool
	calls      int64
	slices     chart.Values
	p95        *int64
	sessions   *int64
	first      *query.Share
	missing    string                    // what a dash says
	bySlice    func(slice string) string // a link to the calls of one slice
	parts      []line                    // what it is made of, if that is shown
	part       bool
}

// column is one column of the tools and the clients table: how it is headed,
// filled and sorted by.
type column struct {
	key, text, class string
	cell             func(line) cell
	// by is the value sorted by; false comes last either way. A column without
	// it sorts by name.
	by func(line) (float64, bool)
	// up: the first click sorts upwards.
	up bool
}

// The columns. Both tables take theirs from here, so that they cannot differ.
var (
	callsColumn = column{
		key: "calls", text: "Calls", class: "n",
		cell: func(l line) cell { return cell{Text: format.Count(l.calls), Zero: l.calls == 0} },
		by:   func(l line) (float64, bool) { return float64(l.calls), true },
	}
	badArgsColumn   = sliceColumn("bad_args", "Bad args", 2)
	toolErrorColumn = sliceColumn("tool_error", "Tool errors", 3)
	crashedColumn   = sliceColumn("crashed", "Crashes", 4)
	emptyColumn     = sliceColumn("empty", "Empty", 1)
	p95Column       = column{
		key: "p95", text: "p95", class: "n",
		cell: func(l line) cell {
			if l.p95 == nil {
				return cell{Missing: l.missing}
			}
			return cell{Text: format.Duration(*l.p95)}
		},
		by: func(l line) (float64, bool) { return number(l.p95) },
	}
	firstCallColumn = column{
		key: "first_call", text: "First-call success", class: "n first",
		cell: func(l line) cell {
			if l.first == nil || l.first.Rate == nil {
				return cell{Missing: firstMissing(l)}
			}
			return cell{Text: format.Rate(*l.first.Rate), Title: "of " + format.Plural(l.first.Of, "first call")}
		},
		by: func(l line) (float64, bool) {
			if l.first == nil || l.first.Rate == nil {
				return 0, false
			}
			return *l.first.Rate, true
		},
		up: true,
	}
	sessionsColumn = column{
		key: "sessions", text: "Sessions", class: "n",
		cell: func(l line) cell {
			if l.sessions == nil {
				return cell{Missing: l.missing}
			}
			return cell{Text: format.Count(*l.sessions), Zero: *l.sessions == 0}
		},
		by: func(l line) (float64, bool) { return number(l.sessions) },
	}
	mixColumn = column{
		key: "failed", text: "Outcome mix", class: "mix",
		cell: func(l line) cell {
			if l.calls == 0 {
				return cell{Missing: format.NoCalls}
			}
			return cell{HTML: chart.Mix(l.slices)}
		},
		by: func(l line) (float64, bool) {
			if l.calls == 0 {
				return 0, false
			}
			return float64(l.slices[2]+l.slices[3]+l.slices[4]) / float64(l.calls), true
		},
	}
	toolColumns   = []column{nameColumn("tool", "Tool"), callsColumn, badArgsColumn, toolErrorColumn, crashedColumn, emptyColumn, p95Column, firstCallColumn, mixColumn}
	clientColumns = []column{nameColumn("client", "Client"), callsColumn, badArgsColumn, toolErrorColumn, crashedColumn, emptyColumn, p95Column, sessionsColumn, mixColumn}
	// clientPageColumns are those of the page, which tells versions apart.
	clientPageColumns = slices.Insert(slices.Clone(clientColumns), len(clientColumns)-2, firstCallColumn)
)

func nameColumn(key, text string) column {
	return column{key: key, text: text, class: "name", up: true, cell: func(l line) cell {
		name := l.name
		if name == "" {
			return cell{Text: "(no name)", Href: l.href, Small: l.small, Heading: true}
		}
		return cell{Text: name, Href: l.href, Small: l.small, Badges: l.badges, Code: l.code, Heading: true, Part: l.part}
	}}
}

// sliceColumn counts the calls of the slice at place i in umpire.Slices; a count
// that is not zero leads to them.
func sliceColumn(slice, text string, i int) column {
	return column{
		key: slice, text: text, class: "n",
		cell: func(l line) cell {
			if l.calls == 0 {
				return cell{Missing: format.NoCalls}
			}
			c := cell{Text: format.Count(l.slices[i]), Zero: l.slices[i] == 0}
			if !c.Zero {
				c.Href = l.bySlice(slice)
			}
			return c
		},
		by: func(l line) (float64, bool) { return float64(l.slices[i]), l.calls > 0 },
	}
}

func firstMissing(l line) string {
	if l.calls > 0 && l.missing == format.Unknown {
		return "no first call with a session"
	}
	return l.missing
}

func number(n *int64) (float64, bool) {
	if n == nil {
		return 0, false
	}
	return float64(*n), true
}

// rowsMax is how many rows a page shows of a long table.
const rowsMax = 100

// makeTable sorts the lines by the parameter of the URL that param names and
// fills the columns. limit bounds the rows shown.
func makeTable(sc *scope, t table, param string, columns []column, lines []line, limit int) table {
	key := sc.local.Get(param)
	sorted, down := order(columns, lines, key)
	for _, c := range columns {
		h := head{Text: c.text, Class: c.class}
		next := "-" + c.key
		if c.up {
			next = c.key
		}
		if c.key == sorted {
			h.Sort = "ascending"
			next = "-" + c.key
			if down {
				h.Sort, next = "descending", c.key
			}
		}
		h.Href = sc.sorted(param, next) + "#" + t.ID
		t.Head = append(t.Head, h)
	}
	if len(lines) > limit {
		lines = lines[:limit]
	}
	spare := rowsMax - len(lines)
	for _, l := range lines {
		t.Rows = append(t.Rows, makeRow(columns, l))
		if l.parts == nil {
			continue
		}
		order(columns, l.parts, key)
		shown := l.parts[:min(len(l.parts), max(spare, 0))]
		for _, part := range shown {
			t.Rows = append(t.Rows, makeRow(columns, part))
		}
		if rest := len(l.parts) - len(shown); rest > 0 {
			t.Rows[len(t.Rows)-1-len(shown)][0].Small = []string{"and " + format.Plural(int64(rest), "more version") + ": pick the client"}
		}
		spare -= len(shown)
	}
	return t
}

func makeRow(columns []column, l line) []cell {
	row := make([]cell, len(columns))
	for i, c := range columns {
		row[i] = c.cell(l)
		row[i].Label, row[i].Class = c.text, c.class
	}
	return row
}

// order sorts the lines in place: by the column that key names ("crashed",
// "-crashed"), by default by calls downwards; ties by calls, then name.
func order(columns []column, lines []line, key string) (sorted string, down bool) {
	name, down := strings.CutPrefix(key, "-")
	i := slices.IndexFunc(columns, func(c column) bool { return c.key == name })
	if i < 0 {
		i = slices.IndexFunc(columns, func(c column) bool { return c.key == callsColumn.key })
		down = true
	}
	c := columns[i]
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(compare(c, down, a, b), cmp.Compare(b.calls, a.calls), strings.Compare(a.name, b.name))
	})
	return c.key, down
}

func compare(c column, down bool, a, b line) int {
	turn := 1
	if down {
		turn = -1
	}
	if c.by == nil {
		return turn * strings.Compare(a.name, b.name)
	}
	x, knownX := c.by(a)
	y, knownY := c.by(b)
	switch {
	case knownX != knownY:
		if knownX {
			return -1
		}
		return 1
	case !knownX:
		return 0
	}
	return turn * cmp.Compare(x, y)
}

// sorted is the page's own address with another order.
func (sc *scope) sorted(param, key string) string {
	return sc.page(param, key, "page", "", query.ParamCursor, "")
}

// page is the page's own address with other parameters of its own.
func (sc *scope) page(changes ...string) string {
	all := *sc
	all.values = map[string][]string{}
	for name, list := range sc.values {
		all.values[name] = list
	}
	for name, list := range sc.local {
		all.values[name] = list
	}
	return all.here(changes...)
}

// window cuts a long list into pages of rowsMax; the links lead to the others.
func (sc *scope) window(lines []line) (shown []line, pages []navItem, from int) {
	count := (len(lines) + rowsMax - 1) / rowsMax
	current, _ := strconv.Atoi(sc.local.Get("page"))
	current = min(max(current, 1), max(count, 1))
	from = (current - 1) * rowsMax
	if count < 2 {
		return lines, nil, 0
	}
	for i := 1; i <= count; i++ {
		number := strconv.Itoa(i)
		pages = append(pages, navItem{Text: number, Href: sc.page("page", number), Current: i == current})
	}
	return lines[from:min(from+rowsMax, len(lines))], pages, from
}
