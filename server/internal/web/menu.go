package web

import (
	"net/http"
	"slices"
)

// The groups of the menu. The pages of the first stand in the head of every page
// where there is room; the others, and on a narrow screen all, are in a list that
// opens.
const (
	menuMain     = "Calls"
	menuProblems = "Problems"
	menuTraffic  = "Traffic"
	menuProject  = "Project"
)

var menuGroups = []string{menuMain, menuProblems, menuTraffic, menuProject}

// menuPage is a page of a project that the menu leads to.
type menuPage struct {
	group, text string
	path        string // below the project's; empty is the overview
	show        func(http.ResponseWriter, *http.Request) error
	unfiltered  bool // the filters in force do not go along
}

// menu is the one list of a project's pages: each line is a page's place in the
// menu and its route. A group shows its pages in the order of their lines; a page
// that is part of another one (a tool, a session) has its route in routes.
func (s *site) menu() []menuPage {
	return []menuPage{
		{group: menuMain, text: "Overview", path: "", show: s.overview},
		{group: menuMain, text: "Tools", path: "tools", show: s.tools},
		{group: menuMain, text: "Clients", path: "clients", show: s.clients},
		{group: menuMain, text: "Sessions", path: "sessions", show: s.sessions},
		{group: menuMain, text: "Errors", path: "errors", show: s.errors},
		{group: menuProblems, text: "Empty", path: "empty", show: s.empties},
		{group: menuProblems, text: "Reported as success", path: "reported", show: s.reported},
		{group: menuProblems, text: "Unknown tools", path: "unknown-tools", show: s.unknownTools},
		{group: menuProblems, text: "Never called", path: "never-called", show: s.neverCalled},
		{group: menuProject, text: "Releases", path: "releases", show: s.releases},
		{group: menuProject, text: "Settings", path: "settings", show: s.settings, unfiltered: true},
		{group: menuTraffic, text: "Live", path: "live", show: s.live},
		{group: menuMain, text: "Calls", path: "calls", show: s.calls},
		{group: menuTraffic, text: "Users", path: "users", show: s.users},
		{group: menuTraffic, text: "Intents", path: "intents", show: s.intents},
		{group: menuTraffic, text: "Resources", path: "resources", show: s.resources},
	}
}

// menuView is the menu as a page shows it.
type menuView struct {
	Main []navItem
	// All are all groups that have pages, the first included.
	All []menuGroup
	// Here names the page that is shown, More what the closed list is called: the
	// page in it, if one is shown.
	Here, More string
}

type menuGroup struct {
	Name  string
	Main  bool
	Items []navItem
}

// menuView marks the page whose path is current.
func (sc *scope) menuView(current string) menuView {
	v := menuView{Here: "Menu", More: "More"}
	pages := sc.site.menu()
	for _, name := range menuGroups {
		group := menuGroup{Name: name, Main: name == menuMain}
		for _, p := range pages {
			if p.group != name || p.path == "settings" && sc.site.opt.Settings == nil {
				continue
			}
			path := sc.projectPath() + p.path
			item := navItem{Text: p.text, Href: sc.link(path), Current: path == current}
			if p.unfiltered {
				item.Href = sc.site.href(path, nil)
			}
			if item.Current {
				v.Here = p.text
				if !group.Main {
					v.More = p.text
				}
			}
			group.Items = append(group.Items, item)
		}
		if len(group.Items) > 0 {
			v.All = append(v.All, group)
		}
		if group.Main {
			v.Main = slices.Clone(group.Items)
		}
	}
	return v
}

// Several reports whether there is more than the head can show.
func (v menuView) Several() bool { return len(v.All) > 1 }
