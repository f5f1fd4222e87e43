package web

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"sync"

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
	Calls      string
	Caption    string
	Mix        template.HTML
	Err        *fault.Error
	None       bool
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
	if len(projects) == 1 {
		http.Redirect(w, r, s.href("/p/"+url.PathEscape(projects[0].Name)+"/", nil), http.StatusSeeOther)
		return nil
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
	return s.render(w, http.StatusOK, "home", v)
}

func (s *site) projectRow(ctx context.Context, p Project, params query.Params) projectRow {
	row := projectRow{Name: p.Name, Demo: p.Demo, Href: s.href("/p/"+url.PathEscape(p.Name)+"/", nil)}
	params.Project, params.Filter.Project = p.Name, p.ID
	got := ask(ctx, s, "project", func(ctx context.Context) (query.OverviewAnswer, error) { return query.Overview(ctx, s.src, params) })
	o := got.Value
	switch {
	case got.Err != nil:
		row.Err = got.Err
	case o.Calls == 0:
		row.None = true
	default:
		row.Calls = format.Plural(o.Calls, "call")
		row.Mix = chart.Mix(values(o.Slices))
		if o.ErrorRate != nil {
			row.Caption = format.Caption(o.ErrorRate, o.EmptyRate)
		}
	}
	return row
}

// bareFrame is the frame of a page without a project.
func (s *site) bareFrame(r *http.Request, title string) frame {
	f := frame{Title: title, Home: s.base + "/", Version: s.opt.Version}
	if grant, ok := auth.Granted(r.Context()); ok {
		f.SignOut = grant.SignedIn
	}
	return f
}
