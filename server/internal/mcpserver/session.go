package mcpserver

import (
	"context"
	"net/url"
	"strconv"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

var listSessions = &tool{
	name: "list_sessions", title: "Sessions", about: "Sessions, the last first; failed or loops only.",
	args: []string{"project", "last", "tool", "client", "failed", "loops", "limit", "cursor"},
	like: query.SessionsAnswer{}, lists: []string{"sessions"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		return c.get(ctx, "sessions", c.part("failed", "loops"))
	},
	say: func(t *text, a answer) {
		t.head(a)
		columns := append([]column{{"id", "session", cell}, {"last_at", "last call", moment}, {"client", "client", cell}, {"worst", "worst", cell}}, outcomeColumns[:6]...)
		t.table(a, "sessions", "Sessions", append(columns, column{"retries", "retries", count}, column{"loop", "loop", yes}, column{"duration_us", "took", micros})...)
	},
}

var getSession = &tool{
	name: "get_session", title: "One session", about: "One session, call by call.",
	args: []string{"project", "session!", "limit", "cursor"}, need: "list_sessions has the names",
	like: query.SessionAnswer{}, lists: []string{"calls"},
	rows: []string{"id", "started_at", "tool", "slice", "cause", "empty_rule", "error_type", "error_message", "duration_us", "gap_us", "is_retry", "reworded", "repeated", "in_loop", "suspects", "intent"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		id := c.in.values.Get("session")
		values := c.part()
		values.Del("session")
		return c.get(ctx, "sessions/"+url.PathEscape(id), values)
	},
	say: func(t *text, a answer) {
		s := fields(a["session"])
		t.head(a)
		t.line("session %s: %s calls, worst %s, %s", cell(s["id"]), count(s["calls"]), cell(s["worst"]), pairs(s, "client", "client_version", "user", "retries", "reworded", "loop"))
		t.table(a, "calls", "Calls", column{"started_at", "began", second}, column{"tool", "tool", cell}, column{"slice", "slice", cell}, column{"duration_us", "took", micros},
			column{"gap_us", "after", micros}, column{"cause", "cause", cell}, column{"error_type", "type", cell}, column{"error_message", "message", cell},
			column{"is_retry", "retry", yes}, column{"in_loop", "loop", yes}, column{"id", "id", cell})
	},
}

// part are the filters with which part of a long list is asked for, and the named
// arguments that only that list has.
func (c *call) part(also ...string) url.Values {
	values := url.Values{}
	for name, list := range c.in.values {
		values[name] = list
	}
	values.Set("limit", strconv.Itoa(c.limit))
	for _, name := range append(also, "cursor") {
		if v := c.in.one(name); v != "" {
			values.Set(name, v)
		}
	}
	return values
}

func yes(v any) string {
	if v == true {
		return "yes"
	}
	return ""
}

func second(v any) string {
	s, _ := v.(string)
	const at = len("2026-11-30T")
	if len(s) < at+8 {
		return cell(v)
	}
	return s[at : at+8]
}
