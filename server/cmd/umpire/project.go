package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

type projectRenameCommand struct {
	dataFlag
	Name string `arg:"" help:"Project."`
	To   string `arg:"" help:"Its new name."`
}

func (c *projectRenameCommand) Run(ctx context.Context) error {
	return c.settings(ctx, c.Name, http.MethodPatch, "/api/v1/settings", nil, map[string]any{"name": c.To}, nil)
}

type projectPriceCommand struct {
	dataFlag
	Name string   `arg:"" help:"Project."`
	USD  *float64 `arg:"" optional:"" help:"US dollars for a million tokens; 0 for no price."`
}

func (c *projectPriceCommand) Run(ctx context.Context) error {
	method, body := http.MethodGet, any(nil)
	if c.USD != nil {
		method, body = http.MethodPatch, map[string]any{"price_per_million": *c.USD}
	}
	var now api.Settings
	if err := c.settings(ctx, c.Name, method, "/api/v1/settings", nil, body, &now); err != nil {
		return err
	}
	if now.PricePerMillion == nil {
		fmt.Println("no price")
		return nil
	}
	fmt.Printf("%g\n", *now.PricePerMillion)
	return nil
}

type projectMuteCommand struct {
	dataFlag
	Name string `arg:"" help:"Project."`
	Tool string `help:"Tool whose empty answers are fine."`
	Rule string `help:"Only those by this rule, as GET /api/v1/empty names it." placeholder:"RULE"`
	Off  bool   `help:"Take it back."`
}

func (c *projectMuteCommand) Run(ctx context.Context) error {
	if c.Tool != "" {
		if c.Off {
			return c.settings(ctx, c.Name, http.MethodDelete, "/api/v1/mutes", url.Values{"tool": {c.Tool}, "rule": {c.Rule}}, nil, nil)
		}
		return c.settings(ctx, c.Name, http.MethodPost, "/api/v1/mutes", nil, query.Mute{Tool: c.Tool, Rule: c.Rule}, nil)
	}
	if c.Off || c.Rule != "" {
		return fault.New(fault.BadRequest, "which tool?", "name it with --tool")
	}
	var now api.Settings
	if err := c.settings(ctx, c.Name, http.MethodGet, "/api/v1/settings", nil, nil, &now); err != nil {
		return err
	}
	for _, m := range now.Muted {
		fmt.Println(m.Tool, m.Rule)
	}
	return nil
}

// settings asks the API for the settings of a project, or changes them.
func (f dataFlag) settings(ctx context.Context, project, method, path string, query url.Values, body, out any) error {
	return inDirectory(ctx, f, func(client *admin.Client) error {
		if query == nil {
			query = url.Values{}
		}
		query.Set("project", project)
		return remote.Do(ctx, client.HTTP(), method, "http://umpire", "", path, query, body, out)
	})
}

// apiSettings lets the API change what meta keeps, by way of what the pages do.
type apiSettings struct{ *node }

// Settings implements api.SettingsKeeper.
func (s apiSettings) Settings(project uint32) api.Settings {
	p, _ := s.meta.ProjectByID(project)
	prefs := s.prefs(project)
	return api.Settings{Name: p.Name, PricePerMillion: prefs.PricePerMillion, Muted: append([]query.Mute{}, prefs.Muted...)}
}

// Rename implements api.SettingsKeeper.
func (s apiSettings) Rename(ctx context.Context, project uint32, name string) error {
	return s.meta.RenameProject(ctx, project, name)
}

// SetPrice implements api.SettingsKeeper.
func (s apiSettings) SetPrice(ctx context.Context, project uint32, usd float64) error {
	return pageSettings(s).SetPrice(ctx, project, usd)
}

// Mute implements api.SettingsKeeper.
func (s apiSettings) Mute(ctx context.Context, project uint32, m query.Mute, on bool) error {
	return pageSettings(s).Mute(ctx, project, m, on)
}
