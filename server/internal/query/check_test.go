package query

import (
	"math"
	"testing"
)

func TestCheckOf(t *testing.T) {
	p := func(x float64) *float64 { return &x }
	n := func(x int64) *int64 { return &x }
	overview := func(calls, failed, empty, crashed int64) OverviewAnswer {
		return OverviewAnswer{Measures: Measures{
			Calls: calls, ErrorRate: rate(failed, calls), EmptyRate: rate(empty, calls), Outcomes: Outcomes{Crashed: crashed},
			LatencyUS: Latency{P95: n(2_000_000)}, FirstCallSuccess: Share{Rate: rate(calls-failed, calls), Of: calls},
		}}
	}
	noEmpty := overview(100, 2, 0, 0)
	noEmpty.EmptyRate = nil
	for _, tt := range []struct {
		name   string
		o      OverviewAnswer
		limits Limits
		want   Verdict
	}{
		{"below", overview(100, 4, 0, 0), Limits{MaxErrorRate: p(0.05), MinCalls: 20}, Holds},
		{"the limit itself holds", overview(100, 5, 0, 0), Limits{MaxErrorRate: p(0.05), MinCalls: 20}, Holds},
		{"above", overview(100, 6, 0, 0), Limits{MaxErrorRate: p(0.05), MinCalls: 20}, Exceeded},
		{"too few calls", overview(19, 19, 0, 0), Limits{MaxErrorRate: p(0.05), MinCalls: 20}, CannotTell},
		{"just enough calls", overview(20, 20, 0, 0), Limits{MaxErrorRate: p(0.05), MinCalls: 20}, Exceeded},
		{"no calls and no minimum", overview(0, 0, 0, 0), Limits{MaxErrorRate: p(0.05)}, CannotTell},
		{"nobody reports empty answers", noEmpty, Limits{MaxEmptyRate: p(0.05), MinCalls: 20}, CannotTell},
		{"what is exceeded outweighs it", noEmpty, Limits{MaxErrorRate: p(0.01), MaxEmptyRate: p(0.05), MinCalls: 20}, Exceeded},
		{"a crash in few calls", overview(3, 1, 0, 1), Limits{MaxCrashed: n(0), MinCalls: 20}, Exceeded},
		{"no crash in few calls", overview(3, 1, 0, 0), Limits{MaxCrashed: n(0), MinCalls: 20}, CannotTell},
		{"no crash in no calls", overview(0, 0, 0, 0), Limits{MaxCrashed: n(0), MinCalls: 20}, CannotTell},
		{"slow", overview(100, 0, 0, 0), Limits{MaxP95US: n(1_999_999)}, Exceeded},
		{"as slow as may be", overview(100, 0, 0, 0), Limits{MaxP95US: n(2_000_000)}, Holds},
		{"first calls fail", overview(100, 30, 0, 0), Limits{MinFirstCallSuccess: p(0.8)}, Exceeded},
		{"first calls succeed", overview(100, 20, 0, 0), Limits{MinFirstCallSuccess: p(0.8)}, Holds},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := CheckOf(tt.o, tt.limits); got.Verdict != tt.want {
				t.Errorf("%+v, want %s", got, tt.want)
			}
		})
	}
}

func TestRank(t *testing.T) {
	n := func(x int64) *int64 { return &x }
	line := func(tool string, calls, failed, p95 int64) ToolLine {
		return ToolLine{Tool: tool, Calls: calls, OK: n(calls - failed), Empty: n(0), BadArgs: n(failed), ToolError: n(0), Crashed: n(0), P95US: n(p95)}
	}
	now := ToolsAnswer{Tools: []ToolLine{line("busy", 100, 1, 5), line("bad", 50, 25, 9), line("rare", 5, 5, 1), {Tool: "unused"}}}
	before := ToolsAnswer{Tools: []ToolLine{line("busy", 100, 0, 5), line("bad", 50, 30, 9), line("rare", 5, 0, 1)}}
	for by, want := range map[string]string{
		"calls": "busy bad rare unused", "errors": "bad rare busy unused", "p95": "bad busy rare unused",
		"change": "busy bad rare unused", // rare has too few calls to say so
	} {
		a, err := Rank(now, &before, by)
		if err != nil {
			t.Fatal(by, err)
		}
		got := ""
		for i, l := range a.Tools {
			if i > 0 {
				got += " "
			}
			got += l.Tool
		}
		if got != want || a.Calls != 155 {
			t.Errorf("by %s: %s of %d calls, want %s", by, got, a.Calls, want)
		}
	}
	if a, _ := Rank(now, &before, "change"); math.Abs(*a.Tools[1].ErrorRateChange+10) > 1e-9 || *a.Tools[1].PreviousErrorRate != 0.6 {
		t.Errorf("%+v", a.Tools[1])
	}
	if _, err := Rank(now, nil, "change"); err == nil {
		t.Error("ranked by change without a window before")
	}
}
