package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// InsightsAnswer answers: what is broken, since when, and what follows from it?
type InsightsAnswer struct {
	Header
	// Insights are the worst first: by severity, then by Size, then by tool.
	Insights []Insight `json:"insights"`
	// NotJudged are the rules that could not be held to this range, and why.
	NotJudged   []NotJudged   `json:"not_judged"`
	NotReported []NotReported `json:"not_reported"`
}

// Severity says how soon somebody should look.
type Severity string

// The severities, the worst first.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Notice   Severity = "notice"
)

func (s Severity) rank() int { return slices.Index([]Severity{Critical, Warning, Notice}, s) }

// Insight is one thing about one tool that is worth a look.
type Insight struct {
	// Rule is a name of insightRules.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Tool     string   `json:"tool"`
	// Calls are those that it is about, Of those that they are counted among.
	Calls int64 `json:"calls"`
	Of    int64 `json:"of"`
	// Value is what the rule measures, in Unit: share (0 to 1), us (microseconds),
	// tokens, sessions or calls. Before is the same of what it is compared with.
	Value  float64  `json:"value"`
	Unit   string   `json:"unit"`
	Before *float64 `json:"before"`
	// Against is what Before is of: "window" (of equal length before), or a version
	// of Server.
	Against string `json:"against,omitempty"`
	Server  string `json:"server,omitempty"`
	Version string `json:"version,omitempty"`
	// Since is when the first of it happened, where that can be said.
	Since *time.Time `json:"since"`
	// Of the rule bad_argument: the path, the rule of the schema, and what is close.
	Path   string `json:"path,omitempty"`
	Broken string `json:"broken,omitempty"`
	Near   string `json:"near,omitempty"`
	// Of crashes and new error types.
	Outcome     string `json:"outcome,omitempty"`
	ErrorType   string `json:"error_type,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	// What it costs in the range, where that is known.
	Tokens   *int64   `json:"tokens"`
	Cost     *float64 `json:"cost"`
	Sessions *int64   `json:"sessions"`
	// Consequence says in words what follows.
	Consequence string `json:"consequence"`
}

// Size is what insights of one severity are sorted by: the calls, or the sessions,
// that it concerns.
func (i Insight) Size() int64 {
	if i.Sessions != nil && i.Calls == 0 {
		return *i.Sessions
	}
	return i.Calls
}

// NotJudged is a rule that could not be held to the range.
type NotJudged struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Limits of what Insights reads; beyond them a rule is not judged.
const (
	insightParams   = 200
	insightFailures = 1000
	insightUnknown  = 200
)

// Insights answers: what is broken, since when, and what follows from it? The rules,
// their thresholds and severities are insightRules.
func Insights(ctx context.Context, src Source, p Params) (InsightsAnswer, error) {
	return asOne(ctx, src, func(src Source) (InsightsAnswer, error) { return insightsOf(ctx, src, p) })
}

func insightsOf(ctx context.Context, src Source, p Params) (InsightsAnswer, error) {
	answer := InsightsAnswer{Header: p.header(), Insights: []Insight{}, NotJudged: []NotJudged{}, NotReported: []NotReported{}}
	kept, err := keptFor(ctx, src, p.Filter)
	if err != nil {
		return InsightsAnswer{}, err
	}
	if byEnding(p.Filter) {
		// Of calls chosen by how they ended no rate says anything.
		answer.Insights, answer.NotFiltered = nil, append(answer.NotFiltered, "insights")
		return answer, nil
	}
	in := inspection{ctx: ctx, src: src, p: p, kept: kept}
	if err := in.read(); err != nil {
		return InsightsAnswer{}, err
	}
	for _, rule := range []func() error{in.ofTools, in.ofArguments, in.ofUnknown, in.ofTheWindowBefore, in.ofReleases, in.ofNewErrors, in.ofLoops, in.ofDeadTools} {
		if err := rule(); err != nil {
			return InsightsAnswer{}, err
		}
	}
	slices.SortStableFunc(in.found, func(a, b Insight) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(b.Size(), a.Size()),
			strings.Compare(a.Tool, b.Tool), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Path, b.Path))
	})
	answer.Insights = append(answer.Insights, in.found...)
	answer.NotJudged = append(answer.NotJudged, in.notJudged...)
	unseen, err := unseenOf(ctx, src, p.Filter)
	if err != nil {
		return InsightsAnswer{}, err
	}
	answer.NotReported = unseen.list
	return answer, nil
}

// byEnding reports whether the filter chooses calls by how they ended.
func byEnding(f store.Filter) bool {
	for _, list := range [][]string{f.Outcome, f.Slice, f.Cause, f.ErrorType, f.ErrorStatus, f.ErrorClass, f.Fingerprint, f.EmptyRule, f.Mark} {
		if len(list) > 0 {
			return true
		}
	}
	return !f.NewSince.IsZero()
}

// inspection is what the rules look at, and what they found.
type inspection struct {
	ctx  context.Context //nolint:containedctx // it lives as long as the question
	src  Source
	p    Params
	kept store.Kept

	tools   []store.ToolRow
	before  map[string]store.ToolRow // of the window before; nil where that is gone
	listed  []store.CatalogRow
	unknown []store.UnknownToolRow
	// muted counts a tool's empty answers that are fine by their rule.
	muted map[string]int64
	// failures of the range, once they were read.
	failures []store.FailureRow

	found     []Insight
	notJudged []NotJudged
}

func (in *inspection) read() (err error) {
	if in.tools, err = in.src.ByTool(in.ctx, in.p.Filter); err != nil {
		return err
	}
	if in.listed, err = in.src.Catalog(in.ctx, in.p.Filter); err != nil {
		return err
	}
	if !rawGone(in.kept, in.p.Filter) {
		if in.unknown, err = in.src.UnknownTools(in.ctx, in.p.Filter, insightUnknown); err != nil {
			return err
		}
	}
	window := previousRange(in.p.Filter)
	if answerable(in.kept, window) != nil {
		return nil //nolint:nilerr // what is gone is compared with nothing
	}
	rows, err := in.src.ByTool(in.ctx, window)
	if err != nil {
		return err
	}
	in.before = make(map[string]store.ToolRow, len(rows))
	for _, r := range rows {
		in.before[r.Tool] = r
	}
	return nil
}

// calls are all calls of the range.
func (in *inspection) calls() (n int64) {
	for _, t := range in.tools {
		n += t.Calls
	}
	return n
}

// isUnknown: nobody has the tool, so that nothing but its name can be wrong.
func (in *inspection) isUnknown(tool string) bool {
	return slices.ContainsFunc(in.unknown, func(u store.UnknownToolRow) bool { return u.Name == tool }) &&
		!slices.ContainsFunc(in.listed, func(c store.CatalogRow) bool { return c.Tool == tool })
}

// report keeps the insight if its value reaches a threshold of the rule.
func (in *inspection) report(rule string, i Insight) { in.reportBy(rule, i.Value, i) }

// reportBy is report of an insight that is judged by another value than it shows.
func (in *inspection) reportBy(rule string, measure float64, i Insight) {
	r := ruleNamed(rule)
	severity, reached := r.judge(measure)
	if !reached {
		return
	}
	i.Rule, i.Unit, i.Severity, i.Consequence = r.name, r.unit, severity, r.consequence
	in.found = append(in.found, i)
}

func (in *inspection) skip(reason string, rules ...string) {
	for _, r := range rules {
		in.notJudged = append(in.notJudged, NotJudged{r, reason})
	}
}

const (
	reasonGone   = "single events of a part of this range are no longer kept"
	reasonBefore = "the window before is no longer kept"
	reasonMany   = "there are more kinds of failures than are compared"
	reasonMuted  = "which empty answers are muted cannot be told: single events are no longer kept"
	reasonShort  = "the range is shorter than 7 days"
	reasonNarrow = "a filter on tools, clients or people is in force"
)
