package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// toolView is the page /p/{project}/tools/{tool}.
type toolView struct {
	frame
	Tool, ToolTitle  string
	ToolsHref, Calls string // where the tools are, and all calls of this one
	Done             string // what was just changed
	Facts            []string
	Err              *fault.Error
	Measures         *measures
	Quiet            string
	Clients          table
	Definition       *definitionView
	// The panels that are asked for by themselves, each with why it is missing.
	WhyErr, NextErr, BesideErr *fault.Error
	TypesErr, NewestErr        *fault.Error
	Types                      []typeRow
	TypesShown                 string
	Newest                     []callRow
	Downloads                  toolDownloads
	Failures                   []failure
	BadParams                  []badParam
	EmptyRules                 []countRow
	Suspects                   []suspectRow
	Next                       []nextRow
	NextNote                   string
	Before, After              []countRow
	Gone                       []note
}

// toolDownloads are the lists of a tool's page as files.
type toolDownloads struct {
	Failures, Types, Arguments, Empty, Reported, Definitions, Calls []download
}

// newestShown is how many calls a tool's page shows.
const newestShown = 10

// badParam is a refused argument: what was wrong, and why models may get it wrong.
type badParam struct {
	Path, Rule, Problem, Likely string
	Near, NearWord              string // what is close, and whether it is allowed or was sent
	Calls, Clients, Schema      string
}

// countRow is a name and how many calls carried it.
type countRow struct {
	Name, Href, Calls, Word string
	Act                     *action
}

// suspectRow is a mark on ok calls, with the button that makes a rule of it.
type suspectRow struct {
	Mark, Calls, Href string
	Act               *action
}

// definitionView is a tool as the model reads it.
type definitionView struct {
	Description, Schema string
	Size                string
	Versions            []definition
}

type definition struct {
	Hash, Size string
	FirstSeen  time.Time
	Current    bool
	Changes    []changeLine
}

// changeLine is a line of what changed from one version to the next.
type changeLine struct{ Class, Sign, Text string }

func (s *site) tool(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r, "tool")
	if err != nil || sc == nil {
		return err
	}
	name, ctx := r.PathValue("tool"), r.Context()
	var got toolAnswers
	facets := sc.withFacets(ctx, func() { got = sc.askTool(ctx, name) })
	if got.figures.Err != nil && got.figures.Err.Code == fault.NotFound {
		return got.figures.Err
	}
	v := toolView{
		frame: sc.frame(ctx, name, sc.projectPath()+"tools", facets), Done: sc.done,
		Tool: name, ToolsHref: sc.link(sc.projectPath() + "tools"), Calls: sc.link(sc.projectPath()+"calls", "tool", name),
		Err: got.figures.Err, WhyErr: got.why.Err, NextErr: got.next.Err, BesideErr: got.beside.Err,
		TypesErr: got.types.Err, NewestErr: got.newest.Err, Newest: callRows(sc, got.newest.Value.Calls),
		Downloads: toolDownloads{
			Failures: sc.downloads("errors"), Types: sc.downloads("errors/types"), Arguments: sc.downloads("bad-arguments"), Empty: sc.downloads("empty"),
			Reported: sc.downloads("reported"), Definitions: sc.downloads("definitions"), Calls: sc.downloads("calls"),
		},
	}
	if got.figures.Err == nil {
		v.fill(sc, got.figures.Value)
	}
	v.addParts(sc, got)
	return s.render(w, http.StatusOK, "tool", v)
}

// toolAnswers are what a tool's page asks, each by itself.
type toolAnswers struct {
	figures answer[query.ToolFiguresAnswer]
	why     answer[query.ToolReasonsAnswer]
	next    answer[query.AfterErrorsAnswer]
	beside  answer[query.BesideAnswer]
	types   answer[query.ErrorTypesAnswer]
	newest  answer[query.CallsAnswer]
}

func (sc *scope) askTool(ctx context.Context, name string) (got toolAnswers) {
	s, only := sc.site, sc.params
	only.Filter.Tool = []string{name}
	together(
		func() {
			got.figures = ask(ctx, s, "tool", func(ctx context.Context) (query.ToolFiguresAnswer, error) {
				return query.ToolFigures(ctx, s.src, sc.params, name)
			})
		},
		func() {
			got.why = ask(ctx, s, "failures", func(ctx context.Context) (query.ToolReasonsAnswer, error) {
				return query.ToolWhy(ctx, s.src, sc.params, name)
			})
		},
		func() {
			got.beside = ask(ctx, s, "neighbours", func(ctx context.Context) (query.BesideAnswer, error) {
				return query.ToolBeside(ctx, s.src, sc.params, name)
			})
		},
		func() { got.next = sc.askNext(ctx, only) },
		func() { got.types = sc.askTypes(ctx, only) },
		func() { got.newest = sc.askNewest(ctx, only) },
	)
	return got
}

// addParts fills in what is asked for by itself.
func (v *toolView) addParts(sc *scope, got toolAnswers) {
	if got.why.Err == nil {
		v.addReasons(sc, got.why.Value, got.next.Value)
	}
	v.Types, v.TypesShown = sc.typeRows(got.types.Value)
	if got.next.Err == nil {
		v.NextNote = nextNotes(got.next.Value.Next)
		if got.next.Value.Next.Of() > 0 {
			v.Next = nextRows(got.next.Value.Next, 5)
		}
	}
	if len(v.Failures) == 0 && got.why.Err == nil {
		v.NextErr = nil // there is nothing that could have come next
	}
	if v.NewestErr != nil && v.NewestErr.Code == fault.BadRequest {
		v.NewestErr = nil // they are no longer kept, which the page says
	}
	v.Before, v.After = neighbours(sc, got.beside.Value.Before), neighbours(sc, got.beside.Value.After)
}

func (v *toolView) fill(sc *scope, a query.ToolFiguresAnswer) {
	if a.Title != a.Tool {
		v.ToolTitle = a.Title
	}
	v.Facts = toolFacts(a)
	if a.Calls == 0 {
		v.Quiet = "No calls of this tool in " + lastWords(sc.params) + "."
	}
	v.Measures = makeMeasures(sc, a.Header, a.Measures, a.Previous, a.Granularity, a.Series, a.Histogram, a.NotReported, a.Changes)
	t := table{ID: "clients", Title: "Clients", Caption: "Calls of this tool by client in " + lastWords(sc.params), Empty: "No client called this tool in this range."}
	t.Downloads = sc.downloads("clients")
	v.Clients = makeTable(sc, t, "sort", clientColumns, clientLines(a.Header, a.Clients, sc.here), rowsMax)
	v.Definition = makeDefinition(a)
}

func toolFacts(a query.ToolFiguresAnswer) []string {
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

// makeDefinition is nil of a tool that no server listed.
func makeDefinition(a query.ToolFiguresAnswer) *definitionView {
	if a.Description == "" && len(a.Definitions) == 0 && a.InputSchema == nil {
		return nil
	}
	v := &definitionView{Description: a.Description, Schema: pretty(a.InputSchema)}
	if a.DefinitionBytes != nil {
		v.Size = format.Bytes(*a.DefinitionBytes)
	}
	for i, d := range a.Definitions {
		row := definition{Hash: d.Definition, Size: format.Bytes(d.Bytes), FirstSeen: d.FirstSeen, Current: i == len(a.Definitions)-1}
		for _, line := range d.Changes {
			sign, text := line[:2], line[2:]
			class := map[string]string{"+ ": "added", "- ": "gone"}[sign]
			row.Changes = append(row.Changes, changeLine{class, strings.TrimSpace(sign), text})
		}
		v.Versions = append(v.Versions, row)
	}
	return v
}

// pretty is JSON as a person reads it; nothing where there is none.
func pretty(text json.RawMessage) string {
	var out bytes.Buffer
	if len(text) == 0 || json.Indent(&out, text, "", "  ") != nil {
		return ""
	}
	return out.String()
}

// addReasons fills in why calls failed, or said nothing.
func (v *toolView) addReasons(sc *scope, a query.ToolReasonsAnswer, next query.AfterErrorsAnswer) {
	v.Gone = goneNote(a.Header)
	v.Failures = failures(sc, a.Failures, next.Failures, false)
	for _, p := range a.BadParams {
		row := badParam{
			Path: p.Path, Rule: p.Rule, Problem: p.Problem, Likely: p.Likely, Near: p.Near, NearWord: "close to",
			Calls: format.Count(p.Calls), Clients: format.Count(p.Clients), Schema: pretty(p.Schema),
		}
		if row.Path == "" {
			row.Path = "(the arguments as a whole)"
		}
		if p.Rule == "required" {
			row.NearWord = "sent instead:" // the name that the model made up
		}
		v.BadParams = append(v.BadParams, row)
	}
	for _, e := range a.EmptyRules {
		v.EmptyRules = append(v.EmptyRules, countRow{Name: e.Name, Word: format.KindEmptyRule, Calls: format.Count(e.Calls), Href: sc.callsLink("empty_rule", e.Name), Act: sc.muteAction(v.Tool, e.Name)})
	}
	for _, m := range a.Suspects {
		v.Suspects = append(v.Suspects, suspectRow{m.Name, format.Count(m.Calls), sc.callsLink("mark", m.Name), sc.ruleAction(v.Tool, m.Name)})
	}
}

// askNewest asks for the newest calls of the page's tool.
func (sc *scope) askNewest(ctx context.Context, p query.Params) answer[query.CallsAnswer] {
	p.List = query.List{Limit: newestShown}
	return ask(ctx, sc.site, "newest calls", func(ctx context.Context) (query.CallsAnswer, error) {
		return query.Calls(ctx, sc.site.src, p)
	})
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
