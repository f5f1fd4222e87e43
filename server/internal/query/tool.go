package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

// ToolAnswer answers: what is wrong with this one tool?
type ToolAnswer struct {
	ToolFiguresAnswer
	ToolReasons
	Beside
	// Next is what sessions did after the tool's failures; null where single events
	// are gone.
	Next *Next `json:"next"`
}

// ToolFiguresAnswer is the overview narrowed to one tool, and what the tool is.
type ToolFiguresAnswer struct {
	Header
	Tool string `json:"tool"`
	Measures
	Previous        Previous        `json:"previous"`
	Granularity     string          `json:"granularity"`
	Series          []Bucket        `json:"series"`
	Histogram       []LatencyBar    `json:"latency_histogram"`
	Changes         []Change        `json:"changes"`
	Registered      bool            `json:"registered"`
	Title           string          `json:"title,omitempty"`
	Description     string          `json:"description,omitempty"`
	InputSchema     json.RawMessage `json:"input_schema"` // null where it is not known
	DefinitionBytes *int64          `json:"definition_bytes"`
	Definitions     []Definition    `json:"definitions"` // oldest first
	Clients         []ClientLine    `json:"clients"`
	NotReported     []NotReported   `json:"not_reported"`
}

// ToolReasons are why calls of a tool failed, or said nothing.
type ToolReasons struct {
	Failures   []Failure   `json:"failures"`
	BadParams  []BadParam  `json:"bad_params"`
	EmptyRules []NameCount `json:"empty_rules"`
	Suspects   []NameCount `json:"suspects"`
}

// ToolReasonsAnswer answers: why do calls of this tool fail, or say nothing?
type ToolReasonsAnswer struct {
	Header
	ToolReasons
}

// Beside is what was called right before and after a tool in the same session.
type Beside struct {
	Before []NameCount `json:"before"`
	After  []NameCount `json:"after"`
}

// BesideAnswer answers: what is called around this tool?
type BesideAnswer struct {
	Header
	Beside
}

// Tool answers: what is wrong with this one tool? It is the overview narrowed to
// the tool, with what only one tool has: all that the questions below answer one by
// one. A tool that nobody ever listed or called is a fault.NotFound.
func Tool(ctx context.Context, src Source, p Params, tool string) (ToolAnswer, error) {
	return asOne(ctx, src, func(src Source) (ToolAnswer, error) {
		figures, err := ToolFigures(ctx, src, p, tool)
		if err != nil {
			return ToolAnswer{}, err
		}
		why, err := ToolWhy(ctx, src, p, tool)
		if err != nil {
			return ToolAnswer{}, err
		}
		beside, err := ToolBeside(ctx, src, p, tool)
		if err != nil {
			return ToolAnswer{}, err
		}
		answer := ToolAnswer{ToolFiguresAnswer: figures, ToolReasons: why.ToolReasons, Beside: beside.Beside}
		answer.NotFiltered = unique(slices.Concat(figures.NotFiltered, why.NotFiltered, beside.NotFiltered))
		p.Filter.Tool = []string{tool}
		after, err := AfterErrors(ctx, src, p)
		switch {
		case err == nil:
			answer.Next = &after.Next
		case why.BadParams == nil: // single events are gone
			answer.NotFiltered = append(answer.NotFiltered, "next")
		default:
			return ToolAnswer{}, err
		}
		if len(answer.NotFiltered) == 0 {
			answer.NotFiltered = nil
		}
		return answer, nil
	})
}

// ToolFigures answers: how do calls of this tool end, and what is it? A tool that
// nobody ever listed or called is a fault.NotFound.
func ToolFigures(ctx context.Context, src Source, p Params, tool string) (ToolFiguresAnswer, error) {
	return asOne(ctx, src, func(src Source) (ToolFiguresAnswer, error) { return toolFiguresOf(ctx, src, p, tool) })
}

func toolFiguresOf(ctx context.Context, src Source, p Params, tool string) (ToolFiguresAnswer, error) {
	p.Filter.Tool = []string{tool}
	overview, err := Overview(ctx, src, p)
	if err != nil {
		return ToolFiguresAnswer{}, err
	}
	answer := ToolFiguresAnswer{
		Header: overview.Header, Tool: tool, Measures: overview.Measures, Previous: overview.Previous,
		Granularity: overview.Granularity, Series: overview.Series, Histogram: overview.Histogram, NotReported: overview.NotReported,
		Changes: overview.Changes,
	}
	listed, err := src.Catalog(ctx, p.Filter)
	if err != nil {
		return ToolFiguresAnswer{}, err
	}
	if c, ok := newestByTool(listed)[tool]; ok {
		answer.Registered, answer.DefinitionBytes = true, definitionBytes(c.Bytes)
		answer.Title, answer.Description = c.Title, c.Description
		if json.Valid([]byte(c.InputSchema)) {
			answer.InputSchema = json.RawMessage(c.InputSchema)
		}
	} else if answer.Calls == 0 {
		if err := everSeen(ctx, src, p, tool); err != nil {
			return ToolFiguresAnswer{}, err
		}
	}
	if answer.Clients, err = clientLines(ctx, src, p); err != nil {
		return ToolFiguresAnswer{}, err
	}
	if answer.Calls > 0 && answer.Sessions == nil { // nobody reports them
		for i := range answer.Clients {
			answer.Clients[i].Sessions = nil
		}
	}
	versions, err := src.Definitions(ctx, p.Filter, tool)
	answer.Definitions = definitions(versions)
	return answer, err
}

// ToolWhy answers: why do calls of this tool fail, or say nothing?
func ToolWhy(ctx context.Context, src Source, p Params, tool string) (ToolReasonsAnswer, error) {
	p.Filter.Tool = []string{tool}
	return asOne(ctx, src, func(src Source) (ToolReasonsAnswer, error) {
		answer := ToolReasonsAnswer{Header: p.header()}
		kept, err := keptFor(ctx, src, p.Filter)
		if err != nil {
			return ToolReasonsAnswer{}, err
		}
		if err := answer.fill(ctx, src, p.Filter); err != nil {
			return ToolReasonsAnswer{}, err
		}
		gone := rawGone(kept, p.Filter)
		hide(&answer.Header, gone, "bad_params", &answer.BadParams)
		hide(&answer.Header, gone, "empty_rules", &answer.EmptyRules)
		hide(&answer.Header, gone, "suspects", &answer.Suspects)
		return answer, nil
	})
}

func (a *ToolReasonsAnswer) fill(ctx context.Context, src Source, f store.Filter) (err error) {
	if a.Failures, err = failures(ctx, src, f, maxFailures); err != nil {
		return err
	}
	params, err := src.BadParams(ctx, f, maxBadParams)
	if err != nil {
		return err
	}
	listed, err := src.Catalog(ctx, f)
	if err != nil {
		return err
	}
	a.BadParams = badParams(params, newestByTool(listed)[f.Tool[0]])
	rules, err := src.EmptyRules(ctx, f)
	if err != nil {
		return err
	}
	suspects, err := src.Suspects(ctx, f)
	a.EmptyRules, a.Suspects = nameCounts(rules), nameCounts(suspects)
	return err
}

// ToolBeside answers: what is called around this tool?
func ToolBeside(ctx context.Context, src Source, p Params, tool string) (BesideAnswer, error) {
	p.Filter.Tool = []string{tool}
	return asOne(ctx, src, func(src Source) (BesideAnswer, error) {
		answer := BesideAnswer{Header: p.header()}
		kept, err := keptFor(ctx, src, p.Filter)
		if err != nil {
			return BesideAnswer{}, err
		}
		before, after, err := src.Neighbours(ctx, p.Filter, maxNeighbours)
		answer.Before, answer.After = nameCounts(before), nameCounts(after)
		gone := rawGone(kept, p.Filter)
		hide(&answer.Header, gone, "before", &answer.Before)
		hide(&answer.Header, gone, "after", &answer.After)
		return answer, err
	})
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

func nameCounts(rows []store.NameCount) []NameCount {
	out := make([]NameCount, 0, len(rows))
	for _, r := range rows {
		out = append(out, NameCount{Name: r.Name, Calls: r.Calls})
	}
	return out
}
