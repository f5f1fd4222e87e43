package web

import (
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// toolLines are the rows of a tools table, each with what the insights say of it.
func toolLines(sc *scope, a query.ToolsAnswer, marks map[string][]badge) []line {
	listed := false // without a catalogue nothing can be said about who is in it
	for _, t := range a.Tools {
		listed = listed || t.Registered
	}
	out := make([]line, 0, len(a.Tools))
	only := sc.params.Filter.Tool
	for _, t := range a.Tools {
		if t.Calls == 0 && len(only) > 0 && !slices.Contains(only, t.Tool) {
			continue // it was filtered out, which is not the same as never called
		}
		l := line{
			name: t.Tool, href: sc.toolLink(t.Tool), code: true, calls: t.Calls, badges: marks[t.Tool],
			slices: countsOf(t.OK, t.Empty, t.BadArgs, t.ToolError, t.Crashed),
			p95:    t.P95US, first: t.FirstCallSuccess, missing: missing(a.Header, t.Calls, "first_call_success"),
			bySlice: func(slice string) string { return sc.toolLink(t.Tool, "slice", slice) },
		}
		if listed && !t.Registered {
			l.small = append(l.small, "not listed")
		}
		out = append(out, l)
	}
	return out
}

// clientLines are the rows of a clients table. to leads to a client's calls.
func clientLines(a query.Header, clients []query.ClientLine, to func(changes ...string) string) []line {
	out := make([]line, 0, len(clients))
	for _, c := range clients {
		l := line{
			name: c.Client, href: to("client", c.Client), calls: c.Calls,
			slices: countsOf(c.OK, c.Empty, c.BadArgs, c.ToolError, c.Crashed),
			p95:    c.P95US, sessions: c.Sessions, missing: missing(a, c.Calls, "sessions"),
			bySlice: func(slice string) string { return to("client", c.Client, "slice", slice) },
		}
		if text := versionsText(c.Versions); text != "" {
			l.small = append(l.small, text)
		}
		out = append(out, l)
	}
	return out
}

const versionsShown = 3

// versionsText names the newest versions seen.
func versionsText(versions []string) string {
	var known []string
	for i := len(versions) - 1; i >= 0; i-- {
		if versions[i] != "" {
			known = append(known, clip(versions[i], 24))
		}
	}
	if len(known) > versionsShown {
		rest := len(known) - versionsShown
		return strings.Join(known[:versionsShown], ", ") + " and " + format.Count(int64(rest)) + " more"
	}
	return strings.Join(known, ", ")
}

// countsOf takes the empty answers out of ok. Nil is none.
func countsOf(ok, empty, badArgs, toolError, crashed *int64) chart.Values {
	n := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return *p
	}
	return chart.Values{n(ok), n(empty), n(badArgs), n(toolError), n(crashed)}
}
