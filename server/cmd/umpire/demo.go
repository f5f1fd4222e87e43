package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/demo"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

type demoCommand struct {
	Data       string `help:"Data directory; a temporary one, removed at the end, if left out." placeholder:"DIR" type:"path"`
	Listen     string `help:"Loopback address to listen on." default:"127.0.0.1:8787" env:"UMPIRE_LISTEN"`
	AllowQuery bool   `name:"allow-query" help:"Let everybody who sees the pages ask in SQL: run_query at /mcp, /api/v1/query." env:"UMPIRE_ALLOW_QUERY"`
	Once       bool   `help:"Make one round of calls, print the figures and end."`
	JSON       bool   `help:"With --once: print the overview as JSON."`
	Clear      bool   `help:"Remove the demo's project from --data and end."`
}

const (
	demoCallsPerDay = 1500
	demoVisitors    = 4
	demoFirstVisits = 12 // made before the figures are printed
	demoRoundVisits = 60 // of --once
)

func (c *demoCommand) Run(ctx context.Context) error {
	switch {
	case c.Clear && c.Data == "":
		return fault.New(fault.BadRequest, "which directory is to be cleared?", "name it with --data; a temporary one is removed by itself")
	case c.Clear:
		return inDirectory(ctx, dataFlag{Data: c.Data}, func(client *admin.Client) error {
			return client.DeleteProject(ctx, demo.Project)
		})
	case c.JSON && !c.Once:
		return fault.New(fault.BadRequest, "--json needs --once", "or open the dashboard, whose API speaks JSON")
	}
	dir := c.Data
	if dir == "" {
		temporary, err := os.MkdirTemp("", "umpire-demo-")
		if err != nil {
			return fmt.Errorf("cannot make a temporary directory: %w", err)
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		dir = temporary
	}
	// The demo prints figures, not a log.
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	n, err := openNode(ctx, dataFlag{Data: dir}, pipeline.Options{})
	if err != nil {
		return err
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(c.run(ctx, n), n.close(closing))
}

func (c *demoCommand) run(ctx context.Context, n *node) error {
	flags := listenFlag{Listen: c.Listen, AllowQuery: c.AllowQuery}
	if c.Once {
		flags.Listen = "127.0.0.1:0" // beside a server or a demo that runs
	}
	s, err := start(n, flags, 0)
	var failure *fault.Error
	if errors.As(err, &failure) && failure.Code == fault.Conflict && c.Listen == "127.0.0.1:8787" {
		flags.Listen = "127.0.0.1:0"
		s, err = start(n, flags, 0)
	}
	if err != nil {
		return err
	}
	defer s.stop(context.WithoutCancel(ctx)) //nolint:errcheck // at the end of a demo
	project, err := n.meta.EnsureDemoProject(ctx, demo.Project)
	if err != nil {
		return err
	}
	key, err := n.meta.AddKey(ctx, project.ID, meta.Write, "")
	if err != nil {
		return err
	}
	cfg := demo.Config{Endpoint: s.url, Key: key, Seed: 1}
	if !c.Once {
		cfg.Seed = 0
		if err := c.history(ctx, n, project, cfg); err != nil {
			return err
		}
	}
	d, err := demo.Start(cfg)
	if err != nil {
		return err
	}
	err = c.play(ctx, n, d, project, s.url)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, d.Close(closing))
}

// history back-fills once: a data directory that has the demo's past keeps it.
func (c *demoCommand) history(ctx context.Context, n *node, project meta.Project, cfg demo.Config) error {
	o, err := c.overview(ctx, n, project, "14d")
	if err != nil {
		return err
	}
	if o.Calls > demoCallsPerDay {
		return nil
	}
	fmt.Fprintf(os.Stdout, "Making up %d days of history …\n", demo.Days)
	cfg.Seed = 1
	return demo.Backfill(ctx, cfg, time.Now(), demoCallsPerDay)
}

// play makes the calls and prints what became of them.
func (c *demoCommand) play(ctx context.Context, n *node, d *demo.Demo, project meta.Project, address string) error {
	visits, last := demoFirstVisits, "14d"
	if c.Once {
		visits, last = demoRoundVisits, "24h"
	}
	if err := d.Round(ctx, visits); err != nil {
		return err
	}
	if err := n.pipe.Sync(ctx); err != nil {
		return err
	}
	o, err := c.overview(ctx, n, project, last)
	if err != nil {
		return err
	}
	if c.Once && c.JSON {
		return printJSON(os.Stdout, o)
	}
	if err := c.print(ctx, os.Stdout, n, project, last, o); err != nil || c.Once {
		return err
	}
	defer n.announce(address)()
	fmt.Printf("Dashboard: %s/p/%s/\nThe clients keep calling. Ctrl-C ends the demo.\n", address, demo.Project)
	d.Run(ctx, demoVisitors)
	return nil
}

func (c *demoCommand) print(ctx context.Context, out io.Writer, n *node, project meta.Project, last string, o query.OverviewAnswer) error {
	p, err := demoParams(project, last)
	if err != nil {
		return err
	}
	tools, err := query.Tools(ctx, n.store, p)
	if err != nil {
		return err
	}
	clients, err := query.Clients(ctx, n.store, p)
	if err != nil {
		return err
	}
	printer(out).Report(project.Name, o, tools, clients)
	fmt.Fprintln(out)
	return nil
}

func (c *demoCommand) overview(ctx context.Context, n *node, project meta.Project, last string) (query.OverviewAnswer, error) {
	p, err := demoParams(project, last)
	if err != nil {
		return query.OverviewAnswer{}, err
	}
	return query.Overview(ctx, n.store, p)
}

func demoParams(project meta.Project, last string) (query.Params, error) {
	p, err := query.Parse(url.Values{"last": {last}}, time.Now())
	p.Project, p.Filter.Project = project.Name, project.ID
	return p, err
}
