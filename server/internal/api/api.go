package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/live"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Project is what the API knows of a project.
type Project struct {
	ID   uint32
	Name string
	// Own is Umpire's own project, which is meant only if it is named.
	Own bool
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
	// Pending tells how many calls the project's senders hold open, if any says;
	// nil: none does.
	Pending func(project uint32) (calls int64, known bool)
	// Dropped tells how many events the project's senders dropped; nil: not known.
	Dropped func(ctx context.Context, project uint32) int64
	// Prefs are a project's; nil: none has any.
	Prefs func(project uint32) query.Prefs
	// Rules keeps what people decided about later calls.
	Rules Rules
	// Settings keeps how a project's figures are told.
	Settings SettingsKeeper
	// Keeper changes what is kept of a project.
	Keeper Keeper
	// Dumper hands out whole tables; nil: nobody does.
	Dumper store.Dumper
	// Views answers SQL; nil: it is not allowed.
	Views Views
	// Care is what an operator does; nil: nothing.
	Care Care
	// Live hands on events as they are stored; nil: none are shown. With Follow nobody
	// tells it, and the store is asked for them.
	Live   *live.Hub
	Follow bool
	// Timeout bounds each question; 0 is 30 seconds.
	Timeout time.Duration
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
type question func(ctx context.Context, src query.Source, p query.Params, r *http.Request) (any, error)

// New returns the API over src.
func New(src query.Source, projects Projects, authorize Authorize, opt Options) *API {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.Timeout == 0 {
		opt.Timeout = 30 * time.Second
	}
	a := &API{src: src, projects: projects, authorize: authorize, opt: opt, mux: http.NewServeMux()}
	for path, ask := range questions {
		if tables[path] != "" {
			for end, format := range formats {
				a.mux.HandleFunc("GET /api/v1/"+path+end, func(w http.ResponseWriter, r *http.Request) { a.download(w, r, path, format) })
			}
		}
		a.mux.HandleFunc("GET /api/v1/"+pattern(path), func(w http.ResponseWriter, r *http.Request) {
			if tables[path] != "" {
				w.Header().Add("Vary", "Accept")
				if format, other := wanted(r); other {
					a.download(w, r, path, format)
					return
				}
			}
			p, err := a.scope(r, takes[path]...)
			if err != nil {
				a.fail(w, r, err)
				return
			}
			ctx, cancel := context.WithTimeout(r.Context(), a.opt.Timeout)
			defer cancel()
			answer, err := ask(ctx, a.src, p, r)
			a.answer(w, r, answer, err)
		})
	}
	a.mux.HandleFunc("GET /api/v1/projects", a.listProjects)
	a.serveRules()
	a.serveKeeper()
	a.serveLive()
	a.serveSettings()
	a.serveTables()
	a.serveCare()
	a.serveQuery()
	a.mux.HandleFunc("GET /api/v1/openapi.json", a.describe)
	a.mux.HandleFunc("/api/v1/", a.unknown)
	return a
}

// questions are the routes that take filters, by their path in the description.
var questions = map[string]question{
	"overview": func(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
		return query.Overview(ctx, src, p)
	},
	"tools": func(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
		return query.Tools(ctx, src, p)
	},
	"tools/{tool}": tool,
	"clients": func(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
		return query.Clients(ctx, src, p)
	},
	"clients/versions": asked(query.ClientVersions),
	"insights":         insights,
	"never-called":     asked(query.Never),
	"releases":         asked(query.Releases),
	"servers":          asked(query.Servers),
	"pairs":            asked(query.Pairs),
	"empty":            asked(query.Empties),
	"reported":         asked(query.Reported),
	"unknown-tools":    asked(query.Unknown),
	"errors":           asked(query.Errors),
	"errors/next":      asked(query.AfterErrors),
	"errors/types":     asked(query.ErrorTypes),
	"bad-arguments":    asked(query.Refused),
	"definitions":      asked(query.Definitions),
	"intents/missing":  asked(query.Missing),
	"filters": func(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
		return query.FilterValues(ctx, src, p)
	},
	"calls": func(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
		return query.Calls(ctx, src, p)
	},
	"users":     users,
	"intents":   intents,
	"resources": resources,
	"prompts":   prompts,
	"sessions": func(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
		return query.Sessions(ctx, src, p)
	},
	"sessions/{id}": session,
	"calls/{id}": func(ctx context.Context, src query.Source, p query.Params, r *http.Request) (any, error) {
		return query.Call(ctx, src, p, r.PathValue("id"))
	},
}

// takes are the parameters that a route has beside the filters.
var takes = map[string][]string{
	"calls":         {query.ParamLimit, query.ParamCursor},
	"sessions":      {query.ParamLimit, query.ParamCursor, query.ParamFailed, query.ParamLoops},
	"sessions/{id}": {query.ParamLimit, query.ParamCursor},
	"users":         {query.ParamLimit, query.ParamCursor},
	"intents":       {query.ParamLimit, query.ParamCursor},

	"intents/missing": {query.ParamLimit, query.ParamCursor},
}

func tool(ctx context.Context, src query.Source, p query.Params, r *http.Request) (any, error) {
	name := r.PathValue("tool")
	if name == "" {
		return nil, errNothing
	}
	if len(p.Filter.Tool) > 0 {
		return nil, fault.New(fault.BadRequest, "the tool is named twice, in the path and as a filter", "leave the filter tool out")
	}
	return query.Tool(ctx, src, p, name)
}

func session(ctx context.Context, src query.Source, p query.Params, r *http.Request) (any, error) {
	if len(p.Filter.Session) > 0 {
		return nil, fault.New(fault.BadRequest, "the session is named twice, in the path and as a filter", "leave the filter session out")
	}
	return query.Session(ctx, src, p, r.PathValue("id"))
}

// pattern is the path as the mux matches it: a name may hold slashes, escaped or
// not, so it is the rest of the path.
func pattern(path string) string {
	return strings.NewReplacer("{tool}", "{tool...}", "sessions/{id}", "sessions/{id...}").Replace(path)
}

// Routes are all routes, as "GET /api/v1/tools/{tool}".
func Routes() []string {
	routes := []string{
		"GET /api/v1/projects", "GET /api/v1/openapi.json", "GET /api/v1/live",
		"GET /api/v1/rules", "POST /api/v1/rules", "DELETE /api/v1/rules/{id}",
		"GET /api/v1/settings", "PATCH /api/v1/settings", "POST /api/v1/mutes", "DELETE /api/v1/mutes",
		"GET /api/v1/retention", "PUT /api/v1/retention", "POST /api/v1/erase",
		"GET /api/v1/tables/{table}", "GET /api/v1/query",
		"GET /api/v1/status", "GET /api/v1/set-aside",
		"GET /api/v1/dead-letters", "POST /api/v1/dead-letters/replay", "POST /api/v1/dead-letters/drop",
	}
	for path := range questions {
		routes = append(routes, "GET /api/v1/"+path)
	}
	return routes
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	a.mux.ServeHTTP(w, r)
}

// scope reads the filters, and the parameters that takes names, and finds the
// project that the request may ask about.
func (a *API) scope(r *http.Request, takes ...string) (query.Params, error) {
	grant, err := a.authorize(r)
	if err != nil {
		return query.Params{}, err
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return query.Params{}, fault.Wrap(err, fault.BadRequest, "the query string cannot be read", "escape the values as in a URL")
	}
	list, err := query.TakeList(values, takes...)
	if err != nil {
		return query.Params{}, err
	}
	p, err := query.Parse(values, a.opt.Now())
	if err != nil {
		return query.Params{}, err
	}
	p.List = list
	project, err := a.project(r.Context(), grant, p.Project)
	if err != nil {
		return query.Params{}, err
	}
	p.Project, p.Filter.Project = project.Name, project.ID
	if a.opt.Prefs != nil {
		p.Prefs = a.opt.Prefs(project.ID)
	}
	if a.opt.Dropped != nil {
		p.Dropped = a.opt.Dropped(r.Context(), project.ID)
	}
	if a.opt.Pending != nil {
		if n, known := a.opt.Pending(project.ID); known {
			p.Pending = &n
		}
	}
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
	if others := slices.DeleteFunc(slices.Clone(list), func(p Project) bool { return p.Own }); len(others) > 0 {
		list = others
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
		"name one with project (--project on the command line): "+strings.Join(names, ", "))
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
