package api

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Settings are what a project's people decided about how its figures are told.
type Settings struct {
	Name string `json:"name"`
	// PricePerMillion is what a million tokens cost, in US dollars; null: not said.
	PricePerMillion *float64     `json:"price_per_million"`
	Muted           []query.Mute `json:"muted"`
}

// SettingsKeeper keeps them. Its errors are faults.
type SettingsKeeper interface {
	Settings(project uint32) Settings
	Rename(ctx context.Context, project uint32, name string) error
	// SetPrice takes 0 for no price.
	SetPrice(ctx context.Context, project uint32, usd float64) error
	Mute(ctx context.Context, project uint32, m query.Mute, on bool) error
}

func (a *API) serveSettings() {
	a.mux.HandleFunc("GET /api/v1/settings", a.withProject(func(_ *http.Request, project Project) (any, error) {
		return a.opt.Settings.Settings(project.ID), nil
	}))
	a.mux.HandleFunc("PATCH /api/v1/settings", a.withProject(func(r *http.Request, project Project) (any, error) {
		var in struct {
			Name  *string  `json:"name"`
			Price *float64 `json:"price_per_million"`
		}
		if err := decode(r, &in, `send {"price_per_million":3} or {"name":"shop"}`); err != nil {
			return nil, err
		}
		if in.Price != nil {
			if err := a.opt.Settings.SetPrice(r.Context(), project.ID, *in.Price); err != nil {
				return nil, err
			}
		}
		if in.Name != nil {
			if err := a.opt.Settings.Rename(r.Context(), project.ID, *in.Name); err != nil {
				return nil, err
			}
		}
		return a.opt.Settings.Settings(project.ID), nil
	}))
	a.mux.HandleFunc("POST /api/v1/mutes", a.withProject(func(r *http.Request, project Project) (any, error) {
		var in query.Mute
		if err := decode(r, &in, `send {"tool":"find"} or {"tool":"find","rule":"no_content"}`); err != nil {
			return nil, err
		}
		return in, a.opt.Settings.Mute(r.Context(), project.ID, in, true)
	}))
	a.mux.HandleFunc("DELETE /api/v1/mutes", a.withProject(func(r *http.Request, project Project) (any, error) {
		q := r.URL.Query()
		return struct{}{}, a.opt.Settings.Mute(r.Context(), project.ID, query.Mute{Tool: q.Get("tool"), Rule: q.Get("rule")}, false)
	}))
}
