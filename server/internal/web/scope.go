package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// filterNames are the filters of every question, in the order of their chips.
// They live in the URL and go along from page to page.
var filterNames = []string{
	"tool", "client", "client_version", "platform", "server", "version", "env", "outcome", "slice", "cause",
	"error_type", "error_status", "error_class", "new_since", "fingerprint", "empty_rule", "mark", "session", "user",
}

// rangeNames say when; a page has either last or from and to.
var rangeNames = []string{"last", "from", "to", "granularity"}

// pageNames belong to one page and do not go along.
var pageNames = []string{"done", "sort", "clients_sort", "page", query.ParamCursor, query.ParamFailed, query.ParamLoops}

// scope is what a page is asked about.
type scope struct {
	site    *site
	project Project
	// path is the page's own path, without the prefix of the public URL.
	path   string
	values url.Values // filters and range, none empty
	local  url.Values // pageNames
	params query.Params
	done   string // what was just changed, in words
	tool   string // that the page is about, if it is about one
	finer  string // the granularity that was asked for, where a page cannot draw so many steps
}

// scope reads the project and the filters of a request. A URL that says the same
// as a shorter one (empty fields of the form; last beside from and to) is sent
// there, so that what is shared is short: then the scope is nil.
func (s *site) scope(w http.ResponseWriter, r *http.Request, drop ...string) (*scope, error) {
	project, err := s.projects.ByName(r.Context(), r.PathValue("project"))
	if err != nil {
		return nil, err
	}
	raw, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.Wrap(err, fault.BadRequest, "the address of this page cannot be read", "remove what follows the question mark")
	}
	sc := &scope{site: s, project: project, path: r.URL.EscapedPath(), values: url.Values{}, local: url.Values{}}
	short := tidy(raw, drop)
	if len(short) != len(raw) || short.Encode() != raw.Encode() {
		http.Redirect(w, r, s.href(sc.path, short), http.StatusSeeOther)
		return nil, nil
	}
	asked := url.Values{}
	for name, list := range raw {
		switch {
		case slices.Contains(pageNames, name):
			sc.local[name] = list
		default:
			asked[name] = list
			if slices.Contains(filterNames, name) || slices.Contains(rangeNames, name) {
				sc.values[name] = list
			}
		}
	}
	sc.tool = r.PathValue("tool")
	sc.done = doneWords[sc.local.Get("done")]
	sc.local.Del("done") // no link says it again
	if sc.params, err = query.Parse(asked, s.opt.Now()); err != nil {
		return nil, err
	}
	if sc.params.List, err = query.TakeList(maps.Clone(sc.local), query.ParamCursor, query.ParamFailed, query.ParamLoops); err != nil {
		return nil, err
	}
	sc.params, sc.finer = sc.params.Coarser(barsMax)
	sc.params.Project, sc.params.Filter.Project = project.Name, project.ID
	if s.opt.Prefs != nil {
		sc.params.Prefs = s.opt.Prefs(project.ID)
	}
	if s.opt.Dropped != nil {
		sc.params.Dropped = s.opt.Dropped(r.Context(), project.ID)
	}
	if s.opt.Pending != nil {
		if n, known := s.opt.Pending(project.ID); known {
			sc.params.Pending = &n
		}
	}
	return sc, nil
}

// tidy leaves out empty values, twins, what the page does not take, and from and
// to beside last.
func tidy(raw url.Values, drop []string) url.Values {
	out := url.Values{}
	for name, list := range raw {
		if slices.Contains(drop, name) {
			continue
		}
		for _, v := range list {
			if v != "" && !slices.Contains(out[name], v) {
				out.Add(name, v)
			}
		}
	}
	if out.Has("last") {
		out.Del("from")
		out.Del("to")
	}
	return out
}

// href is a link within the dashboard.
func (s *site) href(path string, values url.Values) string {
	u := s.base + path
	if len(values) > 0 {
		u += "?" + values.Encode()
	}
	return u
}

// link leads to a path under the same filters, changed by pairs of name and
// value; an empty value takes the filter off.
func (sc *scope) link(path string, changes ...string) string {
	values := url.Values{}
	for name, list := range sc.values {
		values[name] = list
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			values.Del(changes[i])
		} else {
			values.Set(changes[i], changes[i+1])
		}
	}
	return sc.site.href(path, values)
}

// callsLink leads to the calls that the page's figures count, narrowed by changes.
func (sc *scope) callsLink(changes ...string) string {
	if sc.tool != "" {
		changes = append([]string{"tool", sc.tool}, changes...)
	}
	return sc.link(sc.projectPath()+"calls", changes...)
}

// here is link to the same page.
func (sc *scope) here(changes ...string) string { return sc.link(sc.path, changes...) }

func (sc *scope) projectPath() string { return "/p/" + url.PathEscape(sc.project.Name) + "/" }

// toolLink leads to a tool's page. A name that no path can hold ("", "." and
// "..") is looked at on the overview.
func (sc *scope) toolLink(tool string, changes ...string) string {
	if strings.Trim(tool, ".") == "" && len(tool) <= 2 {
		return sc.link(sc.projectPath(), append([]string{"tool", tool}, changes...)...)
	}
	return sc.link(sc.projectPath()+"tools/"+url.PathEscape(tool), append([]string{"tool", ""}, changes...)...)
}

// everything is the scope's range without its filters: what the filters can be
// set to.
func (sc *scope) everything() query.Params {
	p := sc.params
	f := p.Filter
	p.Filter = store.Filter{Project: f.Project, From: f.From, To: f.To, Now: f.Now}
	return p
}
