package alert

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/insight"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// digestHour is when a digest is made on Mondays, in UTC.
const digestHour = 7

// digest puts out the week's digest once, from Monday 07:00 UTC on. A node that was
// down on Monday makes it up until Tuesday's end.
func (e *Engine) digest(ctx context.Context, r *Rule, s *state, muted, now time.Time) (bool, error) {
	now = now.UTC()
	year, week := now.ISOWeek()
	name := fmt.Sprintf("%d-%02d", year, week)
	due := now.Weekday() == time.Monday && now.Hour() >= digestHour || now.Weekday() == time.Tuesday
	if !due || s.Week == name {
		return false, nil
	}
	m, err := e.digestOf(ctx, r, now)
	if err != nil {
		return false, err
	}
	s.Week = name
	if !muted.After(now) {
		m.ID = url.PathEscape(r.key()) + "-" + name
		s.put(r.To, m, now)
	}
	return true, nil
}

// digestOf is the last seven whole days beside the seven before.
func (e *Engine) digestOf(ctx context.Context, r *Rule, now time.Time) (Message, error) {
	to := now.UTC().Truncate(24 * time.Hour)
	v := r.filters()
	v.Set("from", to.AddDate(0, 0, -7).Format(time.RFC3339))
	v.Set("to", to.Format(time.RFC3339))
	p, err := e.params(r, v, now)
	if err != nil {
		return Message{}, err
	}
	o, err := query.Overview(ctx, e.opt.Source, p)
	if err != nil {
		return Message{}, err
	}
	found, err := query.Insights(ctx, e.opt.Source, p)
	if err != nil {
		return Message{}, err
	}
	m := Message{
		Alert: r.Name, Project: r.Project, Kind: r.Kind, State: digest, At: now.UTC(), Calls: o.Calls, Range: o.Range,
		Filters: r.filters(), Changes: append([]query.Change{}, o.Changes...), Link: e.link(r.Project, o.Range, r.filters()),
		Title: fmt.Sprintf("%s, the week to %s: %s, %s", r.Project, o.Range.To.Format(time.DateOnly), format.Plural(o.Calls, "call"), format.Caption(o.ErrorRate, o.EmptyRate)),
	}
	m.Lines = append(m.Lines, weekLines(o)...)
	for i, in := range found.Insights {
		if i == 5 {
			m.Lines = append(m.Lines, fmt.Sprintf("and %d more", len(found.Insights)-i))
			break
		}
		m.Lines = append(m.Lines, fmt.Sprintf("%s: %s: %s", in.Severity, in.Tool, insight.Text(in)))
	}
	return m, nil
}

func weekLines(o query.OverviewAnswer) []string {
	lines := []string{fmt.Sprintf("ok %s, empty %s, bad args %s, tool errors %s, crashes %s", format.Count(o.Slices.OK), format.Count(o.Slices.Empty),
		format.Count(o.Slices.BadArgs), format.Count(o.Slices.ToolError), format.Count(o.Slices.Crashed))}
	if b := o.Previous; !b.Range.To.IsZero() {
		lines = append(lines, fmt.Sprintf("The week before: %s, %s", format.Plural(b.Calls, "call"), format.Caption(b.ErrorRate, b.EmptyRate)))
	}
	return lines
}
