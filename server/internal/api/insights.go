package api

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/insight"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// insightsAnswer is query.InsightsAnswer with each insight in words, as the pages
// have it.
type insightsAnswer struct {
	query.InsightsAnswer
	Insights []insightLine `json:"insights"`
}

type insightLine struct {
	query.Insight
	Text string `json:"text"`
}

func insights(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
	a, err := query.Insights(ctx, src, p)
	if err != nil {
		return nil, err
	}
	out := insightsAnswer{InsightsAnswer: a}
	if a.Insights != nil {
		out.Insights = make([]insightLine, len(a.Insights))
	}
	for n, i := range a.Insights {
		out.Insights[n] = insightLine{i, insight.Text(i)}
	}
	return out, nil
}
