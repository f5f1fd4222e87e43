package web

import (
	"context"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// usersView is the page /p/{project}/users.
type usersView struct {
	frame
	Err       *fault.Error
	Caption   string
	Cards     []plainCard
	Users     []userRow
	Steps     *steps
	Downloads []download
	Days      []userDay
	StepName  string
}

// plainCard is a figure with what it means.
type plainCard struct{ Label, Value, Note string }

type userRow struct {
	User, Href, Sessions  string
	New                   bool
	Calls, Failed, Empty  string
	NoneFailed, NoneEmpty bool
	Days                  string
	FirstSeen, LastSeen   time.Time
}

// userDay is a step of the series: a bar beside its numbers.
type userDay struct {
	At         string
	Users, New string
	Share      int // of the most, in percent
}

func (s *site) users(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Users")
	ctx := r.Context()
	var got answer[query.UsersAnswer]
	facets := sc.withFacets(ctx, func() {
		got = ask(ctx, s, "users", func(ctx context.Context) (query.UsersAnswer, error) { return query.Users(ctx, s.src, sc.params) })
	})
	v := usersView{frame: sc.frame(ctx, "Users", sc.projectPath()+"users", facets), Err: got.Err}
	if got.Err == nil {
		v.fill(sc, got.Value)
	}
	return s.render(w, http.StatusOK, "users", v)
}

func (v *usersView) fill(sc *scope, a query.UsersAnswer) {
	v.Caption = format.Plural(a.Total, "user") + " in " + lastWords(sc.params) + ", most calls first"
	if a.Total == 0 && len(sc.chips()) == 0 {
		return
	}
	v.Cards = []plainCard{
		{"Active in a day", countOr(a.Active.Day), "the last of the range"},
		{"Active in 7 days", countOr(a.Active.Week), "to the end of the range"},
		{"Active in 30 days", countOr(a.Active.Month), "to the end of the range"},
		{"New", format.Count(a.New), format.Count(a.Returning) + " returning · new: no call from " + a.LookedBack.UTC().Format("2 Jan") + " to the range"},
	}
	for _, u := range a.Users {
		failed := u.BadArgs + u.ToolError + u.Crashed
		row := userRow{
			User: clip(u.User, 100), Href: sc.link(sc.projectPath()+"calls", "user", u.User), Sessions: sc.link(sc.projectPath()+"sessions", "user", u.User), New: u.New,
			Calls: format.Count(u.Calls), Failed: format.Count(failed), NoneFailed: failed == 0, Empty: format.Count(u.Empty), NoneEmpty: u.Empty == 0,
			Days: format.Count(u.Days), FirstSeen: u.FirstSeen, LastSeen: u.LastSeen,
		}
		v.Users = append(v.Users, row)
	}
	v.Steps, v.Downloads = sc.steps(a.Next), sc.downloads("users")
	most := int64(1)
	for _, b := range a.Series {
		most = max(most, b.Users)
	}
	d := step(a.Granularity)
	v.StepName = per(d)
	for _, b := range a.Series {
		at := b.At.UTC().Format("Mon 2 Jan")
		if d < 24*time.Hour {
			at = b.At.UTC().Format("2 Jan 15:04")
		}
		v.Days = append(v.Days, userDay{At: at, Users: format.Count(b.Users), New: format.Count(b.New), Share: int(100 * b.Users / most)})
	}
}

func countOr(n *int64) string {
	if n == nil {
		return format.Dash
	}
	return format.Short(*n)
}
