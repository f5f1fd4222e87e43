package query

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Limits of the lists on a tool's page.
const (
	maxFailures   = 50
	maxBadParams  = 50
	maxNeighbours = 10
)

// Tool answers: what is wrong with this one tool? It is the overview narrowed to
// the tool, with what only one tool has. A tool that nobody ever listed or called
// is a fault.NotFound.
func Tool(ctx context.Context, src Source, p Params, tool string) (ToolAnswer, error) {
	return asOne(ctx, src, func(src Source) (ToolAnswer, error) { return toolOf(ctx, src, p, tool) })
}

func toolOf(ctx context.Context, src Source, p Params, tool string) (ToolAnswer, error) {
	p.Filter.Tool = []string{tool}
	overview, err := Overview(ctx, src, p)
	if err != nil {
		return ToolAnswer{}, err
	}
	answer := ToolAnswer{
		Header: overview.Header, Tool: tool, Measures: overview.Measures, Previous: overview.Previous,
		Granularity: overview.Granularity, Series: overview.Series, Histogram: overview.Histogram, NotReported: overview.NotReported,
		Changes: overview.Changes,
	}
	listed, err := src.Catalog(ctx, p.Filter)
	if err != nil {
		return ToolAnswer{}, err
	}
	if c, ok := newestByTool(listed)[tool]; ok {
		answer.Registered, answer.DefinitionBytes = true, definitionBytes(c.Bytes)
		answer.Title, answer.Description = c.Title, c.Description
	} else if answer.Calls == 0 {
		if err := everSeen(ctx, src, p, tool); err != nil {
			return ToolAnswer{}, err
		}
	}
	if answer.Clients, err = clientLines(ctx, src, p); err != nil {
		return ToolAnswer{}, err
	}
	if answer.Calls > 0 && answer.Sessions == nil { // nobody reports them
		for i := range answer.Clients {
			answer.Clients[i].Sessions = nil
		}
	}
	if err := answer.addReasons(ctx, src, p.Filter); err != nil {
		return ToolAnswer{}, err
	}
	if err := answer.addSurroundings(ctx, src, p.Filter, tool); err != nil {
		return ToolAnswer{}, err
	}
	kept, err := keptFor(ctx, src, p.Filter)
	if err == nil && rawGone(kept, p.Filter) {
		answer.hideReasons()
	}
	return answer, err
}

// everSeen returns a fault.NotFound unless the project knows the tool from another
// time or under other filters.
func everSeen(ctx context.Context, src Source, p Params, tool string) error {
	always := store.Filter{
		Project: p.Filter.Project,
		From:    time.Unix(0, 0).UTC(), To: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	one := always
	one.Tool = []string{tool}
	totals, err := src.Totals(ctx, one)
	if err != nil {
		return err
	}
	if totals.Calls+totals.Cancelled+totals.Rounds+totals.SetAside > 0 {
		return nil
	}
	listed, err := src.Catalog(ctx, always)
	if err != nil {
		return err
	}
	facets, err := src.Facets(ctx, always)
	if err != nil {
		return err
	}
	names := facets.Tools
	for name := range newestByTool(listed) {
		if name == tool {
			return nil
		}
		names = append(names, name)
	}
	hint := "the list of tools has the names"
	if near := Nearest(tool, unique(names), 3); len(near) > 0 {
		hint = "the nearest are " + strings.Join(near, ", ")
	}
	return fault.New(fault.NotFound, fmt.Sprintf("no tool %s was ever listed or called", quote(tool)), hint)
}

// addReasons fills in why calls failed or said nothing.
func (a *ToolAnswer) addReasons(ctx context.Context, src Source, f store.Filter) (err error) {
	if a.Failures, err = failures(ctx, src, f, maxFailures); err != nil {
		return err
	}
	params, err := src.BadParams(ctx, f, maxBadParams)
	if err != nil {
		return err
	}
	a.BadParams = make([]BadParam, 0, len(params))
	for _, r := range params {
		a.BadParams = append(a.BadParams, BadParam{Path: r.Path, Rule: r.Rule, Calls: r.Calls, Clients: r.Clients, Near: r.Near})
	}
	rules, err := src.EmptyRules(ctx, f)
	if err != nil {
		return err
	}
	suspects, err := src.Suspects(ctx, f)
	if err != nil {
		return err
	}
	a.EmptyRules, a.Suspects = nameCounts(rules), nameCounts(suspects)
	return nil
}

// hideReasons takes out what single events are needed for.
func (a *ToolAnswer) hideReasons() {
	hide(&a.Header, true, "failures", &a.Failures)
	hide(&a.Header, true, "bad_params", &a.BadParams)
	hide(&a.Header, true, "empty_rules", &a.EmptyRules)
	hide(&a.Header, true, "suspects", &a.Suspects)
	hide(&a.Header, true, "before", &a.Before)
	hide(&a.Header, true, "after", &a.After)
}

// addSurroundings fills in how the tool was defined and what was called beside it.
func (a *ToolAnswer) addSurroundings(ctx context.Context, src Source, f store.Filter, tool string) error {
	definitions, err := src.Definitions(ctx, f, tool)
	if err != nil {
		return err
	}
	a.Definitions = make([]Definition, 0, len(definitions))
	for _, d := range definitions {
		a.Definitions = append(a.Definitions, Definition{Definition: d.Definition, Bytes: d.Bytes, FirstSeen: d.FirstSeen})
	}
	before, after, err := src.Neighbours(ctx, f, maxNeighbours)
	if err != nil {
		return err
	}
	a.Before, a.After = nameCounts(before), nameCounts(after)
	return nil
}

func nameCounts(rows []store.NameCount) []NameCount {
	out := make([]NameCount, 0, len(rows))
	for _, r := range rows {
		out = append(out, NameCount{Name: r.Name, Calls: r.Calls})
	}
	return out
}
