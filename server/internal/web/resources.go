package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// resourcesView is the page /p/{project}/resources.
type resourcesView struct {
	frame
	Lists []readList
}

// readList is the resources, or the prompts.
type readList struct {
	ID, Title, Caption, Empty string
	Err                       *fault.Error
	Blank                     bool // the filters cannot narrow it
	Rows                      []readRow
	Downloads                 []download
}

type readRow struct {
	Name                            string
	Reads, Failed, GivenUp, Clients string
	NoneFailed, NoneGivenUp         bool
	Ways                            string // how the failed ones failed
	P50, P95                        string
	LastSeen                        time.Time
}

func (s *site) resources(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Resources and prompts")
	ctx := r.Context()
	var resources answer[query.ResourcesAnswer]
	var prompts answer[query.PromptsAnswer]
	facets := sc.withFacets(ctx, func() {
		together(
			func() {
				resources = ask(ctx, s, "resources", func(ctx context.Context) (query.ResourcesAnswer, error) {
					return query.Resources(ctx, s.src, sc.params)
				})
			},
			func() {
				prompts = ask(ctx, s, "prompts", func(ctx context.Context) (query.PromptsAnswer, error) { return query.Prompts(ctx, s.src, sc.params) })
			},
		)
	})
	v := resourcesView{frame: sc.frame(ctx, "Resources and prompts", sc.projectPath()+"resources", facets)}
	v.Lists = []readList{
		readRows(sc, readList{ID: "resources", Title: "Resources", Err: resources.Err}, resources.Value.Resources),
		readRows(sc, readList{ID: "prompts", Title: "Prompts", Err: prompts.Err}, prompts.Value.Prompts),
	}
	return s.render(w, http.StatusOK, "resources", v)
}

func readRows(sc *scope, l readList, lines []query.ReadLine) readList {
	name := strings.ToLower(l.Title)
	l.Caption = "by the name that the server registered, in " + lastWords(sc.params)
	l.Empty = "No " + name + " were read in " + lastWords(sc.params) + "."
	l.Blank = l.Err == nil && lines == nil
	for _, r := range lines {
		row := readRow{
			Name: clip(r.Name, 200), Reads: format.Count(r.Reads), Failed: format.Count(r.Failed), NoneFailed: r.Failed == 0,
			GivenUp: format.Count(r.GivenUp), NoneGivenUp: r.GivenUp == 0, Clients: format.Count(r.Clients), P50: durationOr(r.P50US), P95: durationOr(r.P95US), LastSeen: r.LastSeen,
		}
		var ways []string
		for _, way := range []struct {
			n    int64
			name string
		}{{r.BadArgs, "bad args"}, {r.ToolError, "refused"}, {r.Crashed, "crashed"}} {
			if way.n > 0 {
				ways = append(ways, format.Count(way.n)+" "+way.name)
			}
		}
		row.Ways = strings.Join(ways, ", ")
		l.Rows = append(l.Rows, row)
	}
	if len(l.Rows) > 0 {
		l.Downloads = sc.downloads(l.ID)
	}
	return l
}

func durationOr(us *int64) string {
	if us == nil {
		return format.Dash
	}
	return format.Duration(*us)
}
