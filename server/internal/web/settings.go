package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Settings is what the administrator can change of a project. Its errors are faults;
// nobody else sees the page.
type Settings interface {
	Keys(project uint32) []KeyInfo
	// AddKey makes a key and returns it; it is shown once. A foreign key is given.
	AddKey(ctx context.Context, project uint32, kind, name, foreign string) (string, error)
	// RotateKey makes a new key in place of one that works for the grace beside it.
	RotateKey(ctx context.Context, project uint32, id int64, grace time.Duration) (string, error)
	RevokeKey(ctx context.Context, project uint32, id int64) error
	Rename(ctx context.Context, project uint32, name string) error
	// Delete removes the project with its keys and everything stored under it.
	Delete(ctx context.Context, project uint32) error
	// Retention is in days, 0 for ever.
	Retention(project uint32) (raw, rollups int)
	SetRetention(ctx context.Context, project uint32, raw, rollups int) error
	// SetPrice is of a million tokens, in US dollars; 0 is none.
	SetPrice(ctx context.Context, project uint32, usd float64) error
	Mute(ctx context.Context, project uint32, m query.Mute, on bool) error
	Rules(project uint32) []RuleInfo
	AddRule(ctx context.Context, project uint32, tool, mark string) error
	DeleteRule(ctx context.Context, project uint32, id int64) error
	Health() Health
}

// KeyInfo is a key without its secret.
type KeyInfo struct {
	ID                      int64
	Name, Kind, Prefix      string
	CreatedAt               time.Time
	LastUsed, Ends, Revoked *time.Time
	Works                   bool
}

// RuleInfo is what somebody decided about later calls (outcomes.md 4, 2.6).
type RuleInfo struct {
	ID                 int64
	Tool, Server, Mark string
	Code               int64
	CreatedAt          time.Time
}

// Health is how far what is stored is behind what was acknowledged.
type Health struct {
	LagEvents   int
	LagAge      time.Duration
	DeadLetters int64
	LogBytes    int64
	Damage      int64
	// Problem is why nothing can be taken or stored now; empty while all is well.
	Problem string
	// Elsewhere: this node stores nothing, others do.
	Elsewhere bool
}

// settingsView is the page /p/{project}/settings.
type settingsView struct {
	frame
	Action, Done  string
	NewKey        string // shown this once
	NewKeyIs      string
	Keys          []keyRow
	Waiting       bool // no key was ever used to send
	LastEvent     *time.Time
	Snippets      []snippet
	Price         string
	Raw, Rollups  string
	Rules         []ruleRow
	Muted         []muteRow
	Health        []healthRow
	Problem       string
	RawChoices    []choice
	RollupChoices []choice
	Alerts        alertsView
}

type keyRow struct {
	ID                   int64
	Name, Kind, Prefix   string
	CreatedAt            time.Time
	LastUsed             *time.Time
	State                string
	Ends                 *time.Time
	Works, Foreign, Unus bool
}

type ruleRow struct {
	ID        int64
	Text      string
	CreatedAt time.Time
}

type muteRow struct{ Tool, Rule, RuleText string }

type healthRow struct {
	Name, Value, Note string
	Bad               bool
}

var keyKinds = map[string]string{"write": "sends events", "read": "reads figures", "foreign": "another vendor's"}

func (s *site) settings(w http.ResponseWriter, r *http.Request) error {
	if s.opt.Settings == nil {
		return errNoPage
	}
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	return s.render(w, http.StatusOK, "settings", s.settingsView(r, sc))
}

func (s *site) settingsView(r *http.Request, sc *scope) settingsView {
	id := sc.project.ID
	v := settingsView{
		frame: sc.frame(r.Context(), "Settings", sc.projectPath()+"settings", answer[query.FacetsAnswer]{}), Done: sc.done,
		Action: s.href(sc.projectPath()+"settings/", nil), Waiting: true,
	}
	v.Filters, v.Chips = nil, nil
	for _, k := range s.opt.Settings.Keys(id) {
		v.Keys = append(v.Keys, keyRowOf(k))
		if k.Kind != "read" && k.LastUsed != nil {
			v.Waiting = false
			if v.LastEvent == nil || k.LastUsed.After(*v.LastEvent) {
				v.LastEvent = k.LastUsed
			}
		}
	}
	v.Snippets = s.snippets(r, sc.project.Name)
	if p := sc.params.Prefs.PricePerMillion; p != nil {
		v.Price = strconv.FormatFloat(*p, 'f', -1, 64)
	}
	raw, rollups := s.opt.Settings.Retention(id)
	v.RawChoices, v.RollupChoices = dayChoices(raw, 7, 14, 30, 90, 180, 365), dayChoices(rollups, 90, 365, 730, 1825)
	for _, rule := range s.opt.Settings.Rules(id) {
		v.Rules = append(v.Rules, ruleRow{rule.ID, ruleText(rule), rule.CreatedAt})
	}
	for _, m := range sc.params.Prefs.Muted {
		row := muteRow{Tool: m.Tool, Rule: m.Rule, RuleText: "all of its empty answers"}
		if m.Rule != "" {
			row.RuleText = format.EmptyRule(m.Rule)
		}
		v.Muted = append(v.Muted, row)
	}
	v.Alerts = s.alertsView(r.Context(), sc.project.Name)
	h := s.opt.Settings.Health()
	v.Health, v.Problem = healthRows(h), h.Problem
	return v
}

func keyRowOf(k KeyInfo) keyRow {
	row := keyRow{
		ID: k.ID, Name: k.Name, Kind: keyKinds[k.Kind], Prefix: k.Prefix + "…", CreatedAt: k.CreatedAt, LastUsed: k.LastUsed,
		State: "in force", Works: k.Works, Foreign: k.Kind == "foreign",
	}
	switch {
	case k.Revoked != nil:
		row.State = "revoked"
	case k.Ends != nil && !k.Works:
		row.State = "ended"
	case k.Ends != nil:
		row.State, row.Ends = "replaced, works until", k.Ends
	}
	return row
}

func ruleText(r RuleInfo) string {
	what := fmt.Sprintf("JSON-RPC code %d is a refusal", r.Code)
	if r.Mark != "" {
		what = format.Suspect(r.Mark) + " (" + r.Mark + ")"
	}
	switch {
	case r.Tool != "":
		what = r.Tool + ": " + what
	case r.Server != "":
		what = r.Server + ": " + what
	}
	return what
}

// dayChoices are the options of a retention; 0 is for ever.
func dayChoices(now int, days ...int) []choice {
	out := make([]choice, 0, len(days)+2)
	found := now == 0
	for _, d := range days {
		out = append(out, choice{Value: strconv.Itoa(d), Text: format.Plural(int64(d), "day"), Selected: d == now})
		found = found || d == now
	}
	if !found {
		out = append(out, choice{Value: strconv.Itoa(now), Text: format.Plural(int64(now), "day"), Selected: true})
	}
	return append(out, choice{Value: "0", Text: "For ever", Selected: now == 0})
}

func healthRows(h Health) []healthRow {
	if h.Elsewhere {
		return []healthRow{{Name: "Storage", Value: "other nodes take and store the events", Note: "umpire doctor on each of them says how they are"}}
	}
	behind := healthRow{Name: "Waiting to be stored", Value: format.Plural(int64(h.LagEvents), "event")}
	if h.LagEvents > 0 {
		behind.Note = "the oldest for " + format.Duration(h.LagAge.Microseconds()) + "; they are on disk, and in the figures a little later"
		behind.Bad = h.LagAge > time.Minute
	}
	dead := healthRow{Name: "Dead letters", Value: format.Plural(h.DeadLetters, "event"), Bad: h.DeadLetters > 0}
	if h.DeadLetters > 0 {
		dead.Note = "the store refused them since the start; umpire doctor says why, and what to do"
	}
	damage := healthRow{Name: "Damaged places of the log", Value: format.Count(h.Damage), Bad: h.Damage > 0}
	return []healthRow{behind, dead, {Name: "Log on disk", Value: format.Bytes(h.LogBytes)}, damage}
}

// doneWords are what the page says after a change, by the parameter done.
var doneWords = map[string]string{
	"revoked": "The key is revoked: it works no more.", "renamed": "The project has a new name.", "kept": "What is kept has changed. It is applied once a day and when the server starts; until then it can be taken back.",
	"price": "The price is set.", "muted": "Muted: these empty answers are no insight any more.", "unmuted": "These empty answers are looked at again.",
	"rule": "The rule is made: later calls with this mark are tool errors.", "unruled": "The rule is gone. What was judged by it stays so.",
	"alert": "The alert is made. It looks once a minute.", "unalert": "The alert is gone, with what was known of it.",
	"alert-off": "Muted: the alert looks on, and tells nobody until then.", "alert-on": "The alert tells again.",
}

// change carries out one form of the settings.
func (s *site) change(w http.ResponseWriter, r *http.Request) error {
	if s.opt.Settings == nil {
		return errNoPage
	}
	if err := s.cross.Check(r); err != nil {
		return fault.Wrap(err, fault.Forbidden, "the form was sent by a page of another site", "open Umpire in a tab of its own")
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if err := r.ParseForm(); err != nil {
		return fault.Wrap(err, fault.BadRequest, "the form could not be read", "send it again")
	}
	project, err := s.projects.ByName(r.Context(), r.PathValue("project"))
	if err != nil {
		return err
	}
	what := r.PathValue("what")
	do, known := changes[what]
	if !known {
		return errNoPage
	}
	next, err := do(s, w, r, project)
	if err != nil {
		return err
	}
	// Who did it and what, and nothing that opens anything.
	s.opt.Log.InfoContext(r.Context(), "settings changed", "project", project.Name, "what", what, "remote", r.RemoteAddr)
	if next != "" {
		http.Redirect(w, r, next, http.StatusSeeOther)
	}
	return nil
}

// settingsAt is the address of a project's settings, saying what was done.
func (s *site) settingsAt(project, done string) string {
	sc := scope{site: s, project: Project{Name: project}}
	return s.href(sc.projectPath()+"settings", map[string][]string{"done": {done}})
}

// typed is the one number of a field.
func typed(r *http.Request, field string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(r.PostForm.Get(field)))
	if err != nil {
		return 0, fault.New(fault.BadRequest, field+" is no whole number", "go back and pick one")
	}
	return n, nil
}
