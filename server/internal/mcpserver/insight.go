package mcpserver

import (
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// insightsAnswer is what GET /api/v1/insights says.
type insightsAnswer struct {
	query.Header
	Insights []struct {
		query.Insight
		Text string `json:"text"`
	} `json:"insights"`
	NotJudged   []query.NotJudged   `json:"not_judged"`
	NotReported []query.NotReported `json:"not_reported"`
}

var getInsights = &tool{
	name: "get_insights", title: "Insights", about: "What is broken, since when, and what follows: the worst first.",
	args: []string{"project", "last", "tool", "limit"},
	path: "insights", like: insightsAnswer{}, lists: []string{"insights"},
	say: func(t *text, a answer) {
		t.head(a)
		list := rows(a["insights"])
		if len(list) == 0 && a["insights"] != nil {
			t.line("Nothing stands out.")
		}
		for _, v := range list {
			i := fields(v)
			t.line("[%s] %s: %s (%s, %s of %s calls)", cell(i["severity"]), cell(i["tool"]), cell(i["text"]), cell(i["rule"]), count(i["calls"]), count(i["of"]))
			if more := pairs(i, "since", "path", "near", "error_type", "fingerprint"); more != "" {
				t.line("  %s", more)
			}
			t.line("  %s", long(i["consequence"]))
		}
		for _, v := range rows(a["not_judged"]) {
			n := fields(v)
			t.line("not judged: %s, %s", cell(n["rule"]), cell(n["reason"]))
		}
	},
}

// pairs writes the names that have a value.
func pairs(a answer, names ...string) string {
	var parts []string
	for _, name := range names {
		if v := a[name]; v != nil && v != "" {
			parts = append(parts, name+"="+cell(v))
		}
	}
	return strings.Join(parts, " ")
}
