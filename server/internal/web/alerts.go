package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

// Alerts is what the administrator can see and change of a project's alerts
// (docs/alerts.md). Its errors are faults.
type Alerts interface {
	Alerts(ctx context.Context, project string) ([]AlertInfo, error)
	// AddAlert makes an alert, or changes the one of its name.
	AddAlert(ctx context.Context, project string, a AlertAsked) error
	DeleteAlert(ctx context.Context, project, name string) error
	// MuteAlert keeps an alert silent until then; the zero time ends it.
	MuteAlert(ctx context.Context, project, name string, until time.Time) error
	// TestAlert tells each place now, and says what became of each: "" for good.
	TestAlert(ctx context.Context, project, name string) (map[string]string, error)
}

// AlertInfo is an alert without what is secret in its places.
type AlertInfo struct {
	AlertAsked
	OfFile       bool       // of serve --alerts: it is not changed here
	Since, Muted *time.Time // it fires since; it is silent until
}

// AlertAsked is an alert as people say it.
type AlertAsked struct {
	Name, Kind, Slice, Limit, Window string
	Tool, Client, Server, Env        string
	MinCalls                         int64
	To                               []string
}

type alertRow struct {
	Name, Watches, State string
	At                   *time.Time // of the state
	To                   []string
	OfFile, Fires, Muted bool
}

type alertsView struct {
	Shown  bool
	Failed string // the list could not be read
	Docs   string
	Rows   []alertRow
	Kinds  []choice
	Slices []choice
	Tested string // the alert that was tested now
	Told   []alertTold
}

type alertTold struct{ Place, What string }

// alertKinds are what an alert can watch, in the order of the form.
var alertKinds = []choice{
	{Value: "error_rate", Text: "error rate"},
	{Value: "crash", Text: "crashes"},
	{Value: "new_error", Text: "a new kind of failure"},
	{Value: "empty_rate", Text: "empty rate"},
	{Value: "slice", Text: "share of one slice"},
	{Value: "p95", Text: "p95 of the duration"},
	{Value: "first_call_success", Text: "first-call success, below"},
	{Value: "silence", Text: "silence"},
	{Value: "digest", Text: "digest of the week"},
}

func (s *site) alertsView(ctx context.Context, project string) alertsView {
	if s.opt.Alerts == nil {
		return alertsView{}
	}
	v := alertsView{Shown: true, Kinds: alertKinds, Docs: s.base + "/docs/alerts"}
	for _, name := range []string{"bad_args", "tool_error", "crashed", "empty", "ok"} {
		v.Slices = append(v.Slices, choice{Value: name, Text: strings.ToLower(format.Slice(umpire.Slice(name)))})
	}
	list, err := s.opt.Alerts.Alerts(ctx, project)
	if err != nil {
		v.Failed = fault.From(err).Message
		return v
	}
	for _, a := range list {
		v.Rows = append(v.Rows, alertRowOf(a))
	}
	return v
}

func alertRowOf(a AlertInfo) alertRow {
	row := alertRow{Name: a.Name, To: a.To, OfFile: a.OfFile, Fires: a.Since != nil, Muted: a.Muted != nil, State: "fine", Watches: watches(a.AlertAsked)}
	switch {
	case a.Muted != nil:
		row.State, row.At = "muted until", a.Muted
	case a.Since != nil:
		row.State, row.At = "fires since", a.Since
	}
	return row
}

// watches says what the alert looks at, in words.
func watches(a AlertAsked) string {
	what := a.Kind
	if i := slices.IndexFunc(alertKinds, func(c choice) bool { return c.Value == a.Kind }); i >= 0 {
		what = strings.TrimSuffix(alertKinds[i].Text, ", below")
	}
	if a.Kind == "slice" {
		what = "share of " + strings.ToLower(format.Slice(umpire.Slice(a.Slice)))
	}
	switch {
	case a.Kind == "first_call_success":
		what += " below " + a.Limit
	case a.Limit != "":
		what += " above " + a.Limit
	}
	if a.Kind == "digest" {
		return what
	}
	what += " in " + a.Window
	for _, f := range []struct{ of, name string }{{"tool", a.Tool}, {"client", a.Client}, {"server", a.Server}, {"environment", a.Env}} {
		if f.name != "" {
			what += ", " + f.of + " " + f.name
		}
	}
	if a.Kind == "crash" || a.Kind == "new_error" {
		return what
	}
	return what + ", from " + format.Plural(a.MinCalls, "call")
}

func addAlert(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	field := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	a := AlertAsked{
		Name: field("name"), Kind: field("kind"), Limit: field("limit"), Window: field("window"),
		Tool: field("tool"), Client: field("client"), Server: field("server"), Env: field("env"), To: strings.Fields(field("to")),
	}
	if a.Kind == "slice" {
		a.Slice = field("slice")
	}
	if field("min_calls") != "" {
		n, err := typed(r, "min_calls")
		if err != nil {
			return "", err
		}
		a.MinCalls = int64(n)
	}
	return s.settingsAt(p.Name, "alert"), s.opt.Alerts.AddAlert(r.Context(), p.Name, a)
}

func deleteAlert(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	return s.settingsAt(p.Name, "unalert"), s.opt.Alerts.DeleteAlert(r.Context(), p.Name, r.PostForm.Get("name"))
}

func muteAlert(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	hours, err := typed(r, "hours")
	if err != nil {
		return "", err
	}
	if hours <= 0 {
		return s.settingsAt(p.Name, "alert-on"), s.opt.Alerts.MuteAlert(r.Context(), p.Name, r.PostForm.Get("name"), time.Time{})
	}
	until := time.Now().Add(time.Duration(min(hours, 24*365)) * time.Hour).UTC()
	return s.settingsAt(p.Name, "alert-off"), s.opt.Alerts.MuteAlert(r.Context(), p.Name, r.PostForm.Get("name"), until)
}

// testAlert answers with the settings and what became of each place.
func testAlert(s *site, w http.ResponseWriter, r *http.Request, p Project) (string, error) {
	name := r.PostForm.Get("name")
	told, err := s.opt.Alerts.TestAlert(r.Context(), p.Name, name)
	if err != nil {
		return "", err
	}
	v := s.settingsOf(r, p)
	v.Alerts.Tested = name
	for place, what := range told {
		if what == "" {
			what = "told"
		}
		v.Alerts.Told = append(v.Alerts.Told, alertTold{place, what})
	}
	slices.SortFunc(v.Alerts.Told, func(a, b alertTold) int { return strings.Compare(a.Place, b.Place) })
	return "", s.render(w, http.StatusOK, "settings", v)
}

// ofAlerts is a form that needs them.
func ofAlerts(do changeForm) changeForm {
	return func(s *site, w http.ResponseWriter, r *http.Request, p Project) (string, error) {
		if s.opt.Alerts == nil {
			return "", errNoPage
		}
		return do(s, w, r, p)
	}
}
