package web

import (
	"context"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// sessionView is the page /p/{project}/sessions/{id}.
type sessionView struct {
	frame
	Err          *fault.Error
	Session      string
	SessionsHref string
	Worst        string
	Mark         template.HTML
	Facts        []string
	Client       string
	Calls        []timelineRow
	Loop         bool
	// Dropped is the address without the filters, where some are in force.
	Whole string
	Steps *steps

	Downloads []download
}

// timelineRow is one call of a session.
type timelineRow struct {
	callRow
	Gap   string // how long nothing ran before it
	Quiet bool   // the gap is long
	Bar   template.HTML
	Brace string // where it stands in a run of retries: start, mid, end
	Loop  bool
	Of    string // of a retry: what it is one of
}

// longGap is from when on a gap is set apart.
const longGap = int64(time.Minute / time.Microsecond)

func (s *site) session(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r, "session")
	if err != nil || sc == nil {
		return err
	}
	ctx := r.Context()
	var got answer[query.SessionAnswer]
	id := r.PathValue("id")
	sc.params.List.Limit = timelineMax
	facets := sc.withFacets(ctx, func() {
		got = ask(ctx, s, "session", func(ctx context.Context) (query.SessionAnswer, error) {
			return query.Session(ctx, s.src, sc.params, id)
		})
	})
	if got.Err != nil && got.Err.Code == fault.NotFound {
		return got.Err
	}
	v := sessionView{
		frame: sc.frame(ctx, "Session", sc.projectPath()+"sessions", facets), Err: got.Err,
		SessionsHref: sc.link(sc.projectPath() + "sessions"),
	}
	v.Filters = nil // a session is looked at whole
	if got.Err == nil {
		v.fill(sc, got.Value)
	}
	return s.render(w, http.StatusOK, "session", v)
}

// timelineMax is how many calls of a session a page shows.
const timelineMax = 100

func (v *sessionView) fill(sc *scope, a query.SessionAnswer) {
	one := a.Session
	v.Session, v.Worst, v.Mark = one.Session, one.Worst, chart.Mark(one.Worst)
	v.Client = strings.TrimSpace(one.Client + " " + one.ClientVersion)
	if one.Client == store.Unknown {
		v.Client = ""
	}
	failed := one.BadArgs + one.ToolError + one.Crashed
	v.Facts = append(v.Facts, format.Plural(one.Calls, "call"), format.Plural(one.Tools, "tool"), format.Duration(one.DurationUS))
	if failed > 0 {
		v.Facts = append(v.Facts, format.Count(failed)+" failed")
	}
	v.Facts = append(v.Facts, sessionTags(one)...)
	v.Downloads = sc.downloads("calls", sessionOnly(one)...)
	v.Loop, v.Steps = one.Loop, sc.steps(a.Next)
	if len(sc.chips()) > 0 {
		v.Whole = sc.site.href(sc.path, sc.rangeValues())
	}
	lines := make([]query.CallLine, len(a.Calls))
	var most int64
	for i, c := range a.Calls {
		lines[i] = c.CallLine
		if c.DurationUS != nil {
			most = max(most, *c.DurationUS)
		}
	}
	braces, of := retryBraces(lines)
	for i, row := range callRows(sc, lines) {
		c := a.Calls[i]
		row.ID = c.ID.String()
		t := timelineRow{callRow: row, Brace: braces[i], Of: of[i], Loop: c.InLoop}
		if c.DurationUS != nil {
			t.Bar = chart.Lasting(*c.DurationUS, most, c.Slice)
		}
		if c.GapUS != nil {
			t.Gap, t.Quiet = format.Duration(*c.GapUS), *c.GapUS >= longGap
		}
		v.Calls = append(v.Calls, t)
	}
}

// retryBraces sets calls and their retries together: a retry belongs to the call of
// its tool that ended last before it began (outcomes.md 6.2). of names that call for
// those who see no brace.
func retryBraces(calls []query.CallLine) (braces, of []string) {
	braces, of = make([]string, len(calls)), make([]string, len(calls))
	inside := make([]bool, len(calls)) // joined to the call after
	for i, c := range calls {
		if !c.IsRetry {
			continue
		}
		earlier := -1
		for j := i - 1; j >= 0; j-- {
			if calls[j].Tool == c.Tool && !ended(calls[j]).After(c.StartedAt) && (earlier < 0 || ended(calls[j]).After(ended(calls[earlier]))) {
				earlier = j
			}
		}
		if earlier < 0 {
			continue // it stands on the page before
		}
		of[i] = "of the call at " + calls[earlier].StartedAt.UTC().Format("15:04:05 MST")
		for j := earlier; j < i; j++ {
			inside[j] = true
		}
	}
	for i := range calls {
		before := i > 0 && inside[i-1]
		switch {
		case inside[i] && before:
			braces[i] = "mid"
		case inside[i]:
			braces[i] = "start"
		case before:
			braces[i] = "end"
		}
	}
	return braces, of
}

func ended(c query.CallLine) time.Time {
	if c.DurationUS == nil {
		return c.StartedAt
	}
	return c.StartedAt.Add(time.Duration(*c.DurationUS) * time.Microsecond)
}
