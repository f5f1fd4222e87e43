package alert

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// look is what one look at a rule's window showed.
type look struct {
	window query.Range
	calls  int64
	// known is false where too few calls, or nobody who reports it, tell nothing.
	known bool
	// over: past the limit; back: inside the point where an incident is over.
	over, back bool
	value      float64
	text       string // the figure in words, with what it is of
	changes    []query.Change
}

// look asks about the window that ends now.
func (e *Engine) look(ctx context.Context, r *Rule, now time.Time) (look, error) {
	v := r.filters()
	from := now.Add(-r.window)
	v.Set("from", from.UTC().Format(time.RFC3339))
	v.Set("to", now.UTC().Format(time.RFC3339))
	p, err := e.params(r, v, now)
	if err != nil {
		return look{}, err
	}
	o, err := query.Overview(ctx, e.opt.Source, p)
	if err != nil {
		return look{}, err
	}
	l := look{window: o.Range, calls: o.Calls, changes: breaks(o.Changes)}
	switch r.Kind {
	case NewError:
		return e.newErrors(ctx, p, l)
	case Silence:
		return e.silence(ctx, r, v, now, l)
	}
	l.figure(r, o)
	return l, nil
}

func (e *Engine) params(r *Rule, v url.Values, now time.Time) (query.Params, error) {
	p, err := query.Parse(v, now)
	p.Project, p.Filter.Project = r.Project, r.numericProject
	if e.opt.Prefs != nil {
		p.Prefs = e.opt.Prefs(r.numericProject)
	}
	return p, err
}

// figure holds a figure of the overview to the rule's limit.
func (l *look) figure(r *Rule, o query.OverviewAnswer) {
	value, of := figureOf(r, o)
	if value == nil || of < r.MinCalls && r.Kind != Crash {
		return
	}
	l.known, l.value = true, *value
	l.over, l.back = *value > r.limit, *value <= r.clear
	if r.Kind == FirstCall {
		l.over, l.back = *value < r.limit, *value >= r.clear
	}
	l.text = fmt.Sprintf("%s %s of %s (limit %s)", words(r), write(r.Kind, *value), format.Plural(of, "call"), write(r.Kind, r.limit))
}

func figureOf(r *Rule, o query.OverviewAnswer) (value *float64, of int64) {
	number := func(n *int64) *float64 {
		if n == nil {
			return nil
		}
		x := float64(*n)
		return &x
	}
	switch r.Kind {
	case ErrorRate:
		return o.ErrorRate, o.Calls
	case EmptyRate:
		return o.EmptyRate, o.Calls
	case P95:
		return number(o.LatencyUS.P95), o.Calls
	case FirstCall:
		return o.FirstCallSuccess.Rate, o.FirstCallSuccess.Of
	case Crash:
		return number(&o.Outcomes.Crashed), o.Calls
	case SliceRate:
		if o.Calls == 0 {
			return nil, 0
		}
		n := map[string]int64{"ok": o.Slices.OK, "empty": o.Slices.Empty, "bad_args": o.Slices.BadArgs, "tool_error": o.Slices.ToolError, "crashed": o.Slices.Crashed}[r.Slice]
		x := float64(n) / float64(o.Calls)
		return &x, o.Calls
	}
	return nil, 0
}

// words name what a rule watches.
func words(r *Rule) string {
	switch r.Kind {
	case ErrorRate:
		return "error rate"
	case EmptyRate:
		return "empty rate"
	case P95:
		return "p95"
	case FirstCall:
		return "first-call success"
	case Crash:
		return "crashes"
	case SliceRate:
		return "share of " + r.Slice
	case NewError:
		return "new kinds of failure"
	case Silence:
		return "silence"
	}
	return string(r.Kind)
}

func write(kind Kind, x float64) string {
	switch kind {
	case P95:
		return format.Duration(int64(x))
	case Crash:
		return format.Count(int64(x))
	}
	return format.Rate(x)
}

// newErrors is the kinds of failure that the project had never seen before the window.
func (e *Engine) newErrors(ctx context.Context, p query.Params, l look) (look, error) {
	p.Filter.NewSince = p.Filter.From
	a, err := query.Errors(ctx, e.opt.Source, p)
	if err != nil {
		return l, err
	}
	fresh := slices.DeleteFunc(a.Failures, func(f query.Failure) bool { return !f.New })
	l.known, l.over, l.back, l.value = true, len(fresh) > 0, len(fresh) == 0, float64(len(fresh))
	var names []string
	for i, f := range fresh {
		if i == 5 {
			names = append(names, fmt.Sprintf("and %d more", len(fresh)-i))
			break
		}
		name := f.ErrorType
		if name == "" {
			name = f.Cause
		}
		names = append(names, fmt.Sprintf("%s: %s %s, %s (%s)", f.Tool, f.Outcome, name, format.Plural(f.Calls, "call"), f.Fingerprint))
	}
	l.text = format.Plural(int64(len(fresh)), "new kind") + " of failure: " + strings.Join(names, "; ")
	return l, nil
}

// silence is a window without a call after one of seven times its length with some.
func (e *Engine) silence(ctx context.Context, r *Rule, v url.Values, now time.Time, l look) (look, error) {
	if l.calls > 0 {
		l.known, l.back, l.text = true, true, format.Plural(l.calls, "call")+" again"
		return l, nil
	}
	from := now.Add(-r.window)
	v.Set("from", from.Add(-7*r.window).UTC().Format(time.RFC3339))
	v.Set("to", from.UTC().Format(time.RFC3339))
	p, err := e.params(r, v, now)
	if err != nil {
		return l, err
	}
	earlier, err := query.Overview(ctx, e.opt.Source, p)
	if err != nil {
		return l, err
	}
	l.known, l.over = true, earlier.Calls >= r.MinCalls
	l.text = fmt.Sprintf("no call for %s, after %s before", r.Window, format.Plural(earlier.Calls, "call"))
	return l, nil
}

// breaks are the changes after which figures may differ though nothing broke.
func breaks(all []query.Change) []query.Change {
	var out []query.Change
	for _, c := range all {
		if c.Kind == "version" || c.Kind == "sdk" || c.Kind == "rules" {
			out = append(out, c)
		}
	}
	return out
}
