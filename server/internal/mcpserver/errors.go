package mcpserver

import (
	"context"
	"net/url"
	"regexp"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

var getErrors = &tool{
	name: "get_errors", title: "Errors", about: "Failures of all tools, grouped by cause and message.",
	args: []string{"project", "last", "since", "tool", "client", "outcome", "error_type", "limit"},
	like: query.ErrorsAnswer{}, lists: []string{"failures", "error_types"}, brief: true, dropped: []string{"series", "granularity"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		values, err := c.since()
		if err != nil {
			return nil, err
		}
		return c.get(ctx, "errors", values)
	},
	say: func(t *text, a answer) {
		t.head(a)
		t.line("%s failed: %s of %s calls; %s of the failures have no name", rate(a["error_rate"]), count(a["failed"]), count(a["calls"]), rate(fields(a["unnamed"])["rate"]))
		t.table(a, "failures", "Failures", append(failureColumns[:len(failureColumns):len(failureColumns)], column{"first_ever", "first ever", moment})...)
		t.table(a, "error_types", "Names of errors", column{"error_type", "type", cell}, column{"error_status", "status", cell}, column{"calls", "calls", count}, column{"tools", "tools", count})
	},
}

var sinceLast = regexp.MustCompile(`^[0-9]+[hd]$`)

// since is the filters with since as the begin of the range: a time, or so many
// hours or days.
func (c *call) since() (url.Values, error) {
	values := url.Values{}
	for name, list := range c.in.values {
		values[name] = list
	}
	since := c.in.one("since")
	if since == "" {
		return values, nil
	}
	if values.Has("last") || values.Has("from") {
		return nil, fault.New(fault.BadRequest, "since is given beside last or from", "give one of them")
	}
	if sinceLast.MatchString(since) && !values.Has("to") {
		values.Set("last", since)
	} else {
		values.Set("from", since)
	}
	return values, nil
}
