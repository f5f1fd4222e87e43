package query_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

func version(v string) func(*umpire.Event) { return func(e *umpire.Event) { e.Server.Version = v } }

// TestReleases: a version is held against the one before it; what chance gives is
// same, and few calls say nothing.
func TestReleases(t *testing.T) {
	h := &history{monday: time.Date(2026, time.May, 4, 0, 0, 0, 0, time.UTC)}
	h.add(-1, 200, "find", version("1.0")) // before the range, and that it was there counts
	h.add(0, 190, "find", version("1.0"))
	h.add(0, 10, "find", version("1.0"), failing(umpire.ToolError, "shop.Refused"))
	h.add(0, 3, "rare", version("1.0"))
	h.add(1, 1, "find", version("3.0")) // after the range
	later := func(e *umpire.Event) { e.StartedAt = e.StartedAt.Add(90 * time.Minute) }
	h.add(0, 120, "find", version("1.1"), later)
	h.add(0, 40, "find", version("1.1"), later, failing(umpire.ToolError, "shop.Refused"))
	h.add(0, 5, "find", version("1.2"), func(e *umpire.Event) { e.StartedAt = e.StartedAt.Add(30 * time.Hour) })
	s := filled(t, h.events...)
	a, err := query.Releases(t.Context(), s, h.params())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.Releases {
		got = append(got, fmt.Sprintf("%s %s: %d calls, against %q %s", r.Server, r.Version, r.Calls, r.Before, r.Verdict))
	}
	want := []string{`shop 1.2: 5 calls, against "1.1" too_few`, `shop 1.1: 160 calls, against "1.0" worse`, `shop 1.0: 203 calls, against "" `}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("releases (-want +got):\n%s", diff)
	}
	worse := a.Releases[1].Differences[0]
	if worse.Measure != "error_rate" || *worse.Now != 0.25 || *worse.Low < 0.1 || *worse.Low > *worse.Now-*worse.Before || *worse.High > 0.35 {
		t.Errorf("error rate %+v: %v to %v", worse, *worse.Low, *worse.High)
	}
	for _, d := range a.Releases[1].Differences {
		if d.Measure == "crashed" && d.Verdict != query.Same || d.Measure == "first_call_success" && d.Verdict != query.Worse {
			t.Errorf("%s is %s", d.Measure, d.Verdict)
		}
	}
	insights, err := query.Insights(t.Context(), s, h.params())
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(insights.Insights, func(i query.Insight) bool { return i.Rule == "release_worse" }) {
		t.Error("five calls make a release worse")
	}
	p := h.params()
	p.Filter.To = p.Filter.From.Add(48 * time.Hour) // before 1.2
	if insights, err = query.Insights(t.Context(), s, p); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(insights.Insights, func(i query.Insight) bool { return i.Rule == "release_worse" })
	if i < 0 || insights.Insights[i].Against != "1.0" || insights.Insights[i].Since == nil {
		t.Errorf("insights %+v", insights.Insights)
	}
	p.Filter.Slice = []string{"crashed"}
	if a, err = query.Releases(t.Context(), s, p); err != nil || !slices.Contains(a.NotFiltered, "differences") {
		t.Errorf("under a slice: %v, %+v", err, a)
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
}

// TestReasons: the lists over all tools add up to what the overview says.
func TestReasons(t *testing.T) {
	h := &history{monday: time.Date(2026, time.May, 4, 0, 0, 0, 0, time.UTC)}
	h.add(0, 7, "quiet", empty)
	h.add(0, 4, "silent", empty)
	h.add(0, 20, "silent", func(e *umpire.Event) { e.Suspects = []string{"error_text"} })
	h.add(0, 5, "Silent", func(e *umpire.Event) {
		e.Outcome, e.Cause, e.Near, e.Session = umpire.BadArgs, "unknown_tool", []string{"silent"}, "one"
	})
	h.add(0, 5, "silent", func(e *umpire.Event) { e.Session, e.StartedAt = "one", e.StartedAt.Add(time.Second) })
	s := filled(t, h.events...)
	empties, err := query.Empties(t.Context(), s, h.params())
	if err != nil || empties.Empty != 11 || len(empties.Tools) != 2 || empties.Tools[0].Calls != 7 || !empties.Tools[0].Muted || empties.Tools[1].Muted || empties.Tools[1].Of != 29 {
		t.Errorf("%v, %+v", err, empties)
	}
	reported, err := query.Reported(t.Context(), s, h.params())
	if err != nil || len(reported.Tools) != 1 || reported.Tools[0].Calls != 20 || reported.Tools[0].Of != 29 {
		t.Errorf("%v, %+v", err, reported)
	}
	unknown, err := query.Unknown(t.Context(), s, h.params())
	if err != nil || len(unknown.Names) != 1 || unknown.Names[0].Calls != 5 || unknown.Names[0].Next[0] != (query.NameCount{Name: "silent", Calls: 5}) || unknown.Names[0].Asked[0].Name != "cursor" {
		t.Errorf("%v, %+v", err, unknown)
	}
	pairs, err := query.Pairs(t.Context(), s, h.params())
	if err != nil || len(pairs.Pairs) != 3 || pairs.Pairs[0] != (query.Pair{Before: "Silent", After: "silent", Calls: 5}) {
		t.Errorf("%v, %+v", err, pairs)
	}
	overview, err := query.Overview(t.Context(), s, h.params())
	if err != nil || *overview.Tokens != 41*100 || overview.CostPerSession == nil {
		t.Errorf("%v, %d tokens, %v a session", err, *overview.Tokens, overview.CostPerSession)
	}
}
