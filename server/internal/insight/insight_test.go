package insight_test

import (
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/insight"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

func TestText(t *testing.T) {
	before, tokens, cost, sessions := 0.02, int64(1_240_000), 3.72, int64(310)
	for _, c := range []struct {
		in   query.Insight
		want string
	}{
		{query.Insight{Rule: "bad_argument", Calls: 212, Of: 1544, Path: "/status", Broken: "enum", Near: "open"}, "/status refused in 212 of 1,544 calls (13.7%): not one of the allowed values; closest allowed: open"},
		{query.Insight{Rule: "bad_argument", Calls: 5, Of: 20, Broken: "required", Near: "zip"}, "the arguments as a whole refused in 5 of 20 calls (25.0%): missing; sent instead: zip"},
		{query.Insight{Rule: "error_rate_up", Value: 0.134, Before: &before, Against: "window"}, "error rate 13.4%, up from 2.0% in the window before"},
		{query.Insight{Rule: "release_worse", Value: 0.134, Before: &before, Against: "1.4.0"}, "error rate 13.4%, up from 2.0% in 1.4.0"},
		{query.Insight{Rule: "crash_appeared", Calls: 1, Of: 40, ErrorType: "runtime.boundsError"}, "1 crash of 40 calls, none in the window before: runtime.boundsError"},
		{query.Insight{Rule: "never_called", Tokens: &tokens, Cost: &cost, Sessions: &sessions}, "never called; its definition was read in 310 sessions, ~1.24M tokens in all ($3.72)"},
		{query.Insight{Rule: "never_called"}, "never called"},
		{query.Insight{Rule: "slow", Value: 12_400_000, Of: 77}, "p95 12.4 s over 77 calls"},
		{query.Insight{Rule: "heavy_answers", Value: 5234}, "~5.2k tokens an answer on average"},
		{query.Insight{Rule: "of_tomorrow"}, "of_tomorrow"},
	} {
		if got := insight.Text(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.in.Rule, got, c.want)
		}
	}
	for _, rule := range query.InsightRules() {
		if insight.Name(rule) == rule {
			t.Errorf("the rule %s has no name", rule)
		}
		if text := insight.Text(query.Insight{Rule: rule}); text == rule || strings.HasSuffix(text, ".") {
			t.Errorf("the rule %s is written %q", rule, text)
		}
	}
}
