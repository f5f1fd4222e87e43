package query

import (
	"context"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// maxUnknownTools bounds the names in ToolsAnswer that no server has.
const maxUnknownTools = 50

// Tools answers: which tool fails, and how? The tools that were called come first,
// most called first, then the registered ones that were not.
func Tools(ctx context.Context, src Source, p Params) (ToolsAnswer, error) {
	return asOne(ctx, src, func(src Source) (ToolsAnswer, error) { return toolsOf(ctx, src, p) })
}

func toolsOf(ctx context.Context, src Source, p Params) (ToolsAnswer, error) {
	answer := ToolsAnswer{Header: p.header(), Tools: []ToolLine{}, UnknownTools: []UnknownTool{}}
	kept, err := keptFor(ctx, src, p.Filter)
	if err != nil {
		return ToolsAnswer{}, err
	}
	rows, err := src.ByTool(ctx, p.Filter)
	if err != nil {
		return ToolsAnswer{}, err
	}
	listed, err := src.Catalog(ctx, p.Filter)
	if err != nil {
		return ToolsAnswer{}, err
	}
	catalog := newestByTool(listed)
	for _, r := range rows {
		line := toolLine(r)
		if c, ok := catalog[r.Tool]; ok {
			line.register(c)
			delete(catalog, r.Tool)
		}
		answer.Tools = append(answer.Tools, line)
	}
	called := len(answer.Tools)
	for name, c := range catalog {
		line := ToolLine{Tool: name}
		line.register(c)
		answer.Tools = append(answer.Tools, line)
	}
	slices.SortFunc(answer.Tools[called:], func(a, b ToolLine) int { return strings.Compare(a.Tool, b.Tool) })
	unknown, err := src.UnknownTools(ctx, p.Filter, maxUnknownTools)
	if err != nil {
		return ToolsAnswer{}, err
	}
	for _, u := range unknown {
		answer.UnknownTools = append(answer.UnknownTools, UnknownTool{
			Name: u.Name, Calls: u.Calls, Nearest: append([]string{}, u.Nearest...), Clients: u.Clients,
		})
	}
	hide(&answer.Header, rawGone(kept, p.Filter), "unknown_tools", &answer.UnknownTools)
	unseen, err := unseenOf(ctx, src, p.Filter)
	if err != nil {
		return ToolsAnswer{}, err
	}
	answer.NotReported = unseen.list
	return answer, nil
}

// toolLine is the row of a tool that was called.
func toolLine(r store.ToolRow) ToolLine {
	s, l := slicesOf(r.Counts), latency(r.Latency)
	retries, seen := r.Retries, r.LastSeen
	return ToolLine{
		Tool: r.Tool, Calls: r.Calls,
		OK: &s.OK, Empty: &s.Empty, BadArgs: &s.BadArgs, ToolError: &s.ToolError, Crashed: &s.Crashed,
		P50US: l.P50, P95US: l.P95, P99US: l.P99,
		ResponseBytesAvg: average(r.ResponseBytes, r.ResponseKnown),
		Retries:          &retries,
		FirstCallSuccess: &Share{Rate: rate(r.FirstOK, r.FirstCalls), Of: r.FirstCalls},
		LastSeen:         &seen,
	}
}

func (l *ToolLine) register(c store.CatalogRow) {
	l.Registered, l.DefinitionBytes = true, definitionBytes(c.Bytes)
}

// definitionBytes is nil if the sender did not say it: no definition has no bytes.
func definitionBytes(n int64) *int64 { return known(n, n) }

// newestByTool is the catalog by tool: where several servers list a tool of one
// name, the one listed last.
func newestByTool(rows []store.CatalogRow) map[string]store.CatalogRow {
	newest := make(map[string]store.CatalogRow, len(rows))
	for _, r := range rows {
		if have, ok := newest[r.Tool]; !ok || r.LastSeen.After(have.LastSeen) {
			newest[r.Tool] = r
		}
	}
	return newest
}
