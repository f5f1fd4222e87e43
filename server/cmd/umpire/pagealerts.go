package main

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/alert"
	"github.com/umpire-mcp/umpire/server/internal/web"
)

// pageAlerts lets the pages see and change alerts, as umpire alert does.
type pageAlerts struct{ *node }

// Alerts implements web.Alerts.
func (p pageAlerts) Alerts(ctx context.Context, project string) ([]web.AlertInfo, error) {
	e, err := p.engine()
	if err != nil {
		return nil, err
	}
	lines, err := p.alertLines(ctx, e)
	if err != nil {
		return nil, err
	}
	var list []web.AlertInfo
	for _, l := range lines {
		if l.Project != project {
			continue
		}
		info := web.AlertInfo{OfFile: l.File, Muted: l.Muted, AlertAsked: web.AlertAsked{
			Name: l.Name, Kind: string(l.Kind), Slice: l.Slice, Limit: l.Above + l.Below, Window: l.Window,
			Tool: l.Tool, Client: l.Client, Server: l.Server, Env: l.Env, MinCalls: l.MinCalls, To: l.To,
		}}
		if l.Firing {
			info.Since = l.Since
		}
		list = append(list, info)
	}
	return list, nil
}

// AddAlert implements web.Alerts.
func (p pageAlerts) AddAlert(ctx context.Context, project string, a web.AlertAsked) error {
	r := alert.Rule{
		Name: a.Name, Project: project, Kind: alert.Kind(a.Kind), Slice: a.Slice, Above: a.Limit, Window: a.Window,
		Tool: a.Tool, Client: a.Client, Server: a.Server, Env: a.Env, MinCalls: a.MinCalls, To: a.To,
	}
	if r.Kind == alert.FirstCall {
		r.Above, r.Below = "", a.Limit
	}
	return p.addAlert(ctx, r)
}

// DeleteAlert implements web.Alerts.
func (p pageAlerts) DeleteAlert(ctx context.Context, project, name string) error {
	e, err := p.engine()
	if err == nil {
		_, err = p.deleteAlert(ctx, e, alertAsked{Project: project, Name: name})
	}
	return err
}

// MuteAlert implements web.Alerts.
func (p pageAlerts) MuteAlert(ctx context.Context, project, name string, until time.Time) error {
	e, err := p.engine()
	if err == nil {
		_, err = p.muteAlert(ctx, e, alertAsked{Project: project, Name: name, Until: &until})
	}
	return err
}

// TestAlert implements web.Alerts.
func (p pageAlerts) TestAlert(ctx context.Context, project, name string) (map[string]string, error) {
	e, err := p.engine()
	if err != nil {
		return nil, err
	}
	return e.Test(ctx, project, name)
}
