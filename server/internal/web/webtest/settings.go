package webtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/web"
)

// Settings are settings of one project, in memory.
type Settings struct {
	mu      sync.Mutex
	Made    []web.KeyInfo
	Ruled   []web.RuleInfo
	Muted   []query.Mute
	Price   float64
	Raw     int
	Name    string
	Deleted bool
	State   web.Health
	Alarms  []web.AlertInfo
}

var (
	_ web.Settings = (*Settings)(nil)
	_ web.Alerts   = (*Settings)(nil)
)

// Prefs are what the settings say.
func (s *Settings) Prefs(uint32) query.Prefs {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := query.Prefs{Muted: append([]query.Mute{}, s.Muted...)}
	if price := s.Price; price > 0 {
		p.PricePerMillion = &price
	}
	return p
}

// Keys is of web.Settings.
func (s *Settings) Keys(uint32) []web.KeyInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]web.KeyInfo{}, s.Made...)
}

// AddKey is of web.Settings.
func (s *Settings) AddKey(_ context.Context, _ uint32, kind, name, _ string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind != "write" && kind != "read" {
		return "", fault.New(fault.BadRequest, "this is no kind of key", "use write, read or foreign")
	}
	n := int64(len(s.Made) + 1)
	s.Made = append(s.Made, web.KeyInfo{ID: n, Name: name, Kind: kind, Prefix: fmt.Sprintf("ump_w_%04d", n), CreatedAt: Now, Works: true})
	return fmt.Sprintf("ump_w_%04dsecretsecretsecretsecretsecret", n), nil
}

// RotateKey is of web.Settings.
func (s *Settings) RotateKey(ctx context.Context, project uint32, id int64, grace time.Duration) (string, error) {
	ends := Now.Add(grace)
	err := s.key(id, func(k *web.KeyInfo) { k.Ends, k.Works = &ends, grace > 0 })
	if err != nil {
		return "", err
	}
	return s.AddKey(ctx, project, "write", "", "")
}

// RevokeKey is of web.Settings.
func (s *Settings) RevokeKey(_ context.Context, _ uint32, id int64) error {
	return s.key(id, func(k *web.KeyInfo) { at := Now; k.Revoked, k.Works = &at, false })
}

func (s *Settings) key(id int64, change func(*web.KeyInfo)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.Made {
		if s.Made[i].ID == id && s.Made[i].Works {
			change(&s.Made[i])
			return nil
		}
	}
	return fault.New(fault.NotFound, "there is no such key", "look at the list")
}

// Rename is of web.Settings.
func (s *Settings) Rename(_ context.Context, _ uint32, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "" {
		return errors.New("no name")
	}
	s.Name = name
	return nil
}

// Delete is of web.Settings.
func (s *Settings) Delete(context.Context, uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Deleted = true
	return nil
}

// Retention is of web.Settings.
func (s *Settings) Retention(uint32) (raw, rollups int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Raw, 0
}

// SetRetention is of web.Settings.
func (s *Settings) SetRetention(_ context.Context, _ uint32, raw, _ int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Raw = raw
	return nil
}

// SetPrice is of web.Settings.
func (s *Settings) SetPrice(_ context.Context, _ uint32, usd float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Price = usd
	return nil
}

// Mute is of web.Settings.
func (s *Settings) Mute(_ context.Context, _ uint32, m query.Mute, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on {
		s.Muted = append(s.Muted, m)
		return nil
	}
	for i, have := range s.Muted {
		if have == m {
			s.Muted = append(s.Muted[:i], s.Muted[i+1:]...)
			return nil
		}
	}
	return fault.New(fault.NotFound, "this is not muted", "look at the list")
}

// Rules is of web.Settings.
func (s *Settings) Rules(uint32) []web.RuleInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]web.RuleInfo{}, s.Ruled...)
}

// AddRule is of web.Settings.
func (s *Settings) AddRule(_ context.Context, _ uint32, tool, mark string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Ruled = append(s.Ruled, web.RuleInfo{ID: int64(len(s.Ruled) + 1), Tool: tool, Mark: mark, CreatedAt: Now})
	return nil
}

// DeleteRule is of web.Settings.
func (s *Settings) DeleteRule(_ context.Context, _ uint32, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.Ruled {
		if r.ID == id {
			s.Ruled = append(s.Ruled[:i], s.Ruled[i+1:]...)
		}
	}
	return nil
}

// Health is of web.Settings.
func (s *Settings) Health() web.Health { return s.State }

// Alerts is of web.Alerts.
func (s *Settings) Alerts(context.Context, string) ([]web.AlertInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]web.AlertInfo{}, s.Alarms...), nil
}

// AddAlert is of web.Alerts.
func (s *Settings) AddAlert(_ context.Context, _ string, a web.AlertAsked) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Name == "" {
		return fault.New(fault.BadRequest, "it needs a name", "give one")
	}
	s.Alarms = append(s.Alarms, web.AlertInfo{AlertAsked: a})
	return nil
}

// DeleteAlert is of web.Alerts.
func (s *Settings) DeleteAlert(_ context.Context, _, name string) error {
	return s.alarm(name, func(i int) { s.Alarms = append(s.Alarms[:i], s.Alarms[i+1:]...) })
}

// MuteAlert is of web.Alerts.
func (s *Settings) MuteAlert(_ context.Context, _, name string, until time.Time) error {
	return s.alarm(name, func(i int) {
		s.Alarms[i].Muted = nil
		if !until.IsZero() {
			s.Alarms[i].Muted = &until
		}
	})
}

// TestAlert is of web.Alerts.
func (s *Settings) TestAlert(_ context.Context, _, name string) (told map[string]string, err error) {
	err = s.alarm(name, func(i int) {
		told = map[string]string{}
		for n, to := range s.Alarms[i].To {
			told[to] = ""
			if n > 0 {
				told[to] = "refused"
			}
		}
	})
	return told, err
}

func (s *Settings) alarm(name string, do func(i int)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.Alarms {
		if s.Alarms[i].Name == name {
			do(i)
			return nil
		}
	}
	return fault.New(fault.NotFound, "there is no such alert", "look at the list")
}
