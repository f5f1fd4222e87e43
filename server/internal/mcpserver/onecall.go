package mcpserver

import (
	"context"
	"net/url"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

var getCall = &tool{
	name: "get_call", title: "One call", about: "One call with everything stored of it, and why it is judged so.",
	args: []string{"project", "id!"}, need: "get_session has the ids", like: query.CallAnswer{},
	ask: func(ctx context.Context, c *call) (answer, error) {
		return c.get(ctx, "calls/"+url.PathEscape(c.in.one("id")), c.in.values)
	},
	say: func(t *text, a answer) {
		e := fields(a["event"])
		t.line("%s %s: %s", cell(e["kind"]), cell(e["id"]), cell(or(a["slice"], "in no rate")))
		t.line("why: %s", long(a["why"]))
		t.line("%s", pairs(e, "tool", "started_at", "duration_us", "cause", "error_type", "error_status", "empty_rule", "fingerprint", "session", "protocol", "transport", "seen_by"))
		t.line("%s", pairs(fields(e["client"]), "name", "version"))
		t.line("%s", pairs(e, "error_message", "intent"))
		for _, v := range rows(e["bad_params"]) {
			t.line("argument %s", pairs(fields(v), "path", "rule", "near"))
		}
	},
}

func or(v any, otherwise string) any {
	if s, ok := v.(string); ok && s != "" {
		return s
	}
	return otherwise
}
