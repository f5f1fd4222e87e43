package query

import (
	"slices"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// ofTools holds each tool's own figures to the rules.
func (in *inspection) ofTools() error {
	if err := in.readMuted(); err != nil {
		return err
	}
	for _, t := range in.tools {
		if t.Calls < MinCalls || in.isUnknown(t.Tool) {
			continue
		}
		fine, known := in.fine(t)
		if !known {
			in.skip(reasonMuted, "silent_empty")
		} else if empty := t.Empty - fine; empty >= minAffected {
			in.report("silent_empty", Insight{Tool: t.Tool, Calls: empty, Of: t.Calls, Value: float64(empty) / float64(t.Calls)})
		}
		if missed := t.FirstCalls - t.FirstOK; t.FirstCalls >= MinCalls && missed >= minAffected {
			// Empty answers that are fine are no reason to worry.
			in.reportBy("low_first_call", float64(t.FirstOK+min(fine, missed))/float64(t.FirstCalls), Insight{
				Tool: t.Tool, Calls: missed, Of: t.FirstCalls, Value: float64(t.FirstOK) / float64(t.FirstCalls),
			})
		}
		if p95 := latency(t.Latency).P95; p95 != nil {
			in.report("slow", Insight{Tool: t.Tool, Calls: t.Calls, Of: t.Calls, Value: float64(*p95)})
		}
		if average := average(t.ResponseBytes, t.ResponseKnown); average != nil && t.ResponseKnown >= MinCalls {
			tokens := t.ResponseBytes / bytesPerToken
			in.report("heavy_answers", Insight{
				Tool: t.Tool, Calls: t.ResponseKnown, Of: t.Calls, Value: float64(*average) / bytesPerToken,
				Tokens: &tokens, Cost: in.p.Prefs.cost(tokens),
			})
		}
	}
	return nil
}

// readMuted counts the empty answers that are fine by their rule.
func (in *inspection) readMuted() error {
	byRule := func(t store.ToolRow) bool { return t.Empty > 0 && in.p.Prefs.byRule(t.Tool) }
	if rawGone(in.kept, in.p.Filter) || !slices.ContainsFunc(in.tools, byRule) {
		return nil
	}
	f := in.p.Filter
	f.Tool = nil
	for _, t := range in.tools {
		if byRule(t) {
			f.Tool = append(f.Tool, t.Tool)
		}
	}
	rows, err := in.src.EmptyTools(in.ctx, f, maxReasons)
	in.muted = map[string]int64{}
	for _, r := range rows {
		if in.p.Prefs.IsMuted(r.Tool, r.Reason) {
			in.muted[r.Tool] += r.Calls
		}
	}
	return err
}

// fine is how many of a tool's empty answers somebody said are fine; not known where
// that goes by rules and single events are no longer kept.
func (in *inspection) fine(t store.ToolRow) (n int64, known bool) {
	switch {
	case in.p.Prefs.IsMuted(t.Tool, ""):
		return t.Empty, true
	case t.Empty > 0 && in.p.Prefs.byRule(t.Tool):
		return in.muted[t.Tool], in.muted != nil
	}
	return 0, true
}

// toolCalls are the calls of a tool in the range.
func (in *inspection) toolCalls(tool string) int64 {
	for _, t := range in.tools {
		if t.Tool == tool {
			return t.Calls
		}
	}
	return 0
}

func (in *inspection) ofArguments() error {
	if rawGone(in.kept, in.p.Filter) {
		in.skip(reasonGone, "bad_argument")
		return nil
	}
	rows, err := in.src.BadParams(in.ctx, in.p.Filter, insightParams)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if of := in.toolCalls(r.Tool); of >= MinCalls && r.Calls >= minAffected {
			in.report("bad_argument", Insight{
				Tool: r.Tool, Calls: r.Calls, Of: of, Value: float64(r.Calls) / float64(of), Path: r.Path, Broken: r.Rule, Near: r.Near,
			})
		}
	}
	return nil
}

func (in *inspection) ofUnknown() error {
	if rawGone(in.kept, in.p.Filter) {
		in.skip(reasonGone, "unknown_tool")
		return nil
	}
	all := in.calls()
	for _, u := range in.unknown {
		i := Insight{Tool: u.Name, Calls: u.Calls, Of: all, Value: float64(u.Calls)}
		if len(u.Nearest) > 0 {
			i.Near = u.Nearest[0]
		}
		in.report("unknown_tool", i)
	}
	return nil
}

func (in *inspection) ofTheWindowBefore() error {
	if in.before == nil {
		in.skip(reasonBefore, "crash_appeared", "error_rate_up")
		return nil
	}
	first, err := in.firstCrashes()
	if err != nil {
		return err
	}
	for _, t := range in.tools {
		before := in.before[t.Tool]
		if before.Calls < MinCalls || in.isUnknown(t.Tool) {
			continue
		}
		if t.Crashed > 0 && before.Crashed == 0 {
			i := Insight{
				Tool: t.Tool, Calls: t.Crashed, Of: t.Calls, Value: float64(t.Crashed), Before: new(float64), Against: "window", Outcome: "crashed",
			}
			if f, known := first[t.Tool]; known {
				i.Since, i.ErrorType, i.Fingerprint = &f.FirstSeen, nameOf(f.ErrorType), f.Fingerprint
			}
			in.report("crash_appeared", i)
		}
		in.rateUp("error_rate_up", t, before, Insight{Against: "window"})
	}
	return nil
}

// rateUp reports the rise of a tool's error rate, if it is beyond chance.
// What it is judged by is the rise.
func (in *inspection) rateUp(rule string, now, before store.ToolRow, i Insight) {
	a, b := proportion{failed(now.Counts), now.Calls}, proportion{failed(before.Counts), before.Calls}
	if !up(a, b) {
		return
	}
	old := b.rate()
	i.Tool, i.Calls, i.Of, i.Value, i.Before = now.Tool, a.n, a.of, a.rate(), &old
	in.reportBy(rule, a.rate()-old, i)
}

// ofReleases compares the newest version of each server with the one before, tool by
// tool.
func (in *inspection) ofReleases() error {
	rows, err := releaseRows(in.ctx, in.src, in.p.Filter)
	if err != nil {
		return err
	}
	for i, now := range rows {
		newest := i == 0 || rows[i-1].Server != now.Server
		if !newest || i+1 == len(rows) || rows[i+1].Server != now.Server {
			continue
		}
		if now.Calls < MinCalls || rows[i+1].Calls < MinCalls {
			continue
		}
		if err := in.ofRelease(now, rows[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (in *inspection) ofRelease(now, before store.ReleaseRow) error {
	tools, err := toolsOfVersion(in.ctx, in.src, in.p.Filter, now)
	if err != nil {
		return err
	}
	old, err := toolsOfVersion(in.ctx, in.src, in.p.Filter, before)
	if err != nil {
		return err
	}
	since := now.Since
	for _, t := range tools {
		for _, o := range old {
			if o.Tool == t.Tool && !in.isUnknown(t.Tool) {
				in.rateUp("release_worse", t, o, Insight{Against: before.Version, Server: now.Server, Version: now.Version, Since: &since})
			}
		}
	}
	return nil
}

// firstCrashes are the first crash of each tool in the range, where single events
// are kept.
func (in *inspection) firstCrashes() (map[string]store.FailureRow, error) {
	first := map[string]store.FailureRow{}
	rows, err := in.failuresNow()
	for _, r := range rows {
		if have, known := first[r.Tool]; r.Outcome == "crashed" && (!known || r.FirstSeen.Before(have.FirstSeen)) {
			first[r.Tool] = r
		}
	}
	return first, err
}

// failuresNow are the failures of the range, read once; none where single events are
// no longer kept.
func (in *inspection) failuresNow() (rows []store.FailureRow, err error) {
	if in.failures == nil && !rawGone(in.kept, in.p.Filter) {
		in.failures, err = in.src.Failures(in.ctx, in.p.Filter, insightFailures)
	}
	return in.failures, err
}

// nameOf is an error type, or nothing where the failure has none.
func nameOf(errorType string) string {
	if errorType == store.Unknown {
		return ""
	}
	return errorType
}

func (in *inspection) ofNewErrors() error {
	window := previousRange(in.p.Filter)
	switch {
	case rawGone(in.kept, in.p.Filter):
		in.skip(reasonGone, "new_error_type")
		return nil
	case in.before == nil || rawGone(in.kept, window):
		in.skip(reasonBefore, "new_error_type")
		return nil
	}
	now, err := in.failuresNow()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(now, func(r store.FailureRow) bool { return nameOf(r.ErrorType) != "" }) {
		return nil
	}
	old, err := in.src.Failures(in.ctx, window, insightFailures)
	if err != nil {
		return err
	}
	if len(old) == insightFailures {
		in.skip(reasonMany, "new_error_type")
		return nil
	}
	type key struct{ tool, errorType string }
	known := map[key]bool{}
	for _, r := range old {
		known[key{r.Tool, r.ErrorType}] = true
	}
	groups := map[key]*Insight{}
	var order []key
	for _, r := range now {
		k := key{r.Tool, r.ErrorType}
		if nameOf(r.ErrorType) == "" || known[k] || in.before[r.Tool].Calls < MinCalls || in.newCrash(r) {
			continue
		}
		if groups[k] == nil {
			groups[k] = &Insight{Tool: r.Tool, Of: in.toolCalls(r.Tool), ErrorType: r.ErrorType, Outcome: r.Outcome, Against: "window", Before: new(float64)}
			order = append(order, k)
		}
		g := groups[k]
		g.Calls += r.Calls
		g.Value = float64(g.Calls)
		if since := r.FirstSeen; g.Since == nil || since.Before(*g.Since) {
			g.Since = &since
		}
	}
	for _, k := range order {
		in.report("new_error_type", *groups[k])
	}
	return nil
}

func (in *inspection) ofLoops() error {
	if rawGone(in.kept, in.p.Filter) {
		in.skip(reasonGone, "loop")
		return nil
	}
	rows, err := in.src.ToolLoops(in.ctx, in.p.Filter, insightUnknown)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if of := in.toolCalls(r.Tool); of >= MinCalls {
			sessions := r.Sessions
			in.report("loop", Insight{Tool: r.Tool, Calls: r.Calls, Of: of, Value: float64(r.Sessions), Sessions: &sessions})
		}
	}
	return nil
}

// newCrash: the rule crash_appeared tells of it already.
func (in *inspection) newCrash(r store.FailureRow) bool {
	return r.Outcome == "crashed" && in.before[r.Tool].Crashed == 0
}

// ofDeadTools finds the tools that were listed the whole time and never called.
func (in *inspection) ofDeadTools() error {
	f := in.p.Filter
	switch {
	case f.To.Sub(f.From) < 7*day:
		in.skip(reasonShort, "never_called")
		return nil
	case len(f.Tool)+len(f.Client)+len(f.Platform)+len(f.Session)+len(f.User) > 0:
		in.skip(reasonNarrow, "never_called")
		return nil
	case in.calls() < MinCalls:
		return nil
	}
	dead, err := neverCalled(in.ctx, in.src, in.p, in.tools, in.listed)
	if err != nil {
		return err
	}
	for _, d := range dead {
		if d.FirstSeen.After(f.From) {
			continue // it is new
		}
		i := Insight{Tool: d.Tool, Of: in.calls(), Sessions: d.Sessions, Tokens: d.Tokens, Cost: d.Cost, Server: d.Server}
		if d.Tokens != nil {
			i.Value = float64(*d.Tokens)
		}
		in.report("never_called", i)
	}
	return nil
}

// listedFor is how much older than the newest listing of its server a tool's may be:
// servers list their tools once per change, and not all at the same moment.
const listedFor = 24 * time.Hour
