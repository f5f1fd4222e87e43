package main

import (
	"context"
	"math"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/web"
)

// prefs are what the project's people decided about how its figures are told.
func (n *node) prefs(project uint32) query.Prefs {
	var p query.Prefs
	if m, ok := n.meta.ProjectByID(project); ok && m.Price > 0 {
		usd := float64(m.Price) / 1e6
		p.PricePerMillion = &usd
	}
	for _, m := range n.meta.Mutes(project) {
		p.Muted = append(p.Muted, query.Mute{Tool: m.Tool, Rule: m.Rule})
	}
	return p
}

// pageSettings lets the pages change what meta keeps.
type pageSettings struct{ *node }

// Keys implements web.Settings.
func (s pageSettings) Keys(project uint32) []web.KeyInfo {
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	var out []web.KeyInfo
	for _, k := range s.meta.Keys(project) {
		out = append(out, web.KeyInfo{
			ID: k.ID, Name: k.Name, Kind: string(k.Kind), Prefix: k.Prefix, CreatedAt: k.CreatedAt,
			LastUsed: at(k.LastUsed), Ends: at(k.EndsAt), Revoked: at(k.RevokedAt), Works: k.Works(time.Now()),
		})
	}
	return out
}

// AddKey implements web.Settings.
func (s pageSettings) AddKey(ctx context.Context, project uint32, kind, name, foreign string) (string, error) {
	if kind != string(meta.Foreign) {
		foreign = ""
	}
	key, err := s.meta.AddKey(ctx, project, meta.Kind(kind), foreign)
	if err != nil || name == "" {
		return key, err
	}
	k, _ := s.meta.Lookup(key)
	return key, s.meta.NameKey(ctx, project, k.ID, name)
}

// RotateKey implements web.Settings.
func (s pageSettings) RotateKey(ctx context.Context, project uint32, id int64, grace time.Duration) (string, error) {
	return s.meta.RotateKey(ctx, project, id, grace)
}

// RevokeKey implements web.Settings.
func (s pageSettings) RevokeKey(ctx context.Context, project uint32, id int64) error {
	return s.meta.RevokeKeyOf(ctx, project, id)
}

// Rename implements web.Settings.
func (s pageSettings) Rename(ctx context.Context, project uint32, name string) error {
	return s.meta.RenameProject(ctx, project, name)
}

// Delete implements web.Settings.
func (s pageSettings) Delete(ctx context.Context, project uint32) error {
	p, ok := s.meta.ProjectByID(project)
	if !ok {
		return fault.New(fault.NotFound, "the project is gone already", "")
	}
	return s.DeleteProject(ctx, p.Name)
}

// Retention implements web.Settings.
func (s pageSettings) Retention(project uint32) (raw, rollups int) {
	p, _ := s.meta.ProjectByID(project)
	return p.Retention.RawDays, p.Retention.RollupDays
}

// SetRetention implements web.Settings.
func (s pageSettings) SetRetention(ctx context.Context, project uint32, raw, rollups int) error {
	return s.meta.SetRetention(ctx, project, meta.Retention{RawDays: raw, RollupDays: rollups})
}

// SetPrice implements web.Settings.
func (s pageSettings) SetPrice(ctx context.Context, project uint32, usd float64) error {
	micros := math.Round(usd * 1e6)
	if !(micros >= 0 && micros <= 1e12) { // NaN, too
		micros = -1
	}
	return s.meta.SetPrice(ctx, project, int64(micros))
}

// Mute implements web.Settings.
func (s pageSettings) Mute(ctx context.Context, project uint32, m query.Mute, on bool) error {
	if on {
		return s.meta.AddMute(ctx, project, meta.Mute{Tool: m.Tool, Rule: m.Rule})
	}
	return s.meta.DeleteMute(ctx, project, m.Tool, m.Rule)
}

// Rules implements web.Settings.
func (s pageSettings) Rules(project uint32) []web.RuleInfo {
	var out []web.RuleInfo
	for _, r := range s.meta.Rules(project) {
		out = append(out, web.RuleInfo{ID: r.ID, Tool: r.Tool, Server: r.Server, Mark: r.Mark, Code: r.Code, CreatedAt: r.CreatedAt})
	}
	return out
}

// AddRule implements web.Settings.
func (s pageSettings) AddRule(ctx context.Context, project uint32, tool, mark string) error {
	rule := meta.Rule{Project: project, Tool: tool, Mark: mark}
	checked := pipelineRule(rule)
	if err := checked.Check(); err != nil {
		return err
	}
	_, err := s.meta.AddRule(ctx, rule)
	return err
}

// DeleteRule implements web.Settings.
func (s pageSettings) DeleteRule(ctx context.Context, project uint32, id int64) error {
	return s.meta.DeleteRule(ctx, project, id)
}

// Health implements web.Settings.
func (s pageSettings) Health() web.Health {
	if s.pipe == nil {
		return web.Health{Elsewhere: true}
	}
	st := s.pipe.Stats()
	h := web.Health{LagEvents: st.LagEvents, LagAge: st.LagAge, DeadLetters: st.DeadLetters, LogBytes: st.LogBytes, Damage: st.Damage}
	if st.Err != nil {
		h.Problem = "nothing can be taken or stored now: the server's log says why"
	}
	return h
}
