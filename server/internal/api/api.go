package api

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Project is what the API knows of a project.
type Project struct {
	ID   uint32
	Name string
}

// Projects knows the projects. ByName answers a fault.NotFound for a name that
// no project has.
type Projects interface {
	List(ctx context.Context) ([]Project, error)
	ByName(ctx context.Context, name string) (Project, error)
}

// Grant is what a request may read: one project, or, with the zero value, all.
type Grant struct {
	Project *Project
}

// Authorize tells what a request may read, or refuses with a *fault.Error.
type Authorize func(*http.Request) (Grant, error)

// Options are what the API can be told. The zero value is fine.
type Options struct {
	Now func() time.Time // nil is time.Now
	Log *slog.Logger     // nil is slog.Default
}

// API is the handler of everything under /api/v1/ but the doors.
type API struct {
	src       query.Source
	projects  Projects
	authorize Authorize
	opt       Options
	mux       *http.ServeMux
}

// question answers a request whose project and filters are known.
type question func(ctx context.Context, p query.Params, r *http.Request) (any, error)

// New returns the API over src.
func New(src query.Source, projects Projects, authorize Authorize, opt Options) *API {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	a := &API{src: src, projects: projects, authorize: authorize, opt: opt, mux: http.NewServeMux()}
	for path, ask := range a.questions() {
		a.mux.HandleFunc("GET /api/v1/"+path, func(w http.ResponseWriter, r *http.Request) {
			p, err := a.scope(r)
			if err != nil {
				a.fail(w, r, err)
				return
			}
			answer, err := ask(r.Context(), p, r)
			a.answer(w, r, answer, err)
		})
	}
	a.mux.HandleFunc("GET /api/v1/projects", a.listProjects)
	a.mux.HandleFunc("/api/v1/", a.unknown)
	return a
}

func (a *API) questions() map[string]question {
	return map[string]question{
		"overview": func(ctx context.Context, p query.Params, _ *http.Request) (any, error) {
			return query.Overview(ctx, a.src, p)
		},
		"tools": func(ctx context.Context, p query.Params, _ *http.Request) (any, error) {
			return query.Tools(ctx, a.src, p)
		},
		"tools/{tool}": func(ctx context.Context, p query.Params, r *http.Request) (any, error) {
			return query.Tool(ctx, a.src, p, r.PathValue("tool"))
		},
		"clients": func(ctx context.Context, p query.Params, _ *http.Request) (any, error) {
			return query.Clients(ctx, a.src, p)
		},
		"filters": func(ctx context.Context, p query.Params, _ *http.Request) (any, error) {
			return query.FilterValues(ctx, a.src, p)
		},
	}
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	a.mux.ServeHTTP(w, r)
}

// scope reads the filters and finds the project that the request may ask about.
func (a *API) scope(r *http.Request) (query.Params, error) {
	grant, err := a.authorize(r)
	if err != nil {
		return query.Params{}, err
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return query.Params{}, fault.Wrap(err, fault.BadRequest, "the query string cannot be read", "escape the values as in a URL")
	}
	p, err := query.Parse(values, a.opt.Now())
	if err != nil {
		return query.Params{}, err
	}
	project, err := a.project(r.Context(), grant, p.Project)
	if err != nil {
		return query.Params{}, err
	}
	p.Project, p.Filter.Project = project.Name, project.ID
	return p, nil
}

// project is the one asked for: the key's, else the one named, else the only one.
func (a *API) project(ctx context.Context, grant Grant, name string) (Project, error) {
	if grant.Project != nil {
		if name != "" && name != grant.Project.Name {
			return Project{}, fault.New(fault.Forbidden, "this key reads another project",
				"leave project out: the key says which it is")
		}
		return *grant.Project, nil
	}
	if name != "" {
		return a.projects.ByName(ctx, name)
	}
	list, err := a.projects.List(ctx)
	if err != nil {
		return Project{}, err
	}
	switch len(list) {
	case 0:
		return Project{}, fault.New(fault.NotFound, "there is no project yet", "umpire key add --project NAME --write makes one")
	case 1:
		return list[0], nil
	}
	names := make([]string, 0, len(list))
	for _, p := range list {
		names = append(names, p.Name)
	}
	return Project{}, fault.New(fault.BadRequest, fmt.Sprintf("there are %d projects", len(list)),
		"name one with project: "+strings.Join(names, ", "))
}

// projectsAnswer lists the projects that the caller may see.
type projectsAnswer struct {
	Projects []projectLine `json:"projects"`
}

type projectLine struct {
	Name string `json:"name"`
}

func (a *API) listProjects(w http.ResponseWriter, r *http.Request) {
	grant, err := a.authorize(r)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	answer := projectsAnswer{Projects: []projectLine{}}
	if grant.Project != nil {
		answer.Projects = append(answer.Projects, projectLine{grant.Project.Name})
		a.answer(w, r, answer, nil)
		return
	}
	list, err := a.projects.List(r.Context())
	for _, p := range list {
		answer.Projects = append(answer.Projects, projectLine{p.Name})
	}
	a.answer(w, r, answer, err)
}

func (a *API) unknown(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		write(w, http.StatusMethodNotAllowed, errorAnswer{fault.New(fault.BadRequest, "the read API is asked with GET", "events go to POST /api/v1/events")})
		return
	}
	a.fail(w, r, fault.New(fault.NotFound, "there is nothing at this address", "GET /api/v1/openapi.json lists what there is"))
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err != nil {
		a.fail(w, r, err)
		return
	}
	write(w, http.StatusOK, v)
}

type errorAnswer struct {
	Error *fault.Error `json:"error"`
}

func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	if f.Code == fault.Internal && r.Context().Err() == nil {
		a.opt.Log.ErrorContext(r.Context(), "a question failed", "path", r.URL.Path, "err", err)
	}
	if f.Code == fault.Unauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="umpire"`)
	}
	write(w, f.Status(), errorAnswer{f})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // whoever asked may be gone
}
