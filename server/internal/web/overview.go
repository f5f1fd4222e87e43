package web

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// overviewView is the page /p/{project}/.
type overviewView struct {
	frame
	Measures *measures
	// MeasuresErr, ToolsErr and ClientsErr stand in place of their panels.
	MeasuresErr, ToolsErr, ClientsErr *fault.Error
	Tools, Clients                    table
	Unknown                           []unknownTool
	UnknownMore, UnknownHref          string
	Quiet                             *quiet
	Insights                          *insightPanel
	Pairs                             *pairsPanel
}

// measures are the components that the overview and a tool's page share.
type measures struct {
	Cards     []card
	Calls     figure
	Breakdown breakdown
	Latency   figure
	Notes     []note
}

func makeMeasures(sc *scope, h query.Header, m query.Measures, p query.Previous, granularity string, series []query.Bucket, bars []query.LatencyBar, told []query.NotReported, changes []query.Change) *measures {
	return &measures{
		Cards:     cards(sc, h, m, p, series, told),
		Calls:     callsOverTime(sc, h, granularity, series, changes),
		Breakdown: makeBreakdown(sc, m, told),
		Latency:   latency(bars, m.LatencyUS),
		Notes:     append(append(goneNote(h), makeNotes(m)...), unseenNotes(told, m.SeenOutside > 0)...),
	}
}

// overviewRows is how many rows of a table the overview shows.
const overviewRows = 20

func (s *site) overview(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Overview")
	ctx := r.Context()
	var (
		overview answer[query.OverviewAnswer]
		tools    answer[query.ToolsAnswer]
		clients  answer[query.ClientsAnswer]
		facets   answer[query.FacetsAnswer]
		insights answer[query.InsightsAnswer]
		pairs    answer[query.PairsAnswer]
	)
	together(
		func() {
			overview = ask(ctx, s, "overview", func(ctx context.Context) (query.OverviewAnswer, error) { return query.Overview(ctx, s.src, sc.params) })
		},
		func() { tools = sc.askTools(ctx) },
		func() { clients = sc.askClients(ctx) },
		func() { facets = sc.askFacets(ctx) },
		func() { insights = sc.askInsights(ctx) },
		func() {
			pairs = ask(ctx, s, "pairs", func(ctx context.Context) (query.PairsAnswer, error) { return query.Pairs(ctx, s.src, sc.params) })
		},
	)
	v := overviewView{
		frame:       sc.frame(ctx, "Overview", sc.projectPath(), facets),
		MeasuresErr: overview.Err, ToolsErr: tools.Err, ClientsErr: clients.Err,
	}
	if overview.Err == nil {
		o := overview.Value
		if o.Calls == 0 {
			if v.Quiet = s.quiet(ctx, sc, r, o, tools.Value); v.Quiet != nil && v.Quiet.Install != nil {
				v.Filters = nil // there is nothing to filter yet
				return s.render(w, http.StatusOK, "install", v)
			}
		}
		v.Measures = makeMeasures(sc, o.Header, o.Measures, o.Previous, o.Granularity, o.Series, o.Histogram, o.NotReported, o.Changes)
		if o.Dropped > 0 {
			v.Measures.Notes = append(v.Measures.Notes, droppedNote(o.Dropped))
		}
	}
	v.Insights, v.Pairs = sc.insightPanel(insights), sc.pairsPanel(pairs)
	if tools.Err == nil {
		v.Tools = sc.overviewTools(tools.Value, badges(insights.Value))
		if v.Measures != nil {
			v.Measures.Notes = append(goneNote(tools.Value.Header), v.Measures.Notes...)
		}
		v.Unknown, v.UnknownMore = unknownTools(sc, tools.Value)
		v.UnknownHref = sc.link(sc.projectPath() + "unknown-tools")
	}
	if clients.Err == nil {
		lines := clientLines(clients.Value.Header, clients.Value.Clients, func(changes ...string) string { return sc.link(sc.projectPath(), changes...) })
		t := table{ID: "clients", Title: "Clients", Caption: "Calls by client in " + lastWords(sc.params), Empty: "No client called in this range."}
		v.Clients = makeTable(sc, t, "clients_sort", clientColumns, lines, overviewRows)
		v.Clients.Downloads = sc.downloads("clients")
		v.Clients.More = more(len(lines), "client", sc.link(sc.projectPath()+"clients"))
	}
	return s.render(w, http.StatusOK, "overview", v)
}

func (sc *scope) overviewTools(a query.ToolsAnswer, marks map[string][]badge) table {
	lines := toolLines(sc, a, marks)
	t := table{ID: "tools", Title: "Tools", Caption: "Calls by tool in " + lastWords(sc.params), Empty: "No tool was called in this range."}
	t = makeTable(sc, t, "sort", toolColumns, lines, overviewRows)
	t.Downloads = sc.downloads("tools")
	t.More = more(len(lines), "tool", sc.link(sc.projectPath()+"tools"))
	return t
}

func more(rows int, noun, href string) *moreLink {
	if rows <= overviewRows {
		return nil
	}
	return &moreLink{Text: "All " + format.Plural(int64(rows), noun), Href: href}
}

func (sc *scope) askTools(ctx context.Context) answer[query.ToolsAnswer] {
	return ask(ctx, sc.site, "tools", func(ctx context.Context) (query.ToolsAnswer, error) {
		return query.Tools(ctx, sc.site.src, sc.params)
	})
}

func (sc *scope) askClients(ctx context.Context) answer[query.ClientsAnswer] {
	return ask(ctx, sc.site, "clients", func(ctx context.Context) (query.ClientsAnswer, error) {
		return query.Clients(ctx, sc.site.src, sc.params)
	})
}

func (sc *scope) askFacets(ctx context.Context) answer[query.FacetsAnswer] {
	return ask(ctx, sc.site, "filters", func(ctx context.Context) (query.FacetsAnswer, error) {
		return query.FilterValues(ctx, sc.site.src, sc.everything())
	})
}

// pairsPanel is which tool is called after which.
type pairsPanel struct {
	Err        *fault.Error
	Rows, Rest []pairRow
	None       string
	Downloads  []download
}

type pairRow struct{ Before, BeforeHref, After, AfterHref, Calls string }

// pairsFirst are shown at once, and up to pairsShown when asked for.
const (
	pairsFirst = 5
	pairsShown = 15
)

func (sc *scope) pairsPanel(got answer[query.PairsAnswer]) *pairsPanel {
	p := &pairsPanel{Err: got.Err}
	list := got.Value.Pairs
	switch {
	case got.Err != nil:
	case list == nil:
		p.None = "Single events of a part of this range are no longer kept."
	case len(list) == 0:
		p.None = "No session called two tools in a row."
	}
	for _, pair := range list[:min(pairsShown, len(list))] {
		p.Rows = append(p.Rows, pairRow{pair.Before, sc.toolLink(pair.Before), pair.After, sc.toolLink(pair.After), format.Count(pair.Calls)})
	}
	if len(list) > 0 {
		p.Downloads = sc.downloads("pairs")
	}
	if len(p.Rows) > pairsFirst {
		p.Rows, p.Rest = p.Rows[:pairsFirst], p.Rows[pairsFirst:]
	}
	return p
}

// unknownTool is a name that was asked for and that no server has.
type unknownTool struct {
	Name, Href     string
	Calls, Clients string
	Nearest        []moreLink
}

const unknownShown = 10

func unknownTools(sc *scope, a query.ToolsAnswer) (rows []unknownTool, rest string) {
	list := a.UnknownTools
	if len(list) > unknownShown {
		rest = format.Plural(int64(len(list)-unknownShown), "more name")
		rest = "All names, and " + rest + ": who asked, and what they did next"
		list = list[:unknownShown]
	}
	for _, u := range list {
		row := unknownTool{
			Name: u.Name, Calls: format.Count(u.Calls), Clients: format.Count(u.Clients),
			Href: sc.link(sc.projectPath()+"calls", "tool", u.Name, "cause", "unknown_tool"),
		}
		for _, near := range u.Nearest {
			row.Nearest = append(row.Nearest, moreLink{Text: near, Href: sc.toolLink(near)})
		}
		rows = append(rows, row)
	}
	return rows, rest
}
