package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// catalog is every tool, in the order in which they are listed.
func catalog(opt Options) []*tool {
	all := []*tool{
		listProjects, getOverview, getInsights, rankTools, getTool, getErrors, getBadArgs, getEmpty, getReported, listClients,
		listSessions, getSession, getCall, compareReleases, getPairs, getIntents, explainOutcomes,
	}
	if opt.Query {
		all = append(all, runQuery)
	}
	return all
}

// projectsAnswer is what GET /api/v1/projects says.
type projectsAnswer struct {
	Projects []struct {
		Name string `json:"name"`
	} `json:"projects"`
}

var listProjects = &tool{
	name: "list_projects", title: "Projects", about: "Projects that can be asked about.",
	bare: true, path: "projects", like: projectsAnswer{}, lists: []string{"projects"}, args: []string{"limit"},
	say: func(t *text, a answer) { t.table(a, "projects", "Projects", column{"name", "project", cell}) },
}

var getOverview = &tool{
	name: "get_overview", title: "Overview", about: "How calls end: outcomes, rates, latency, sessions, retries, and the window before.",
	args: []string{"project", "last", "tool", "client", "metrics", "granularity"},
	path: "overview", like: query.OverviewAnswer{}, dropped: []string{"latency_histogram"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		keep, err := metrics(c.in.own["metrics"])
		if err != nil {
			return nil, err
		}
		series := c.in.values.Get("granularity") != ""
		a, err := c.get(ctx, "overview", c.in.values)
		if err != nil {
			return nil, err
		}
		for name := range a {
			if asked := series && (name == "series" || name == "granularity"); !keep[name] && !asked {
				delete(a, name)
			}
		}
		return a, nil
	},
	say: sayOverview,
}

// overviewParts are the names in an overview, by the word that asks for them.
var overviewParts = map[string][]string{
	"":         {"range", "filters", "not_filtered", "calls", "not_reported", "set_aside", "changes"},
	"outcomes": {"slices", "outcomes", "error_rate", "empty_rate", "seen_outside"},
	"latency":  {"latency_us"},
	"sessions": {"sessions", "calls_per_session", "no_session", "first_call_success"},
	"bytes":    {"bytes", "tokens", "cost_per_session"},
	"retries":  {"retries", "reworded"},
	"other":    {"cancelled", "rounds", "pending", "other_kinds", "dropped"},
	"previous": {"previous"},
}

var metricWords = []string{"outcomes", "latency", "sessions", "bytes", "retries", "other", "previous"}

// metrics are the names that an answer keeps.
func metrics(words []string) (map[string]bool, error) {
	if len(words) == 0 {
		words = metricWords
	}
	keep := map[string]bool{}
	for _, word := range append([]string{""}, words...) {
		names, known := overviewParts[word]
		if !known {
			return nil, fault.New(fault.BadRequest, "there are no metrics "+short(word), fmt.Sprintf("metrics are some of %v", metricWords))
		}
		for _, name := range names {
			keep[name] = true
		}
	}
	return keep, nil
}

var rankTools = &tool{
	name: "rank_tools", title: "Tools, ranked", about: "Tools by calls, errors, a slice, p95, answer bytes, retries, or change (error rate against the window before).",
	args: []string{"project", "last", "client", "by", "limit"},
	like: query.RankAnswer{}, lists: []string{"tools", "unknown_tools"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		by, err := c.in.choice("by", "calls", query.RankedBy()...)
		if err != nil {
			return nil, err
		}
		var now query.ToolsAnswer
		if err := c.into(ctx, "tools", c.in.values, &now); err != nil {
			return nil, err
		}
		var before *query.ToolsAnswer
		if by == query.RankByChange {
			before = &query.ToolsAnswer{}
			if err := c.into(ctx, "tools", windowBefore(c.in.values, now.Range), before); err != nil {
				return nil, err
			}
		}
		ranked, err := query.Rank(now, before, by)
		if err != nil {
			return nil, err
		}
		return asAnswer(ranked)
	},
	say: sayRanking,
}

// windowBefore are the same filters over the window of equal length before.
func windowBefore(values url.Values, r query.Range) url.Values {
	before := url.Values{}
	for name, list := range values {
		if name != "last" && name != "from" && name != "to" {
			before[name] = list
		}
	}
	before.Set("from", r.From.Add(-r.To.Sub(r.From)).Format(time.RFC3339Nano))
	before.Set("to", r.From.Format(time.RFC3339Nano))
	return before
}

// into is get for an answer that is worked with.
func (c *call) into(ctx context.Context, path string, values url.Values, out any) error {
	a, err := c.get(ctx, path, values)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		return fmt.Errorf("cannot read the answer to %q: %w", path, err)
	}
	return nil
}

func asAnswer(v any) (answer, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot write the answer: %w", err)
	}
	a, err := object(raw, len(raw))
	return a, err
}

var getTool = &tool{
	name: "get_tool", title: "One tool", about: "One tool: figures, failures by cause, refused arguments, empty answers, clients, neighbours.",
	args: []string{"project", "tool!", "last", "client", "limit"}, need: "rank_tools has the names",
	like: query.ToolAnswer{}, dropped: []string{"latency_histogram", "series", "granularity"},
	lists: []string{"failures", "bad_params", "empty_rules", "suspects", "clients", "before", "after", "definitions"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		names := c.in.values["tool"]
		if len(names) != 1 {
			return nil, fault.New(fault.BadRequest, "get_tool is about one tool", "call it once for each")
		}
		values := url.Values{}
		for name, list := range c.in.values {
			if name != "tool" {
				values[name] = list
			}
		}
		return c.get(ctx, "tools/"+url.PathEscape(names[0]), values)
	},
	say: sayTool,
}

// clientsAnswer are the clients, and the versions of each.
type clientsAnswer struct {
	query.ClientsAnswer
	ByVersion []query.ClientVersionLine `json:"by_version"`
}

var listClients = &tool{
	name: "list_clients", title: "Clients", about: "How the calls of each client, and of each of its versions, end.",
	args: []string{"project", "last", "tool", "client", "limit"},
	like: clientsAnswer{}, lists: []string{"clients", "by_version"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		var out clientsAnswer
		if err := c.into(ctx, "clients", c.in.values, &out.ClientsAnswer); err != nil {
			return nil, err
		}
		var by query.ClientVersionsAnswer
		if err := c.into(ctx, "clients/versions", c.in.values, &by); err != nil {
			return nil, err
		}
		out.ByVersion = by.Versions
		return asAnswer(out)
	},
	say: func(t *text, a answer) {
		t.head(a)
		t.table(a, "clients", "Clients", append([]column{{"client", "client", cell}, {"versions", "versions", cell}}, outcomeColumns...)...)
		t.table(a, "by_version", "Clients by version", append([]column{{"client", "client", cell}, {"version", "version", cell}},
			append(outcomeColumns[:6:6], column{"first_call_success", "first-call success", share})...)...)
	},
}
