package web

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// homeView is the page /: the projects, or how to begin.
type homeView struct {
	frame
	Projects []projectRow
	Quiet    *quiet // a new install
}

type projectRow struct {
	Name, Href string
	Demo       bool
	homeFigures
	Servers []serverRow // where there are several
	Err     *fault.Error
	None    bool
}

// serverRow is one of several servers of a project.
type serverRow struct {
	Name, Href string
	Versions   string
	homeFigures
}

// homeFigures are what the start page tells of a project or a server.
type homeFigures struct {
	Calls, Caption string
	Mix            template.HTML
	First, FirstOf string
	LastSeen       *time.Time
}

const (
	homeRange = "7d"
	homeAsks  = 4 // projects asked about at a time
)

func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.projects.List(r.Context())
	if err != nil {
		return err
	}
	v := homeView{frame: s.bareFrame(r, "Projects")}
	if len(projects) == 0 {
		v.Title = "Welcome"
		v.Quiet = &quiet{Install: s.install(r, "my-server", 0)}
		return s.render(w, http.StatusOK, "install", v)
	}
	params, err := query.Parse(url.Values{"last": {homeRange}}, s.opt.Now())
	if err != nil {
		return err
	}
	v.Projects = make([]projectRow, len(projects))
	var wait sync.WaitGroup
	slots := make(chan struct{}, homeAsks)
	for i, p := range projects {
		slots <- struct{}{}
		wait.Go(func() {
			v.Projects[i] = s.projectRow(r.Context(), p, params)
			<-slots
		})
	}
	wait.Wait()
	if len(projects) == 1 && len(v.Projects[0].Servers) == 0 { // there is nothing to choose from
		http.Redirect(w, r, v.Projects[0].Href, http.StatusSeeOther)
		return nil
	}
	return s.render(w, http.StatusOK, "home", v)
}

func (s *site) projectRow(ctx context.Context, p Project, params query.Params) projectRow {
	row := projectRow{Name: p.Name, Demo: p.Demo, Href: s.href("/p/"+url.PathEscape(p.Name)+"/", nil)}
	params.Project, params.Filter.Project = p.Name, p.ID
	got := ask(ctx, s, "project", func(ctx context.Context) (query.ServersAnswer, error) { return query.Servers(ctx, s.src, params) })
	a := got.Value
	switch {
	case got.Err != nil:
		row.Err = got.Err
		return row
	case a.Calls == 0:
		row.None = true
		return row
	}
	row.homeFigures = figures(a.Calls, values(a.Slices), a.ErrorRate, a.EmptyRate, a.FirstCallSuccess, a.LastSeen)
	if len(a.Servers) < 2 {
		return row
	}
	for _, l := range a.Servers {
		v := countsOf(l.OK, l.Empty, l.BadArgs, l.ToolError, l.Crashed)
		failed, empty := share(v[2]+v[3]+v[4], l.Calls), share(v[1], l.Calls)
		row.Servers = append(row.Servers, serverRow{
			Name: l.Server, Href: s.href("/p/"+url.PathEscape(p.Name)+"/", url.Values{"server": {l.Server}}), Versions: newestText(l.Versions),
			homeFigures: figures(l.Calls, v, failed, empty, *l.FirstCallSuccess, l.LastSeen),
		})
	}
	return row
}

func share(n, of int64) *float64 {
	if of == 0 {
		return nil
	}
	x := float64(n) / float64(of)
	return &x
}

func figures(calls int64, v chart.Values, failed, empty *float64, first query.Share, seen *time.Time) homeFigures {
	f := homeFigures{Calls: format.Count(calls), Mix: chart.Mix(v), LastSeen: seen}
	if failed != nil {
		f.Caption = format.Caption(failed, empty)
	}
	if first.Rate != nil {
		f.First, f.FirstOf = format.Rate(*first.Rate), "of "+format.Plural(first.Of, "first call")
	}
	return f
}

// newestText names the newest of the versions, which come newest first.
func newestText(versions []string) string {
	if len(versions) > versionsShown {
		return newestText(versions[:versionsShown]) + " and " + format.Count(int64(len(versions)-versionsShown)) + " more"
	}
	short := make([]string, len(versions))
	for i, v := range versions {
		short[i] = clip(shown(v), 24)
	}
	return strings.Join(short, ", ")
}

// bareFrame is the frame of a page without a project.
func (s *site) bareFrame(r *http.Request, title string) frame {
	f := frame{Title: title, Home: s.base + "/", Version: s.opt.Version}
	if grant, ok := auth.Granted(r.Context()); ok {
		f.SignOut = grant.SignedIn
	}
	return f
}
