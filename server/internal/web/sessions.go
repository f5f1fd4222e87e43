package web

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// sessionsView is the page /p/{project}/sessions.
type sessionsView struct {
	frame
	Err       *fault.Error
	Caption   string
	Only      []navItem // all, failed only, loops only
	Sessions  []sessionRow
	Empty     string
	Steps     *steps
	Downloads []download
	Notes     []note
}

// sessionRow is a session in a list.
type sessionRow struct {
	At               time.Time
	Href             string
	Mark             template.HTML
	Worst            string
	Tags             []string
	Calls, CallsHref string
	Failed           string
	NoneFailed       bool
	Tools            string
	Duration         string
	Client, Version  string
	Session          string
	User, UserHref   string
}

func (s *site) sessions(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Sessions")
	ctx := r.Context()
	var got answer[query.SessionsAnswer]
	var totals answer[query.Tally]
	facets := sc.withFacets(ctx, func() {
		together(
			func() {
				got = ask(ctx, s, "sessions", func(ctx context.Context) (query.SessionsAnswer, error) {
					return query.Sessions(ctx, s.src, sc.params)
				})
			},
			func() {
				totals = ask(ctx, s, "count", func(ctx context.Context) (query.Tally, error) { return query.Count(ctx, s.src, sc.params) })
			},
		)
	})
	v := sessionsView{frame: sc.frame(ctx, "Sessions", sc.projectPath()+"sessions", facets), Err: got.Err, Only: sc.onlySessions()}
	list := sc.params.List
	if totals.Err == nil {
		if !list.Failed && !list.Loops {
			v.Caption = format.Plural(totals.Value.Sessions, "session") + " in " + lastWords(sc.params) + ", the last call first"
		}
		if n := totals.Value.NoSession; n > 0 {
			v.Notes = append(v.Notes, makeNote(n, "call is in no session, and in no row", "calls are in no session, and in no row"))
		}
	}
	if v.Caption == "" {
		v.Caption = "in " + lastWords(sc.params) + ", the last call first"
	}
	if got.Err == nil {
		v.Sessions, v.Steps, v.Downloads = sessionRows(sc, got.Value.Sessions), sc.steps(got.Value.Next), sc.downloads("sessions")
		v.Empty = emptySessions(sc)
	}
	return s.render(w, http.StatusOK, "sessions", v)
}

func emptySessions(sc *scope) string {
	switch list := sc.params.List; {
	case list.Loops:
		return "No session went round in a loop: the same tool with the same arguments four times, or two in turn three times, each with the same outcome"
	case list.Failed:
		return "No session holds a failed call in " + lastWords(sc.params)
	case len(sc.chips()) > 0:
		return "No session in " + lastWords(sc.params) + " matches these filters"
	}
	return "No session in " + lastWords(sc.params)
}

// onlySessions are the links that leave some of the sessions.
func (sc *scope) onlySessions() []navItem {
	list := sc.params.List
	to := func(failed, loops string) string {
		return sc.page(query.ParamFailed, failed, query.ParamLoops, loops, query.ParamCursor, "")
	}
	return []navItem{
		{Text: "All", Href: to("", ""), Current: !list.Failed && !list.Loops},
		{Text: "With failures", Href: to("1", ""), Current: list.Failed && !list.Loops},
		{Text: "With loops", Href: to("", "1"), Current: list.Loops && !list.Failed},
	}
}

func sessionRows(sc *scope, list []query.SessionLine) []sessionRow {
	rows := make([]sessionRow, 0, len(list))
	for _, s := range list {
		failed := s.BadArgs + s.ToolError + s.Crashed
		row := sessionRow{
			At: s.LastAt, Href: sc.sessionLink(s.ID), Mark: chart.Mark(s.Worst), Worst: format.Slice(umpire.Slice(s.Worst)),
			Calls: format.Count(s.Calls), CallsHref: sc.sessionCalls(s), Failed: format.Count(failed), NoneFailed: failed == 0,
			Tools: format.Count(s.Tools), Duration: format.Duration(s.DurationUS), Client: clip(s.Client, nameMax), Version: clip(s.ClientVersion, 20),
			Session: shortSession(s.Session), Tags: sessionTags(s),
		}
		if s.User != store.Unknown {
			row.User, row.UserHref = clip(s.User, 40), sc.here("user", s.User)
		}
		rows = append(rows, row)
	}
	return rows
}

func sessionTags(s query.SessionLine) []string {
	var tags []string
	if s.Loop {
		tags = append(tags, "loop")
	}
	if s.Retries > 0 {
		tags = append(tags, many(s.Retries, "retry", "retries"))
	}
	return tags
}

// many writes a count with a noun that has a plural of its own.
func many(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return format.Count(n) + " " + more
}

// sessionCalls leads to as many calls as the session's row counts: its own filters
// stay, and a part of a derived session is bound by its times.
func (sc *scope) sessionCalls(s query.SessionLine) string {
	return sc.link(sc.projectPath()+"calls", sessionOnly(s)...)
}

// sessionOnly changes the filters to those of one session, or a part of a derived one.
func sessionOnly(s query.SessionLine) []string {
	changes := []string{"session", s.Session}
	if s.ID != s.Session {
		changes = append(changes, "last", "", "granularity", "", "from", rfc(s.StartedAt), "to", rfc(s.LastAt.Add(time.Microsecond)))
	}
	return changes
}

// cutDerived is what a derived session is called without what marks it as one.
func cutDerived(name string) (rest string, derived bool) {
	return strings.CutPrefix(name, store.DerivedSession)
}

// sessionLink leads to one session, or the part of a derived one, as a timeline.
func (sc *scope) sessionLink(part string) string {
	return sc.site.href(sc.projectPath()+"sessions/"+url.PathEscape(part), sc.rangeValues())
}

// rangeValues is the range without the filters: what shows a session whole.
func (sc *scope) rangeValues() url.Values {
	values := url.Values{}
	for _, name := range rangeNames {
		if list := sc.values[name]; len(list) > 0 && name != "granularity" {
			values[name] = list
		}
	}
	return values
}
