package mcpserver

import "github.com/umpire-mcp/umpire/server/internal/query"

var getEmpty = &tool{
	name: "get_empty_results", title: "Empty answers", about: "Tools that succeed and say nothing, by the rule that says so.",
	args: []string{"project", "last", "tool", "client", "limit"},
	path: "empty", like: query.EmptyAnswer{}, lists: []string{"tools"},
	say: func(t *text, a answer) {
		t.head(a)
		t.line("%s empty: %s of %s calls", rate(a["empty_rate"]), count(a["empty"]), count(a["calls"]))
		t.table(a, "tools", "Empty answers", column{"tool", "tool", cell}, column{"rule", "rule", emptyRule}, column{"calls", "empty", count},
			column{"of", "of calls", count}, column{"clients", "clients", count}, column{"last_seen", "last seen", moment}, column{"muted", "said to be fine", yes})
	},
}

var getReported = &tool{
	name: "get_reported_as_success", title: "Reported as success", about: "Successes that look like failures, by mark.",
	args: []string{"project", "last", "tool", "client", "limit"},
	path: "reported", like: query.ReportedAnswer{}, lists: []string{"tools"},
	say: func(t *text, a answer) {
		t.head(a)
		t.line("of %s ok calls, those that say that something failed:", count(a["ok"]))
		t.table(a, "tools", "Reported as success", column{"tool", "tool", cell}, column{"mark", "mark", suspect}, column{"calls", "calls", count},
			column{"of", "of ok calls", count}, column{"clients", "clients", count}, column{"last_seen", "last seen", moment})
	},
}

var getPairs = &tool{
	name: "get_pairs", title: "Tool pairs", about: "Which tool is called right after which.",
	args: []string{"project", "last", "client", "limit"},
	path: "pairs", like: query.PairsAnswer{}, lists: []string{"pairs"},
	say: func(t *text, a answer) {
		t.head(a)
		t.table(a, "pairs", "Pairs", column{"before", "tool", cell}, column{"after", "then", cell}, column{"calls", "times", count})
	},
}

var compareReleases = &tool{
	name: "compare_releases", title: "Releases", about: "Each version of a server beside the one before: better, worse or the same, beyond chance.",
	args: []string{"project", "last", "tool", "client", "limit"},
	path: "releases", like: query.ReleasesAnswer{}, lists: []string{"releases"},
	say: func(t *text, a answer) {
		t.head(a)
		t.table(a, "releases", "Releases", column{"server", "server", cell}, column{"version", "version", cell}, column{"since", "since", moment},
			column{"calls", "calls", count}, column{"error_rate", "failed", rate}, column{"empty_rate", "empty", rate}, column{"slices.crashed", "crashed", count},
			column{"latency_us.p95", "p95", micros}, column{"first_call_success", "first-call success", share},
			column{"before", "compared with", cell}, column{"verdict", "verdict", cell})
		for _, v := range rows(a["releases"]) {
			r := fields(v)
			for _, d := range append(rows(r["differences"]), rows(r["tools"])...) {
				sayDifference(t, r, fields(d))
			}
		}
	},
}

// sayDifference writes what is better or worse; the rest is in the structure.
func sayDifference(t *text, release, d answer) {
	if d["verdict"] != string(query.Worse) && d["verdict"] != string(query.Better) {
		return
	}
	what := cell(d["measure"])
	if d["tool"] != nil {
		what += " of " + cell(d["tool"])
	}
	t.line("%s %s: %s %s, %s after %s", cell(release["server"]), cell(release["version"]), what, cell(d["verdict"]), rate(d["now"]), rate(d["before"]))
}
