package alert

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Book keeps the rules and what is known of them, for all nodes.
type Book interface {
	// Rules are those that people made, with the names of their projects.
	Rules(ctx context.Context) ([]Rule, error)
	// ProjectID is the number of a project; false if there is none of the name.
	ProjectID(name string) (uint32, bool)
	// State is what was saved under the key, and until when it is muted.
	State(ctx context.Context, key string) (body []byte, muted time.Time, err error)
	SaveState(ctx context.Context, key string, body []byte) error
	// Lease reports whether the holder may look until then: no other node may.
	Lease(ctx context.Context, holder string, now, until time.Time) (bool, error)
}

// Options of an Engine.
type Options struct {
	Source query.Source
	// Prefs are a project's, by which the pages show and mute; nil: none has any.
	Prefs func(project uint32) query.Prefs
	Book  Book
	// File are rules that are not in the book.
	File []Rule
	// Address is how people reach the pages; links begin with it.
	Address string
	// Secret signs webhooks; "" leaves them unsigned.
	Secret string
	// SMTP is the mail server: smtp://USER:PASSWORD@HOST:587?from=ADDRESS.
	SMTP string
	// MailRoots replaces the system's certificates for the mail server; nil: they hold.
	MailRoots *x509.CertPool
	// Every is how often it looks; 0 is a minute.
	Every time.Duration
	Log   *slog.Logger // nil is slog.Default
}

// Engine looks at the rules and tells.
type Engine struct {
	opt    Options
	client *http.Client
	smtp   *mailServer
	holder string
}

// New returns an engine that does not look yet.
func New(opt Options) (*Engine, error) {
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.Every <= 0 {
		opt.Every = time.Minute
	}
	smtp, err := parseMail(opt.SMTP)
	if err != nil {
		return nil, err
	}
	return &Engine{opt: opt, smtp: smtp, holder: newID(), client: &http.Client{
		// A webhook that moved says so to a person, not to us: the message stays here.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// Run looks now and then until the context ends.
func (e *Engine) Run(ctx context.Context) {
	every := time.NewTicker(e.opt.Every)
	defer every.Stop()
	for {
		e.Tick(ctx, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// Tick looks once, if this node may.
func (e *Engine) Tick(ctx context.Context, now time.Time) {
	rules, err := e.rules(ctx)
	if err != nil {
		e.opt.Log.ErrorContext(ctx, "cannot read the alerts", "err", err)
		return
	}
	for i := range rules {
		if ctx.Err() != nil || !e.mayLook(ctx, now) {
			return
		}
		if err := e.one(ctx, &rules[i], now); err != nil && ctx.Err() == nil {
			e.opt.Log.ErrorContext(ctx, "cannot look at an alert", "project", rules[i].Project, "alert", rules[i].Name, "err", err)
		}
	}
}

// leaseFor is how long no other node looks; it is renewed with every rule, of which
// none takes longer than its questions and deliveries.
const leaseFor = 5 * time.Minute

func (e *Engine) mayLook(ctx context.Context, now time.Time) bool {
	mine, err := e.opt.Book.Lease(ctx, e.holder, now, now.Add(leaseFor))
	if err != nil && ctx.Err() == nil {
		e.opt.Log.ErrorContext(ctx, "cannot tell which node looks at the alerts", "err", err)
	}
	return err == nil && mine
}

// rules are all that are right and whose project is there. A rule of the file stands
// in place of one of the book that has its name.
func (e *Engine) rules(ctx context.Context) ([]Rule, error) {
	kept, err := e.opt.Book.Rules(ctx)
	if err != nil {
		return nil, err
	}
	var all []Rule
	seen := map[string]bool{}
	for _, r := range append(append([]Rule{}, e.opt.File...), kept...) {
		id, there := e.opt.Book.ProjectID(r.Project)
		if !there {
			continue // it may come yet
		}
		r.numericProject = id
		if err := r.Check(); err != nil {
			e.opt.Log.WarnContext(ctx, "an alert is not looked at", "err", err)
			continue
		}
		if !seen[r.key()] {
			seen[r.key()] = true
			all = append(all, r)
		}
	}
	return all, nil
}

// one looks at one rule, writes down what is known, and delivers what is due.
func (e *Engine) one(ctx context.Context, r *Rule, now time.Time) error {
	body, muted, err := e.opt.Book.State(ctx, r.key())
	if err != nil {
		return err
	}
	var s state
	if len(body) > 0 {
		if err := json.Unmarshal(body, &s); err != nil {
			return fmt.Errorf("cannot read what is known of alert %q: %w", r.Name, err)
		}
	}
	changed, lookErr := e.judge(ctx, r, &s, muted, now)
	if changed {
		// Before anything is sent: a restart in between repeats no incident.
		if err := e.save(ctx, r, &s); err != nil {
			return err
		}
	}
	if e.flush(ctx, &s, now) {
		return e.save(ctx, r, &s)
	}
	return lookErr
}

func (e *Engine) judge(ctx context.Context, r *Rule, s *state, muted, now time.Time) (changed bool, err error) {
	if r.Kind == Digest {
		return e.digest(ctx, r, s, muted, now)
	}
	l, err := e.look(ctx, r, now)
	if err != nil {
		return false, err
	}
	return e.step(r, s, l, muted, now), nil
}

func (e *Engine) save(ctx context.Context, r *Rule, s *state) error {
	body, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("cannot write what is known of alert %q: %w", r.Name, err)
	}
	return e.opt.Book.SaveState(ctx, r.key(), body)
}

// Find returns the rule of a name: of the project, or of the only one that has it.
func (e *Engine) Find(ctx context.Context, project, name string) (*Rule, error) {
	rules, err := e.rules(ctx)
	if err != nil {
		return nil, err
	}
	var names, found []string
	var rule *Rule
	for i := range rules {
		names = append(names, rules[i].Name)
		if rules[i].Name == name && (project == "" || rules[i].Project == project) {
			rule, found = &rules[i], append(found, rules[i].Project)
		}
	}
	switch {
	case len(found) > 1:
		return nil, fault.New(fault.BadRequest, fmt.Sprintf("several projects have an alert %.64q", name), "name one with --project: "+strings.Join(found, ", "))
	case rule == nil:
		hint := "umpire alert list shows them"
		if near := query.Nearest(name, names, 3); len(near) > 0 {
			hint = "the nearest are " + strings.Join(near, ", ")
		}
		return nil, fault.New(fault.NotFound, fmt.Sprintf("there is no alert %.64q", name), hint)
	}
	return rule, nil
}

// Test sends a message of the rule's figures as they are now to each of its places,
// and tells what became of each, "" for good.
func (e *Engine) Test(ctx context.Context, project, name string) (map[string]string, error) {
	r, err := e.Find(ctx, project, name)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	s := &state{Incident: newID()}
	var m Message
	if r.Kind == Digest {
		m, err = e.digestOf(ctx, r, now)
		m.ID, m.Title = s.Incident+"-"+test, "Test: "+m.Title
	} else {
		var l look
		l, err = e.look(ctx, r, now)
		m = e.message(r, s, test, l, now)
	}
	if err != nil {
		return nil, err
	}
	results := map[string]string{}
	for _, to := range r.To {
		results[hidden(to)] = ""
		if err := e.deliver(ctx, to, m, now); err != nil {
			results[hidden(to)] = err.Error()
		}
	}
	return results, nil
}

// Key is under what is known of the rule is kept, to mute it.
func (r *Rule) Key() string { return r.key() }

// OfFile reports whether the rule stands in the file.
func (r *Rule) OfFile() bool { return r.fromFile }

// All are the rules as they are looked at.
func (e *Engine) All(ctx context.Context) ([]Rule, error) { return e.rules(ctx) }
