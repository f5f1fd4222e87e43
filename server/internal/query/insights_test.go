package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// history is two weeks of made-up calls; the second is asked about.
type history struct {
	events []umpire.Event
	monday time.Time // when the second week begins
}

// add makes n calls of a tool, spread over a week: 0 is the one asked about, -1 the
// one before. change makes of an ok call what it should be.
func (h *history) add(week, n int, tool string, change ...func(*umpire.Event)) {
	for i := range n {
		us, bytes := int64(40_000), int64(400)
		e := umpire.Event{
			ID: umpire.NewID(), Kind: "call", StartedAt: h.monday.AddDate(0, 0, 7*week).Add(time.Duration(i+1) * 6 * 24 * time.Hour / time.Duration(n+1)),
			Server: umpire.Peer{Name: "shop", Version: "1.0"}, Client: umpire.Peer{Name: "cursor"}, Session: fmt.Sprintf("%s %d %d", tool, week, i),
			Call: umpire.Call{Tool: tool, Outcome: umpire.OK, DurationUS: &us, ResponseBytes: &bytes},
		}
		for _, c := range change {
			c(&e)
		}
		h.events = append(h.events, e)
	}
}

func (h *history) params() query.Params {
	price := 3.0
	return query.Params{
		Prefs:  query.Prefs{PricePerMillion: &price, Muted: []query.Mute{{Tool: "quiet"}}},
		Filter: store.Filter{Project: 1, From: h.monday, To: h.monday.AddDate(0, 0, 7), Now: h.monday.AddDate(0, 0, 8)},
	}
}

func failing(outcome umpire.Outcome, errorType string) func(*umpire.Event) {
	return func(e *umpire.Event) {
		e.Outcome, e.Cause, e.ErrorType, e.Fingerprint = outcome, "returned", errorType, string(outcome)+errorType
	}
}

func refused(path, rule, near string) func(*umpire.Event) {
	return func(e *umpire.Event) {
		e.Outcome, e.Cause, e.BadParams = umpire.BadArgs, "schema", []umpire.BadParam{{Path: path, Rule: rule, Near: near}}
	}
}

func empty(e *umpire.Event) { e.Empty, e.EmptyRule = true, "no_content" }

// brief is an insight as a test compares it.
func brief(i query.Insight) string {
	s := fmt.Sprintf("%s %s %s %d/%d %.4g", i.Severity, i.Rule, i.Tool, i.Calls, i.Of, i.Value)
	if i.Before != nil {
		s += fmt.Sprintf(" before %.4g", *i.Before)
	}
	return s
}

// TestInsights: each rule finds what it is there for, at its threshold, and nothing
// below it.
func TestInsights(t *testing.T) {
	h := &history{monday: time.Date(2026, time.May, 4, 0, 0, 0, 0, time.UTC)}
	listed := umpire.Event{ID: umpire.NewID(), Kind: "catalog", StartedAt: h.monday.AddDate(0, 0, -8), Server: umpire.Peer{Name: "shop", Version: "1.0"}}
	for _, name := range []string{"sound", "boom", "rises", "refuses", "quiet", "silent", "slow", "heavy", "renamed", "rare", "dead"} {
		listed.Tools = append(listed.Tools, umpire.ToolDefinition{Name: name, Bytes: 4000, Definition: name})
	}
	h.events = append(h.events, listed)
	h.add(-1, 100, "sound")
	h.add(0, 95, "sound")
	h.add(0, 4, "sound", refused("/q", "type", "")) // 4 %: below every threshold

	h.add(-1, 30, "boom")
	h.add(0, 29, "boom")
	h.add(0, 1, "boom", failing(umpire.Crashed, "runtime.boundsError"))

	h.add(-1, 98, "rises")
	h.add(-1, 2, "rises", failing(umpire.ToolError, "shop.Refused"))
	h.add(0, 70, "rises")
	h.add(0, 30, "rises", failing(umpire.ToolError, "shop.Refused"))

	h.add(0, 90, "refuses")
	h.add(0, 10, "refuses", refused("/status", "enum", "open"))

	h.add(0, 30, "quiet", empty) // muted
	h.add(0, 80, "silent")
	h.add(0, 20, "silent", empty)

	h.add(0, 20, "slow", func(e *umpire.Event) { us := int64(12_000_000); e.DurationUS = &us })
	h.add(0, 19, "rare", func(e *umpire.Event) { us := int64(90_000_000); e.DurationUS = &us }) // one too few
	h.add(0, 20, "heavy", func(e *umpire.Event) { n := int64(48_000); e.ResponseBytes = &n })

	h.add(-1, 20, "renamed", func(e *umpire.Event) { e.StartedAt = e.StartedAt.Add(time.Second) })
	h.add(0, 95, "renamed")
	h.add(0, 5, "renamed", failing(umpire.ToolError, "shop.NewKind"))

	h.add(0, 30, "loops", func(e *umpire.Event) { e.Session = "round" })
	for i := len(h.events) - 4; i < len(h.events); i++ {
		h.events[i].ArgsHash = "0123456789ab"
	}

	h.add(0, 25, "Sound", func(e *umpire.Event) {
		e.Outcome, e.Cause, e.Near = umpire.BadArgs, "unknown_tool", []string{"sound"}
	})
	s := filled(t, h.events...)
	answer, err := query.Insights(t.Context(), s, h.params())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range answer.Insights {
		got = append(got, brief(i))
	}
	want := []string{
		"critical error_rate_up rises 30/100 0.3 before 0.02",
		"critical crash_appeared boom 1/30 1 before 0",
		"warning low_first_call rises 30/100 0.7",
		"warning heavy_answers heavy 20/20 1.2e+04",
		"warning silent_empty silent 20/100 0.2",
		"warning slow slow 20/20 1.212e+07",
		"warning bad_argument refuses 10/100 0.1",
		"warning new_error_type renamed 5/100 5 before 0",
		"notice never_called dead 0/673 5.74e+05",
		"notice unknown_tool Sound 25/673 25",
		"notice loop loops 4/30 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("insights (-want +got):\n%s", diff)
	}
	dead := answer.Insights[slices.IndexFunc(answer.Insights, func(i query.Insight) bool { return i.Rule == "never_called" })]
	if *dead.Sessions != 574 || *dead.Tokens != 574*1000 || *dead.Cost < 1.721 || *dead.Cost > 1.723 {
		t.Errorf("the dead tool costs %d tokens, $%v, in %d sessions", *dead.Tokens, *dead.Cost, *dead.Sessions)
	}
	boom := answer.Insights[1]
	if boom.Since == nil || boom.Since.Before(h.monday) || boom.ErrorType != "runtime.boundsError" || boom.Consequence == "" {
		t.Errorf("the crash: %+v", boom)
	}
	if len(answer.NotJudged) != 0 {
		t.Errorf("not judged: %v", answer.NotJudged)
	}
}

// TestInsightsByRule: what is muted by its rule is no insight, the rest of the tool's
// empty answers is; two questions by turns are a loop of both tools.
func TestInsightsByRule(t *testing.T) {
	h := &history{monday: time.Date(2026, time.May, 4, 0, 0, 0, 0, time.UTC)}
	by := func(rule string) func(*umpire.Event) {
		return func(e *umpire.Event) { e.Empty, e.EmptyRule = true, rule }
	}
	for _, tool := range []string{"fine", "partly"} {
		h.add(0, 80, tool)
		h.add(0, 40, tool, by("no_content"))
	}
	h.add(0, 4, "fine", by("zero_count"))
	h.add(0, 30, "partly", by("zero_count"))
	for i, tool := range []string{"ask", "check"} {
		h.add(0, 20, tool)
		h.add(0, 3, tool, func(e *umpire.Event) {
			e.Session, e.ArgsHash, e.StartedAt = "turns", "0123456789ab", e.StartedAt.Add(time.Duration(i)*time.Minute)
		})
	}
	p := h.params()
	p.Prefs.Muted = []query.Mute{{Tool: "fine", Rule: "no_content"}, {Tool: "partly", Rule: "no_content"}}
	answer, err := query.Insights(t.Context(), filled(t, h.events...), p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range answer.Insights {
		got = append(got, brief(i))
	}
	want := []string{"warning silent_empty partly 30/150 0.2", "notice loop ask 3/23 1", "notice loop check 3/23 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("insights (-want +got):\n%s", diff)
	}
}

// TestInsightsUnderFilters: calls chosen by how they ended say nothing of rates; a
// short range says nothing of tools that nobody called.
func TestInsightsUnderFilters(t *testing.T) {
	h := &history{monday: time.Date(2026, time.May, 4, 0, 0, 0, 0, time.UTC)}
	h.add(0, 30, "boom", failing(umpire.Crashed, "runtime.boundsError"))
	s := filled(t, h.events...)
	p := h.params()
	p.Filter.Slice = []string{"crashed"}
	answer, err := query.Insights(t.Context(), s, p)
	if err != nil || answer.Insights != nil || !slices.Contains(answer.NotFiltered, "insights") {
		t.Errorf("under a slice: %v, %+v", err, answer)
	}
	p = h.params()
	p.Filter.From = p.Filter.From.AddDate(0, 0, 1)
	if answer, err = query.Insights(t.Context(), s, p); err != nil || len(answer.NotJudged) != 1 || answer.NotJudged[0].Rule != "never_called" {
		t.Errorf("six days: %v, %+v", err, answer.NotJudged)
	}
}

// TestInsightsAreOrdered: whatever happened, the worst come first, nothing rests on
// too few calls, and no part is larger than its whole.
func TestInsightsAreOrdered(t *testing.T) {
	s := filled(t)
	seq, project := uint64(1), uint32(0)
	rank := map[query.Severity]int{query.Critical: 1, query.Warning: 2, query.Notice: 3}
	storetest.Check(t, 5, func(r *rapid.T) {
		project++
		seq = put(r, s, seq, project, rapid.SliceOfN(storetest.Event(), 60, 60).Draw(r, "events"))
		p := query.Params{Filter: store.Filter{Project: project, From: storetest.Base, To: now}}
		a, err := query.Insights(t.Context(), s, p)
		fatal(r, err)
		for n, i := range a.Insights {
			if n > 0 {
				before := a.Insights[n-1]
				if rank[before.Severity] > rank[i.Severity] || before.Severity == i.Severity && before.Size() < i.Size() {
					r.Errorf("%+v stands before %+v", before, i)
				}
			}
			if i.Calls > i.Of || i.Of < query.MinCalls || i.Consequence == "" || rank[i.Severity] == 0 {
				r.Errorf("%+v", i)
			}
		}
	})
}
