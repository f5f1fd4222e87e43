package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/alert"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

// alertFlags are what alerts need beside their rules. What is secret comes from the
// environment alone.
type alertFlags struct {
	Alerts string `help:"File of alerts (YAML), beside those that umpire alert add makes. UMPIRE_ALERT_SECRET signs webhooks, UMPIRE_SMTP names a mail server (docs/alerts.md)." placeholder:"FILE" type:"path" env:"UMPIRE_ALERTS"`
}

// options reads the file and the environment, in which no child process finds the
// secrets afterwards.
func (f alertFlags) options() (o alert.Options, err error) {
	o = alert.Options{Secret: os.Getenv("UMPIRE_ALERT_SECRET"), SMTP: os.Getenv("UMPIRE_SMTP"), Log: slog.Default()}
	for _, secret := range []string{"UMPIRE_ALERT_SECRET", "UMPIRE_SMTP"} {
		_ = os.Unsetenv(secret)
	}
	if f.Alerts == "" {
		return o, nil
	}
	text, err := os.ReadFile(f.Alerts)
	if err != nil {
		return o, fault.Wrap(err, fault.BadRequest, "cannot read the alerts in "+f.Alerts, "--alerts names a YAML file")
	}
	o.File, err = alert.ReadFile(text)
	return o, err
}

// alerting makes an engine; address is how people reach the pages.
func (n *node) alerting(o alert.Options, address string) (*alert.Engine, error) {
	o.Source, o.Prefs, o.Book, o.Address = n.store, n.prefs, alertBook{n.meta}, address
	return alert.New(o)
}

// startAlerts looks at the alerts until the context or the node ends. A node that
// shows nothing looks at nothing.
func (n *node) startAlerts(ctx context.Context, o alert.Options, public, address string) error {
	if !n.role.shows() {
		return nil
	}
	if public != "" {
		address = public
	}
	e, err := n.alerting(o, address)
	if err != nil {
		return err
	}
	n.alerts.Store(e)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Run(ctx)
	}()
	n.stopAlerts = func() {
		cancel()
		<-done
	}
	return nil
}

// alertBook keeps alerts in the metadata.
type alertBook struct{ *meta.DB }

// Rules implements alert.Book.
func (b alertBook) Rules(ctx context.Context) ([]alert.Rule, error) {
	kept, err := b.Alerts(ctx)
	if err != nil {
		return nil, err
	}
	var all []alert.Rule
	for _, k := range kept {
		p, there := b.ProjectByID(k.Project)
		var r alert.Rule
		if err := json.Unmarshal(k.Body, &r); err != nil || !there {
			slog.WarnContext(ctx, "an alert cannot be read", "alert", k.Name, "err", err)
			continue
		}
		r.Name, r.Project = k.Name, p.Name
		all = append(all, r)
	}
	return all, nil
}

// ProjectID implements alert.Book.
func (b alertBook) ProjectID(name string) (uint32, bool) {
	p, there := b.Project(name)
	return p.ID, there
}

// State implements alert.Book.
func (b alertBook) State(ctx context.Context, key string) ([]byte, time.Time, error) {
	return b.AlertState(ctx, key)
}

// SaveState implements alert.Book.
func (b alertBook) SaveState(ctx context.Context, key string, body []byte) error {
	return b.SaveAlertState(ctx, key, body)
}

// Lease implements alert.Book.
func (b alertBook) Lease(ctx context.Context, holder string, now, until time.Time) (bool, error) {
	return b.DB.Lease(ctx, "alerts", holder, now, until)
}

// alertLine is an alert as it is listed: without what is secret in its places.
type alertLine struct {
	alert.Rule
	To     []string   `json:"to"`
	File   bool       `json:"of_file"`
	Firing bool       `json:"firing"`
	Since  *time.Time `json:"since"`
	Muted  *time.Time `json:"muted_until"`
}

// alertAsked is what the command line sends.
type alertAsked struct {
	Project string     `json:"project"`
	Name    string     `json:"name"`
	Until   *time.Time `json:"until,omitempty"`
}

// serveAlerts answers umpire alert over the socket.
func (n *node) serveAlerts(mux *http.ServeMux) {
	handle := func(pattern string, do func(ctx context.Context, e *alert.Engine, body *json.Decoder) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			e, err := n.engine()
			var v any
			if err == nil {
				v, err = do(r.Context(), e, json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)))
			}
			if err != nil {
				f := fault.From(err)
				if f.Code == fault.Internal { // the machine's owner asked
					f = fault.New(fault.Internal, err.Error(), f.Hint)
				}
				door.Write(w, f.Status(), fault.Body{Error: f})
				return
			}
			door.Write(w, http.StatusOK, v)
		})
	}
	handle("GET /admin/v1/alerts", func(ctx context.Context, e *alert.Engine, _ *json.Decoder) (any, error) { return n.alertLines(ctx, e) })
	handle("POST /admin/v1/alerts", func(ctx context.Context, _ *alert.Engine, body *json.Decoder) (any, error) {
		var r alert.Rule
		if err := body.Decode(&r); err != nil {
			return nil, fault.Wrap(err, fault.BadRequest, "the request is no alert", "call this through umpire alert add")
		}
		return struct{}{}, n.addAlert(ctx, r)
	})
	for path, do := range map[string]func(context.Context, *alert.Engine, alertAsked) (any, error){
		"delete": n.deleteAlert, "mute": n.muteAlert,
		"test": func(ctx context.Context, e *alert.Engine, in alertAsked) (any, error) {
			return e.Test(ctx, in.Project, in.Name)
		},
	} {
		handle("POST /admin/v1/alerts/"+path, func(ctx context.Context, e *alert.Engine, body *json.Decoder) (any, error) {
			var in alertAsked
			if err := body.Decode(&in); err != nil {
				return nil, fault.Wrap(err, fault.BadRequest, "the request names no alert", "call this through umpire alert")
			}
			return do(ctx, e, in)
		})
	}
}

// engine is the one that serves, or one that only answers.
func (n *node) engine() (*alert.Engine, error) {
	if e := n.alerts.Load(); e != nil {
		return e, nil
	}
	o, err := alertFlags{Alerts: os.Getenv("UMPIRE_ALERTS")}.options()
	if err != nil {
		return nil, err
	}
	return n.alerting(o, "http://127.0.0.1:8787")
}

func (n *node) alertLines(ctx context.Context, e *alert.Engine) ([]alertLine, error) {
	rules, err := e.All(ctx)
	if err != nil {
		return nil, err
	}
	list := []alertLine{}
	for i := range rules {
		r := &rules[i]
		line := alertLine{Rule: *r, To: r.Hidden(), File: r.OfFile()}
		body, muted, err := n.meta.AlertState(ctx, r.Key())
		if err != nil {
			return nil, err
		}
		var known struct {
			Firing bool      `json:"firing"`
			Since  time.Time `json:"since"`
		}
		if len(body) > 0 && json.Unmarshal(body, &known) == nil && known.Firing {
			line.Firing, line.Since = true, &known.Since
		}
		if muted.After(time.Now()) {
			line.Muted = &muted
		}
		list = append(list, line)
	}
	return list, nil
}

func (n *node) addAlert(ctx context.Context, r alert.Rule) error {
	if err := r.Check(); err != nil {
		return err
	}
	p, there := n.meta.Project(r.Project)
	if !there {
		if all := n.meta.Projects(); r.Project != "" || len(all) != 1 {
			return noProject(n.meta, r.Project)
		}
		p = n.meta.Projects()[0]
	}
	r.Project = ""
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("cannot write the alert: %w", err)
	}
	return n.meta.PutAlert(ctx, meta.Alert{Project: p.ID, Name: r.Name, Body: body})
}

func (n *node) deleteAlert(ctx context.Context, e *alert.Engine, in alertAsked) (any, error) {
	r, err := e.Find(ctx, in.Project, in.Name)
	if err != nil {
		return nil, err
	}
	if r.OfFile() {
		return nil, fault.New(fault.Conflict, "this alert stands in the file of --alerts", "take it out there, and start the server again")
	}
	p, _ := n.meta.Project(r.Project)
	return struct{}{}, n.meta.DeleteAlert(ctx, p.ID, r.Name, r.Key())
}

func (n *node) muteAlert(ctx context.Context, e *alert.Engine, in alertAsked) (any, error) {
	r, err := e.Find(ctx, in.Project, in.Name)
	if err != nil {
		return nil, err
	}
	var until time.Time
	if in.Until != nil {
		until = *in.Until
	}
	return struct{}{}, n.meta.MuteAlert(ctx, r.Key(), until)
}
