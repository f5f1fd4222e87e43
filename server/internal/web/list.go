package web

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// listView is the page /p/{project}/tools or /p/{project}/clients.
type listView struct {
	frame
	Heading     string
	Err         *fault.Error
	Table       table
	Pages       []navItem
	Unknown     []unknownTool
	UnknownMore string
	Downloads   []download
	Notes       []note
}

func (s *site) tools(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Tools")
	var tools answer[query.ToolsAnswer]
	var insights answer[query.InsightsAnswer]
	facets := sc.withFacets(r.Context(), func() {
		together(func() { tools = sc.askTools(r.Context()) }, func() { insights = sc.askInsights(r.Context()) })
	})
	v := listView{frame: sc.frame(r.Context(), "Tools", sc.projectPath()+"tools", facets), Heading: "Tools", Err: tools.Err}
	if tools.Err == nil {
		t := table{ID: "tools", Title: "Tools", Caption: "Calls by tool in " + lastWords(sc.params), Empty: "No tool was called in this range, and no server has listed any."}
		v.Table, v.Pages = pagedTable(sc, t, toolColumns, toolLines(sc, tools.Value, badges(insights.Value)))
		v.Downloads = sc.downloads("tools")
		v.Unknown, v.UnknownMore = unknownTools(sc, tools.Value)
		v.Notes = unseenNotes(tools.Value.NotReported, false)
	}
	return s.render(w, http.StatusOK, "list", v)
}

func (s *site) clients(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Clients")
	var clients answer[query.ClientsAnswer]
	facets := sc.withFacets(r.Context(), func() { clients = sc.askClients(r.Context()) })
	v := listView{frame: sc.frame(r.Context(), "Clients", sc.projectPath()+"clients", facets), Heading: "Clients", Err: clients.Err}
	if clients.Err == nil {
		t := table{ID: "clients", Title: "Clients", Caption: "Calls by client in " + lastWords(sc.params), Empty: "No client called in this range."}
		lines := clientLines(clients.Value.Header, clients.Value.Clients, func(changes ...string) string { return sc.link(sc.projectPath(), changes...) })
		v.Table, v.Pages = pagedTable(sc, t, clientColumns, lines)
		v.Downloads = sc.downloads("clients")
		v.Notes = unseenNotes(clients.Value.NotReported, false)
	}
	return s.render(w, http.StatusOK, "list", v)
}

func pagedTable(sc *scope, t table, columns []column, lines []line) (table, []navItem) {
	order(columns, lines, sc.local.Get("sort"))
	shown, pages, _ := sc.window(lines)
	return makeTable(sc, t, "sort", columns, shown, rowsMax), pages
}

// withFacets asks for the filters' values beside the page's own question.
func (sc *scope) withFacets(ctx context.Context, question func()) answer[query.FacetsAnswer] {
	var facets answer[query.FacetsAnswer]
	together(question, func() { facets = sc.askFacets(ctx) })
	return facets
}
