package web

import (
	"context"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// toolView is the page /p/{project}/tools/{tool}.
type toolView struct {
	frame
	Tool, ToolTitle, Description string
	ToolsHref                    string
	Facts                        []string
	Err                          *fault.Error
	Measures                     *measures
	Quiet                        string
	Failures                     []failure
	BadParams                    []badParam
	EmptyRules, Suspects         []countRow
	Before, After                []countRow
	Clients                      table
	Definitions                  []definition
}

type badParam struct {
	Path, Rule     string
	Near, NearWord string // what is close, and whether it is allowed or was sent
	Calls, Clients string
}

// countRow is a name and how many calls carried it.
type countRow struct{ Name, Href, Calls string }

type definition struct {
	Hash, Size string
	FirstSeen  time.Time
	Current    bool
}

func (s *site) tool(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r, "tool")
	if err != nil || sc == nil {
		return err
	}
	name := r.PathValue("tool")
	ctx := r.Context()
	var got answer[query.ToolAnswer]
	facets := sc.withFacets(ctx, func() {
		got = ask(ctx, s, "tool", func(ctx context.Context) (query.ToolAnswer, error) {
			return query.Tool(ctx, s.src, sc.params, name)
		})
	})
	if got.Err != nil && got.Err.Code == fault.NotFound {
		return got.Err
	}
	v := toolView{
		frame: sc.frame(ctx, name, sc.projectPath()+"tools", facets),
		Tool:  name, ToolsHref: sc.link(sc.projectPath() + "tools"), Err: got.Err,
	}
	if got.Err == nil {
		v.fill(sc, got.Value)
	}
	return s.render(w, http.StatusOK, "tool", v)
}

func (v *toolView) fill(sc *scope, a query.ToolAnswer) {
	if a.Title != a.Tool {
		v.ToolTitle = a.Title
	}
	v.Description = a.Description
	v.Facts = toolFacts(a)
	if a.Calls == 0 {
		v.Quiet = "No calls of this tool in " + lastWords(sc.params) + "."
	}
	v.Measures = makeMeasures(sc, a.Header, a.Measures, a.Previous, a.Granularity, a.Series, a.Histogram, a.NotReported, a.Changes)
	v.Failures = failures(sc, a.Failures)
	for _, p := range a.BadParams {
		path := p.Path
		if path == "" {
			path = "(the arguments as a whole)"
		}
		near := "allowed:"
		if p.Rule == "required" {
			near = "sent instead:" // the name that the model made up
		}
		v.BadParams = append(v.BadParams, badParam{path, ruleWord(p.Rule), p.Near, near, format.Count(p.Calls), format.Count(p.Clients)})
	}
	for _, e := range a.EmptyRules {
		v.EmptyRules = append(v.EmptyRules, countRow{Name: format.EmptyRule(e.Name), Calls: format.Count(e.Calls)})
	}
	for _, m := range a.Suspects {
		v.Suspects = append(v.Suspects, countRow{Name: format.Suspect(m.Name), Calls: format.Count(m.Calls)})
	}
	v.Before, v.After = neighbours(sc, a.Before), neighbours(sc, a.After)
	t := table{ID: "clients", Title: "Clients", Caption: "Calls of this tool by client in " + lastWords(sc.params), Empty: "No client called this tool in this range."}
	v.Clients = makeTable(sc, t, "sort", clientColumns, clientLines(a.Header, a.Clients, sc.here), rowsMax)
	for i, d := range a.Definitions {
		v.Definitions = append(v.Definitions, definition{d.Definition, format.Bytes(d.Bytes), d.FirstSeen, i == len(a.Definitions)-1})
	}
}

func toolFacts(a query.ToolAnswer) []string {
	var facts []string
	if a.DefinitionBytes != nil {
		facts = append(facts, "definition "+format.Bytes(*a.DefinitionBytes))
	}
	if a.Bytes.AvgResponse != nil {
		facts = append(facts, "answers with "+format.Bytes(*a.Bytes.AvgResponse)+" on average")
	}
	if !a.Registered {
		facts = append(facts, "no server has listed this tool")
	}
	return facts
}

// named is an error_type, or nothing where the failure has none.
func named(errorType string) string {
	if errorType == store.Unknown {
		return ""
	}
	return errorType
}

func neighbours(sc *scope, list []query.NameCount) []countRow {
	var out []countRow
	for _, n := range list {
		row := countRow{Name: n.Name, Calls: format.Count(n.Calls)}
		if n.Name == "" {
			row.Name = "(nothing)"
		} else {
			row.Href = sc.toolLink(n.Name)
		}
		out = append(out, row)
	}
	return out
}
