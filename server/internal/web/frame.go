package web

import (
	"context"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// frame is what every page has around its content.
type frame struct {
	Title   string
	Home    string
	Project *Project
	Menu    menuView
	Filters *filterForm
	Chips   []chip
	// Login is set on the login page, SignOut where somebody is signed in.
	SignOut bool
	Version string
}

type navItem struct {
	Text, Href string
	Current    bool
}

// filterForm is the form in the head of a page. Tools or Clients is nil where
// the page does not take that filter.
type filterForm struct {
	Action        string
	Hidden        []pair
	Ranges        []choice
	Tools         []choice
	Clients       []choice
	ToolsOpen     bool
	ClientsFailed bool
}

type pair struct{ Name, Value string }

type choice struct {
	Value, Text string
	Selected    bool
}

// chip is a filter in force, with the link that takes it off.
type chip struct {
	Name, Value, Remove string
}

const (
	choicesMax = 100 // options of a select, the most called first
	choiceText = 60  // characters of an option that are shown
)

var ranges = []choice{
	{Value: "24h", Text: "Last 24 hours"},
	{Value: "7d", Text: "Last 7 days"},
	{Value: "14d", Text: "Last 14 days"},
	{Value: "30d", Text: "Last 30 days"},
	{Value: "90d", Text: "Last 90 days"},
}

// frame builds the head of a project's page. current is the page's path.
func (sc *scope) frame(ctx context.Context, title, current string, facets answer[query.FacetsAnswer]) frame {
	project := sc.project
	f := frame{Title: sc.title(title), Project: &project, Home: sc.site.base + "/", Version: sc.site.opt.Version}
	if grant, ok := auth.Granted(ctx); ok {
		f.SignOut = grant.SignedIn
	}
	f.Menu = sc.menuView(current)
	f.Filters = sc.form(facets)
	f.Chips = sc.chips()
	return f
}

func (sc *scope) title(page string) string { return page + " · " + sc.project.Name }

func (sc *scope) form(facets answer[query.FacetsAnswer]) *filterForm {
	form := &filterForm{Action: sc.site.base + sc.path}
	form.Ranges = sc.rangeChoices()
	form.Clients = sc.choices("client", "All clients", facets.Value.Clients)
	visible := []string{"last", "client"}
	if !sc.isToolPage() {
		form.Tools = sc.choices("tool", "All tools", facets.Value.Tools)
		visible = append(visible, "tool")
	}
	for _, name := range append(slices.Clone(rangeNames), filterNames...) {
		list := sc.values[name]
		if slices.Contains(visible, name) && len(list) < 2 {
			continue // the select carries it
		}
		for _, v := range list {
			form.Hidden = append(form.Hidden, pair{name, v})
		}
	}
	for name, list := range sc.local {
		if name != "page" && name != query.ParamCursor {
			form.Hidden = append(form.Hidden, pair{name, list[0]})
		}
	}
	slices.SortStableFunc(form.Hidden, func(a, b pair) int { return strings.Compare(a.Name, b.Name) })
	return form
}

// isToolPage: the page is about one tool, which its path names.
func (sc *scope) isToolPage() bool { return strings.HasPrefix(sc.path, sc.projectPath()+"tools/") }

func (sc *scope) rangeChoices() []choice {
	out := slices.Clone(ranges)
	found := false
	for i := range out {
		out[i].Selected = out[i].Value == sc.params.Last
		found = found || out[i].Selected
	}
	switch {
	case found:
	case sc.params.Last != "":
		out = append(out, choice{Value: sc.params.Last, Text: "Last " + sc.params.Last, Selected: true})
	default:
		out = append([]choice{{Text: "Custom", Selected: true}}, out...)
	}
	return out
}

// choices are the options of a select: all, what is selected, and what occurs.
func (sc *scope) choices(name, all string, values []string) []choice {
	selected := sc.values[name]
	out := []choice{{Text: all, Selected: len(selected) == 0}}
	if len(selected) > 1 {
		out[0] = choice{Text: "Several", Selected: true}
		selected = nil
	}
	values = slices.Clone(values)
	if len(values) > choicesMax {
		values = values[:choicesMax]
	}
	for _, v := range selected {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	for _, v := range values {
		if v == "" {
			continue // the form cannot say it
		}
		out = append(out, choice{Value: v, Text: clip(v, choiceText), Selected: slices.Contains(selected, v)})
	}
	return out
}

// chips are the filters in force, each with a link that takes it off.
func (sc *scope) chips() []chip {
	var out []chip
	if sc.params.Last == "" && sc.values.Has("from") {
		out = append(out, chip{"range", rangeText(sc.params.Filter.From, sc.params.Filter.To), sc.here("from", "", "to", "", "granularity", "")})
	}
	for _, name := range filterNames {
		for _, v := range sc.values[name] {
			out = append(out, chip{filterWord(name), clip(filterValue(name, v), 200), sc.without(name, v)})
		}
	}
	return out
}

// without takes one value of a filter off.
func (sc *scope) without(name, value string) string {
	rest := *sc
	rest.values = map[string][]string{}
	for n, list := range sc.values {
		if n == name {
			list = slices.DeleteFunc(slices.Clone(list), func(v string) bool { return v == value })
		}
		if len(list) > 0 {
			rest.values[n] = list
		}
	}
	return rest.here()
}

// clip cuts a text for show; what is cut stays in the value or the title.
func clip(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}
