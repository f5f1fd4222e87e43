package mcpserver

import (
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

// outcomeColumns are the same wherever calls are told apart by how they ended.
var outcomeColumns = []column{
	{"calls", "calls", count},
	{"ok", "ok", count},
	{"empty", "empty", count},
	{"bad_args", "bad_args", count},
	{"tool_error", "tool_error", count},
	{"crashed", "crashed", count},
	{"p95_us", "p95", micros},
}

func sayOverview(t *text, a answer) {
	t.head(a)
	t.measures(a)
	t.previous(fields(a["previous"]))
	if len(rows(a["changes"])) > 0 {
		t.table(a, "changes", "Not as before since", column{"at", "at (UTC)", moment}, column{"kind", "what", cell}, column{"server", "server", cell},
			column{"name", "name", cell}, column{"before", "before", cell}, column{"value", "now", cell})
	}
	if a["series"] != nil {
		t.table(a, "series", "Series by "+cell(a["granularity"]), column{"at", "at (UTC)", moment}, column{"calls", "calls", count},
			column{"slices.ok", "ok", count}, column{"slices.empty", "empty", count}, column{"slices.bad_args", "bad_args", count},
			column{"slices.tool_error", "tool_error", count}, column{"slices.crashed", "crashed", count})
	}
}

// measures writes the figures that are there.
func (t *text) measures(a answer) {
	if s := fields(a["slices"]); s != nil {
		t.line("ok %s · empty %s · bad_args %s · tool_error %s · crashed %s", count(s["ok"]), count(s["empty"]), count(s["bad_args"]), count(s["tool_error"]), count(s["crashed"]))
		t.line("%s failed · %s empty, of %s calls", rate(a["error_rate"]), rate(a["empty_rate"]), count(a["calls"]))
	}
	if l := fields(a["latency_us"]); l != nil {
		t.line("latency p50 %s, p95 %s, p99 %s", micros(l["p50"]), micros(l["p95"]), micros(l["p99"]))
	}
	if first, asked := a["first_call_success"]; asked {
		t.line("first-call success %s calls · sessions %s, %s calls each · %s calls in no session", share(first), count(a["sessions"]), decimal(a["calls_per_session"]), count(a["no_session"]))
	}
	if b := fields(a["bytes"]); b != nil {
		t.line("bytes: request %s, response %s, %s a response", size(b["request"]), size(b["response"]), size(b["avg_response"]))
	}
	if n, asked := a["retries"]; asked {
		t.line("retries %s · reworded %s", count(n), count(a["reworded"]))
	}
	if n, asked := a["cancelled"]; asked {
		t.line("cancelled %s · rounds %s · open now %s · dropped by senders %s", count(n), count(a["rounds"]), count(a["pending"]), count(a["dropped"]))
	}
	if n := number(a["set_aside"]); n > 0 {
		t.line("%s set aside: no outcome, and in no rate", format.Plural(n, "event"))
	}
	if n := number(a["seen_outside"]); n > 0 {
		t.line("%s seen from outside: more may have crashed than are counted", format.Plural(n, "call"))
	}
}

func (t *text) previous(p answer) {
	if p == nil {
		return
	}
	r := fields(p["range"])
	t.line("window before (%s to %s): %s calls, %s failed, %s empty, p95 %s", moment(r["from"]), moment(r["to"]),
		count(p["calls"]), rate(p["error_rate"]), rate(p["empty_rate"]), micros(p["p95_us"]))
}

func sayRanking(t *text, a answer) {
	t.head(a)
	columns := append([]column{{"tool", "tool", cell}}, outcomeColumns...)
	columns = append(columns, column{"error_rate", "failed", rate}, column{"response_bytes_avg", "bytes", size}, column{"retries", "retries", count})
	if p := fields(a["previous"]); p != nil {
		columns = append(columns, column{"previous_calls", "calls before", count}, column{"previous_error_rate", "failed before", rate}, column{"error_rate_change", "change", points})
	}
	t.table(a, "tools", "Tools by "+cell(a["by"]), columns...)
	if len(rows(a["unknown_tools"])) > 0 {
		t.table(a, "unknown_tools", "Names asked for that no server has", column{"name", "name", cell}, column{"calls", "calls", count}, column{"nearest", "nearest", cell})
	}
}

// points writes a difference of rates.
func points(v any) string {
	if v == nil {
		return format.Dash
	}
	text := decimal(v)
	if !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	return text + " pt"
}

func sayTool(t *text, a answer) {
	t.line("tool %s%s", cell(a["tool"]), unregistered(a))
	t.head(a)
	t.measures(a)
	t.previous(fields(a["previous"]))
	t.table(a, "failures", "Failures", failureColumns[1:]...)
	t.table(a, "bad_params", "Refused arguments", column{"path", "path", cell}, column{"rule", "rule", cell}, column{"calls", "calls", count}, column{"near", "nearest", cell})
	t.table(a, "empty_rules", "Why answers count as empty", column{"name", "rule", emptyRule}, column{"calls", "calls", count})
	t.table(a, "suspects", "Successes that look like failures", column{"name", "mark", suspect}, column{"calls", "calls", count})
	t.table(a, "clients", "Clients", append([]column{{"client", "client", cell}}, outcomeColumns...)...)
	t.table(a, "before", "Called before", column{"name", "tool", cell}, column{"calls", "calls", count})
	t.table(a, "after", "Called after", column{"name", "tool", cell}, column{"calls", "calls", count})
}

func unregistered(a answer) string {
	if a["registered"] == true {
		return ""
	}
	return ", which no server lists"
}

// failureColumns are those of a group of failures; the tool comes first.
var failureColumns = []column{
	{"tool", "tool", cell},
	{"outcome", "outcome", cell},
	{"cause", "cause", cause},
	{"error_type", "type", cell},
	{"calls", "calls", count},
	{"clients", "clients", count},
	{"last_seen", "last seen", moment},
	{"fingerprint", "fingerprint", cell},
	{"message", "message", cell},
}

func cause(v any) string {
	name := cell(v)
	if words := format.Cause(name); words != name {
		return fmt.Sprintf("%s (%s)", name, words)
	}
	return name
}

func emptyRule(v any) string { return format.EmptyRule(cell(v)) }

func suspect(v any) string { return cell(v) + ": " + format.Suspect(cell(v)) }
