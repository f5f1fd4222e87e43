package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Project is what the pages know of a project.
type Project struct {
	ID   uint32
	Name string
	// Demo marks made-up data.
	Demo bool
}

// Projects knows the projects. ByName answers a fault.NotFound for a name that
// no project has.
type Projects interface {
	List(ctx context.Context) ([]Project, error)
	ByName(ctx context.Context, name string) (Project, error)
}

// Options are what the pages can be told. The zero value is fine.
type Options struct {
	// Gate lets people in; nil lets in everybody, for a server that is behind
	// something that does.
	Gate *auth.Gate
	// PublicURL is how people and servers reach Umpire; nil takes the address of
	// each request.
	PublicURL *url.URL
	// Pending tells how many calls the project's senders hold open, if any says;
	// nil knows of none.
	Pending func(project uint32) (calls int64, known bool)
	// Dropped tells how many events the project's senders dropped; nil: not known.
	Dropped func(ctx context.Context, project uint32) int64
	// Prefs are a project's; nil: none has any.
	Prefs func(project uint32) query.Prefs
	// Settings lets the administrator change a project; nil: nobody changes anything
	// through the pages.
	Settings Settings
	// Alerts are on the page of the settings; nil: they are not.
	Alerts Alerts
	// DataDir is named in the commands that a new install shows, if set.
	DataDir string
	// Version stands in the foot of the pages.
	Version string
	// PanelTimeout bounds each question of a page; 0 is 2 seconds.
	PanelTimeout time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log is told why a panel or a page failed; nil is slog.Default.
	Log *slog.Logger
}

// site is the dashboard.
type site struct {
	src      query.Source
	projects Projects
	opt      Options
	base     string // path prefix of every link, without a slash at the end
	assets   *assets
	cross    *http.CrossOriginProtection // of forms, also where no gate is
	pages    map[string]*page
}

// New returns the handler of all pages: / and /p/…, /static/…, /login, /logout.
// Behind a public URL with a path it answers with and without that path.
func New(src query.Source, projects Projects, opt Options) (http.Handler, error) {
	if src == nil || projects == nil {
		return nil, errors.New("cannot serve pages without a source and projects")
	}
	s := &site{src: src, projects: projects, opt: opt, cross: http.NewCrossOriginProtection()}
	if opt.PublicURL != nil {
		s.base = strings.TrimRight(opt.PublicURL.EscapedPath(), "/")
	}
	if s.opt.Now == nil {
		s.opt.Now = time.Now
	}
	if s.opt.PanelTimeout == 0 {
		s.opt.PanelTimeout = 2 * time.Second
	}
	if s.opt.Log == nil {
		s.opt.Log = slog.Default()
	}
	var err error
	if s.assets, err = loadAssets(); err != nil {
		return nil, fmt.Errorf("cannot load the static files: %w", err)
	}
	if s.pages, err = s.parsePages(); err != nil {
		return nil, fmt.Errorf("cannot parse the templates: %w", err)
	}
	return s.routes(), nil
}

func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	page := func(pattern string, show func(http.ResponseWriter, *http.Request) error) {
		mux.Handle("GET "+pattern, s.signedIn(s.show(show)))
	}
	page("/{$}", s.home)
	for _, p := range s.menu() {
		if p.path == "" {
			p.path = "{$}"
		}
		page("/p/{project}/"+p.path, p.show)
	}
	page("/p/{project}/tools/{tool...}", s.tool)
	page("/p/{project}/calls/{id}", s.call)
	page("/p/{project}/sessions/{id...}", s.session)
	page("/docs/{page...}", s.docs)
	page("/", func(http.ResponseWriter, *http.Request) error { return errNoPage })
	mux.Handle("POST /p/{project}/settings/{what}", s.signedIn(s.show(s.change)))
	mux.Handle("GET /static/{file}", s.show(s.static))
	s.loginRoutes(mux)
	h := secure(mux)
	if s.opt.Gate != nil {
		h = s.opt.Gate.Identify(h)
	}
	if s.base == "" {
		return h
	}
	return withoutPrefix(s.base, h)
}

var errNoPage = fault.New(fault.NotFound, "there is no page at this address", "go to the start page and pick a project")

// signedIn sends whoever has no grant to the login page.
func (s *site) signedIn(next http.Handler) http.Handler {
	if s.opt.Gate == nil {
		return next
	}
	return s.opt.Gate.Require(next, s.refuse)
}

// show turns a page that returns an error into a handler: the error becomes a
// page of its own.
func (s *site) show(f func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		w := &pageWriter{ResponseWriter: to}
		defer func() {
			if v := recover(); v != nil {
				if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(v)
				}
				s.fail(w, r, fmt.Errorf("cannot show %q: panic: %v", r.URL.Path, v))
			}
		}()
		if err := f(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// policy is the pages' Content-Security-Policy: nothing but our own files, no
// frame around us, no form to elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// secure sets the headers that every answer carries.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// withoutPrefix strips base where a proxy left it on.
func withoutPrefix(base string, next http.Handler) http.Handler {
	strip := http.StripPrefix(base, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.EscapedPath(), base+"/") {
			strip.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
