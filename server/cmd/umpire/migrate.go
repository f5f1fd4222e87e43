package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/migrate"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store/clickhouse"
)

type migrateCommand struct {
	From string `help:"Data directory of a stopped server. It stays as it is." required:"" type:"path" placeholder:"DIR"`
	To   string `help:"Store that events and figures are copied into. The address holds a password: better in UMPIRE_STORE." placeholder:"clickhouse://…" env:"UMPIRE_STORE"`
	Meta string `help:"PostgreSQL database that projects, keys and rules are copied into, or a new data directory. Better in UMPIRE_META." placeholder:"postgres://…" env:"UMPIRE_META"`
}

// Help implements kong.HelpProvider.
func (migrateCommand) Help() string {
	return `Copies a data directory into a store and metadata that several nodes share (docs/cluster.md): raw events with their marks, the figures of hours whose events are gone, the definitions of tools. A run that was cut off is started again as it was, and goes on. At the end rows and sums of every table are compared by the hour; if one differs, it is named, and the command fails.`
}

func (c *migrateCommand) Run(ctx context.Context) error {
	if c.To == "" && c.Meta == "" {
		return fault.New(fault.BadRequest, "where to?", "name a store with --to clickhouse://…, and metadata with --meta postgres://…")
	}
	if _, err := os.Stat(filepath.Join(c.From, storeFile)); err != nil {
		return fault.New(fault.NotFound, "there is no Umpire data in "+c.From, "name the data directory with --from")
	}
	if _, ok := admin.Dial(ctx, c.From); ok {
		return fault.New(fault.Conflict, "a server runs in "+c.From, "stop it, or restore a backup of it into another directory and migrate that")
	}
	from := dataFlag{Data: c.From}
	if _, err := os.Stat(filepath.Join(c.From, movedFile)); err == nil {
		from.Meta = c.Meta // it is there already
	}
	n, err := openNode(ctx, from, pipeline.Options{})
	if err != nil {
		return err
	}
	return errors.Join(c.copy(ctx, n), n.close(context.WithoutCancel(ctx)))
}

func (c *migrateCommand) copy(ctx context.Context, n *node) error {
	if err := n.pipe.Sync(ctx); err != nil {
		return err
	}
	if c.Meta != "" && n.where.Meta == "" {
		if err := c.copyMeta(ctx, n.meta); err != nil {
			return err
		}
	}
	if c.To == "" {
		return nil
	}
	if !clickhouse.IsURL(c.To) {
		return fault.New(fault.BadRequest, "--to is no address of a store that nodes share", "give it as clickhouse://user:password@host:8123/database")
	}
	to, err := clickhouse.Open(ctx, c.To, clickhouse.Options{Node: "migrate"})
	if err != nil {
		return err
	}
	return errors.Join(copyStore(ctx, n, to), to.Close())
}

// copyMeta copies projects, keys and rules, unless an earlier run did.
func (c *migrateCommand) copyMeta(ctx context.Context, from *meta.DB) (err error) {
	var to *meta.DB
	if meta.IsPostgres(c.Meta) {
		to, err = meta.OpenPostgres(ctx, c.Meta)
	} else {
		to, err = meta.Open(c.Meta)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	projects := from.Projects()
	if there(projects, to) == len(projects) && len(projects) > 0 {
		fmt.Fprintf(os.Stderr, "%d projects are in %s already\n", len(projects), to.Where())
		return nil
	}
	if err := meta.Transfer(ctx, from, to); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d projects with their keys and rules are in %s\n", len(projects), to.Where())
	return nil
}

// there counts the projects that are in the metadata under the same number.
func there(projects []meta.Project, in *meta.DB) (n int) {
	for _, p := range projects {
		if q, ok := in.ProjectByID(p.ID); ok && q.CreatedAt.Equal(p.CreatedAt) {
			n++
		}
	}
	return n
}

func copyStore(ctx context.Context, n *node, to migrate.Target) error {
	from, ok := n.store.(migrate.Source)
	if !ok {
		return fault.New(fault.BadRequest, "this store cannot be copied", "use its own tools")
	}
	var projects []migrate.Project
	for _, p := range n.meta.Projects() {
		projects = append(projects, migrate.Project{ID: p.ID, Name: p.Name})
	}
	b, began := newBar(os.Stderr), time.Now()
	b.plain = 10 * time.Second
	end, err := migrate.Run(ctx, from, to, projects, func(p migrate.Progress) { showMigration(b, began, p) })
	b.clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "done: %s events of %d projects, compared by the hour\n", humanize.Comma(end.Total), len(projects))
	return nil
}
