package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// failure is a group of failures that are the same bug.
type failure struct {
	Mark                   template.HTML
	Outcome, Cause         string
	Type, Message          string
	Tool, ToolHref         string // where the page is not of one tool
	Calls, Clients, Href   string
	FirstEver, LastSeen    time.Time
	New                    bool
	Where                  []string // versions, clients
	Next                   []nextRow
	Report                 string // text to copy
	SampleHref, SampleText string
}

// failures are the groups as rows. next says what came after them, if it is known.
func failures(sc *scope, list []query.Failure, next []query.NextGroup, withTool bool) []failure {
	out := make([]failure, 0, len(list))
	for _, f := range list {
		row := failure{
			Mark: chart.Mark(f.Outcome), Outcome: f.Outcome, Cause: f.Cause, Type: typeText(f.ErrorType, f.ErrorStatus), Message: f.Message,
			Calls: format.Count(f.Calls), Clients: format.Count(f.Clients), FirstEver: f.FirstEver, LastSeen: f.LastSeen, New: f.New,
			Href: sc.callsOf(f), Report: bugReport(sc, f),
		}
		if withTool {
			row.Tool, row.ToolHref = f.Tool, sc.toolLink(f.Tool)
		}
		if len(f.Samples) > 0 {
			row.SampleHref = sc.site.href(sc.projectPath()+"calls/"+f.Samples[0], nil)
		}
		row.Where = whereWords(f)
		for _, g := range next {
			if g.Is(f) {
				row.Next = nextRows(g.Next, 3)
				break
			}
		}
		out = append(out, row)
	}
	return out
}

// callsOf leads to the calls of a group: as many as it counts.
func (sc *scope) callsOf(f query.Failure) string {
	changes := []string{"tool", f.Tool, "fingerprint", f.Fingerprint}
	if f.Fingerprint == store.Unknown { // it takes all of them to tell the group
		status := store.Unknown
		if f.ErrorStatus != nil {
			status = strconv.FormatInt(*f.ErrorStatus, 10)
		}
		changes = append(changes, "outcome", f.Outcome, "cause", f.Cause, "error_type", f.ErrorType, "error_status", status)
	}
	return sc.link(sc.projectPath()+"calls", changes...)
}

// typeText is a name with the status that is not in it already.
func typeText(errorType string, status *int64) string {
	name := named(errorType)
	if status == nil || *status == 0 || strings.HasSuffix(name, ":"+strconv.FormatInt(*status, 10)) {
		return name
	}
	if name == "" {
		return "status " + strconv.FormatInt(*status, 10)
	}
	return name + " · status " + strconv.FormatInt(*status, 10)
}

func whereWords(f query.Failure) []string {
	var out []string
	for _, p := range []struct {
		word string
		list []query.NameCount
	}{{"version", f.Versions}, {"client", f.ClientNames}} {
		if names := namesOf(p.list, ", "); names != "" {
			out = append(out, p.word+" "+names)
		}
	}
	return out
}

func namesOf(list []query.NameCount, between string) string {
	var names []string
	for _, n := range list {
		if n.Name != store.Unknown {
			names = append(names, clip(n.Name, 40))
		}
	}
	return strings.Join(names, between)
}

// bugReport is what somebody who fixes it needs, as plain text.
func bugReport(sc *scope, f query.Failure) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-14s%s\n", name+":", shown(strings.Join(strings.Fields(value), " ")))
		}
	}
	with := func(list []query.NameCount) string {
		var parts []string
		for _, n := range list {
			parts = append(parts, fmt.Sprintf("%s (%s)", clip(n.Name, 80), format.Count(n.Calls)))
		}
		return strings.Join(parts, ", ")
	}
	line("tool", f.Tool)
	line("outcome", f.Outcome+" · "+f.Cause)
	line("error", typeText(f.ErrorType, f.ErrorStatus))
	line("message", f.Message)
	line("fingerprint", f.Fingerprint)
	line("calls", fmt.Sprintf("%s by %s", format.Plural(f.Calls, "call"), format.Plural(f.Clients, "client")))
	line("versions", with(f.Versions))
	line("environments", with(f.Envs))
	line("clients", with(f.ClientNames))
	line("window", rangeText(sc.params.Filter.From, sc.params.Filter.To))
	line("first ever", f.FirstEver.UTC().Format(time.RFC3339))
	line("last", f.LastSeen.UTC().Format(time.RFC3339))
	line("sample calls", strings.Join(f.Samples, " "))
	return b.String()
}

// nextRow is one of the things that came after failures, and how often.
type nextRow struct {
	Name, Calls, Rate string
	Share             template.CSS
	Zero              bool
}

// nextRows are at most so many of the five, in their order; with fewer than five,
// those that occurred most, in that order.
func nextRows(n query.Next, most int) []nextRow {
	counts := []struct {
		name string
		n    int64
	}{{"corrected", n.Corrected}, {"repeated", n.Repeated}, {"tried_again", n.TriedAgain}, {"another_tool", n.AnotherTool}, {"gave_up", n.GaveUp}}
	var out []nextRow
	for _, c := range counts {
		if most < len(counts) && c.n == 0 {
			continue
		}
		out = append(out, nextRow{Name: c.name, Calls: format.Count(c.n), Rate: format.RateOf(c.n, n.Of()), Zero: c.n == 0})
	}
	return out
}

// nextNotes say what is in none of the five.
func nextNotes(n query.Next) string {
	var parts []string
	if n.NoSession > 0 {
		parts = append(parts, format.Plural(n.NoSession, "failure")+" in no session: what came next cannot be known")
	}
	if n.Open > 0 {
		parts = append(parts, format.Plural(n.Open, "failure")+" of the last 30 seconds: nothing came yet")
	}
	return strings.Join(parts, " · ")
}
