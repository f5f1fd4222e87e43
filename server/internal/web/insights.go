package web

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/insight"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// insightPanel is what to look at, the worst first.
type insightPanel struct {
	Err *fault.Error
	// First are shown, Rest open.
	First, Rest []insightRow
	// None says why there is nothing; empty where there is something.
	None string
	// NotJudged are the rules that could not be held to the range, with the reason.
	NotJudged []string
	Downloads []download
}

type insightRow struct {
	Severity, SeverityWord string
	Tool, Href             string
	Text, Consequence      string
	Since                  *time.Time
}

// insightsFirst is how many insights stand open: what a first screen holds.
const insightsFirst = 3

var severityWords = map[query.Severity]string{query.Critical: "Critical", query.Warning: "Warning", query.Notice: "Notice"}

func (sc *scope) askInsights(ctx context.Context) answer[query.InsightsAnswer] {
	return ask(ctx, sc.site, "insights", func(ctx context.Context) (query.InsightsAnswer, error) {
		return query.Insights(ctx, sc.site.src, sc.params)
	})
}

func (sc *scope) insightPanel(got answer[query.InsightsAnswer]) *insightPanel {
	p := &insightPanel{Err: got.Err}
	if got.Err != nil {
		return p
	}
	for n, i := range got.Value.Insights {
		row := insightRow{
			Severity: string(i.Severity), SeverityWord: severityWords[i.Severity], Tool: i.Tool, Href: sc.insightLink(i),
			Text: insight.Text(i), Consequence: i.Consequence, Since: i.Since,
		}
		if n < insightsFirst {
			p.First = append(p.First, row)
		} else {
			p.Rest = append(p.Rest, row)
		}
	}
	switch {
	case got.Value.Insights == nil:
		p.None = "Nothing can be said of calls that are chosen by how they ended: take that filter off."
	case len(p.First) == 0:
		p.None = "Nothing stands out in this range."
	}
	if len(p.First) > 0 {
		p.Downloads = sc.downloads("insights")
	}
	for _, n := range got.Value.NotJudged {
		p.NotJudged = append(p.NotJudged, insight.Name(n.Rule)+" ("+n.Reason+")")
	}
	return p
}

// insightLink leads to where the figure can be looked into.
func (sc *scope) insightLink(i query.Insight) string {
	switch i.Rule {
	case "bad_argument":
		return sc.toolLink(i.Tool, "slice", "bad_args") + "#bad-params"
	case "crash_appeared":
		return sc.toolLink(i.Tool, "slice", "crashed")
	case "new_error_type":
		return sc.toolLink(i.Tool, "error_type", i.ErrorType)
	case "silent_empty":
		return sc.toolLink(i.Tool, "slice", "empty")
	case "release_worse":
		return sc.link(sc.projectPath() + "releases")
	case "unknown_tool":
		return sc.link(sc.projectPath() + "unknown-tools")
	case "never_called":
		return sc.link(sc.projectPath() + "never-called")
	}
	return sc.toolLink(i.Tool)
}

// badge is a short mark beside a tool's name: the worst that the rules found of it.
type badge struct{ Severity, Text, Title string }

const badgesShown = 2

// badges are those of each tool, the worst first.
func badges(a query.InsightsAnswer) map[string][]badge {
	out := map[string][]badge{}
	for _, i := range a.Insights {
		if have := out[i.Tool]; len(have) == badgesShown || len(have) > 0 && have[len(have)-1].Text == insight.Name(i.Rule) {
			continue
		}
		out[i.Tool] = append(out[i.Tool], badge{string(i.Severity), insight.Name(i.Rule), severityWords[i.Severity] + ": " + insight.Text(i)})
	}
	return out
}
