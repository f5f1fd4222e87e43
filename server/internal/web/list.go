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
	VersionsErr *fault.Error // of a client: why they are not told apart
	Table       table
	Pages       []navItem
	Unknown     []unknownTool
	UnknownMore string
	UnknownHref string
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
		v.Table.Downloads = sc.downloads("tools")
		v.Unknown, v.UnknownMore = unknownTools(sc, tools.Value)
		v.UnknownHref = sc.link(sc.projectPath() + "unknown-tools")
		v.Notes = unseenNotes(tools.Value.NotReported, false)
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
