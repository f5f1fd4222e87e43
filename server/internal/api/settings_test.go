package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// settings are those of one project, in memory.
type settings struct{ now api.Settings }

func (s *settings) Settings(uint32) api.Settings {
	now := s.now
	now.Muted = append([]query.Mute{}, s.now.Muted...)
	return now
}

func (s *settings) Rename(_ context.Context, _ uint32, name string) error {
	s.now.Name = name
	return nil
}

func (s *settings) SetPrice(_ context.Context, _ uint32, usd float64) error {
	s.now.PricePerMillion = &usd
	return nil
}

func (s *settings) Mute(_ context.Context, _ uint32, m query.Mute, on bool) error {
	if m.Tool == "" {
		return fault.New(fault.BadRequest, "which tool?", "name it")
	}
	s.now.Muted = nil
	if on {
		s.now.Muted = []query.Mute{m}
	}
	return nil
}

// TestSettings: what is sent is changed, and nothing beside; a read key changes nothing.
func TestSettings(t *testing.T) {
	d := describe(t)
	opt := options
	kept := &settings{now: api.Settings{Name: "shop"}}
	opt.Settings = kept
	shop := api.Project{ID: 1, Name: "shop"}
	h := api.New(filled(t), projects{shop}, anybody, opt)
	d.check(t, h, "/api/v1/settings", "/api/v1/settings", http.StatusOK)
	send := func(h http.Handler, method, target, body string) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/api/v1/"+target, strings.NewReader(body)))
		return w.Code
	}
	for _, c := range []struct {
		method, target, body string
		status               int
	}{
		{"PATCH", "settings", `{"price_per_million":2.5}`, 200},
		{"PATCH", "settings", `{"prise":1}`, 400},
		{"POST", "mutes", `{"tool":"find","rule":"null"}`, 200},
		{"POST", "mutes", `{}`, 400},
	} {
		if got := send(h, c.method, c.target, c.body); got != c.status {
			t.Errorf("%s %s %s: %d, want %d", c.method, c.target, c.body, got, c.status)
		}
	}
	if *kept.now.PricePerMillion != 2.5 || kept.now.Name != "shop" || len(kept.now.Muted) != 1 {
		t.Errorf("settings %+v", kept.now)
	}
	d.check(t, h, "/api/v1/settings", "/api/v1/settings", http.StatusOK)
	if got := send(h, "DELETE", "mutes?tool=find&rule=null", ""); got != 200 || len(kept.now.Muted) != 0 {
		t.Errorf("unmute: %d, %+v", got, kept.now.Muted)
	}
	reads := api.New(filled(t), projects{shop}, func(*http.Request) (api.Grant, error) { return api.Grant{Project: &shop}, nil }, opt)
	if got := send(reads, "PATCH", "settings", `{"name":"mine"}`); got != http.StatusForbidden || kept.now.Name != "shop" {
		t.Errorf("a read key: %d, %+v", got, kept.now)
	}
}
