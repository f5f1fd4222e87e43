package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/backup"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

type backupCommand struct {
	dataFlag
	Into string `arg:"" name:"dir" help:"Directory in which a new folder, named after the time, is made." type:"path"`
}

func (c *backupCommand) Run(ctx context.Context) error {
	if err := c.elsewhere(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.Data, storeFile)); errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.NotFound, "there is no Umpire data in "+c.Data, "name the data directory with --data")
	}
	made, err := c.make(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d files, %s\n", made.Files, humanize.IBytes(uint64(made.Bytes)))
	fmt.Println(made.Path)
	return nil
}

// elsewhere refuses a directory whose events are in ClickHouse: without them what is left
// would look like a backup and be none.
func (c *backupCommand) elsewhere() error {
	where := withoutPassword(c.Store)
	if text, err := os.ReadFile(filepath.Join(c.Data, movedStore)); err == nil {
		where = string(text)
	} else if c.Store == "" {
		return nil
	}
	return fault.New(fault.Unsupported, "the events of "+c.Data+" are in "+where+", and umpire backup copies none from there",
		"stop every umpire that takes events (senders keep theirs), copy its --data, let ClickHouse run BACKUP DATABASE, and start them again: docs/clickhouse.md tells why in this order")
}

func (c *backupCommand) make(ctx context.Context) (made backup.Made, err error) {
	if client, ok := admin.Dial(ctx, c.Data); ok {
		return client.Backup(ctx, c.Into)
	}
	if c.Meta != "" {
		err = withDirectory(ctx, c.dataFlag, func(client *admin.Client) error {
			made, err = client.Backup(ctx, c.Into)
			return err
		})
		return made, err
	}
	privateFiles()
	made, err = backup.Stopped(c.Data, c.Into, buildVersion())
	if errors.Is(err, wal.ErrLocked) {
		err = held(c.Data, err)
	}
	return made, err
}

type restoreCommand struct {
	dataFlag
	From string `arg:"" help:"Folder that umpire backup made." type:"path"`
}

func (c *restoreCommand) Run() error {
	privateFiles()
	made, err := backup.Restore(c.From, c.Data)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d files, %s, as they were backed up\n", made.Files, humanize.IBytes(uint64(made.Bytes)))
	fmt.Println(made.Path)
	return nil
}

// Backup implements admin.Backend.
func (n *node) Backup(ctx context.Context, into string) (backup.Made, error) {
	store, ok := n.store.(backup.Copier)
	if !ok {
		return backup.Made{}, fault.New(fault.Unsupported, "this store cannot be copied", "use its own tools: docs/clickhouse.md")
	}
	if !filepath.IsAbs(into) {
		return backup.Made{}, fault.New(fault.BadRequest, "the directory of a backup is no absolute path", "call this through umpire backup")
	}
	// So that little is left to be copied while nothing is applied.
	if err := n.pipe.Sync(ctx); err != nil {
		return backup.Made{}, err
	}
	made, err := backup.Running(ctx, backup.Live{Dir: n.dir, Store: store, Log: n.log, Meta: n.meta}, into, buildVersion())
	if err == nil {
		slog.Info("made a backup", "path", made.Path, "bytes", made.Bytes)
	}
	return made, err
}

// openStores opens the metadata and the store. If one is of an older version, both
// are backed up before they are brought up to date.
func (n *node) openStores(ctx context.Context) error {
	err := n.openBoth(ctx, false)
	if !errors.Is(err, meta.ErrOlder) && !errors.Is(err, duckdb.ErrOlder) {
		return err
	}
	if err := n.closeBoth(); err != nil {
		return err
	}
	made, err := backup.BeforeUpgrade(n.dir, buildVersion())
	if err != nil {
		return fmt.Errorf("cannot make a backup before the upgrade: %w", err)
	}
	slog.Info("the data is of an older version: it is brought up to date, and was backed up before", "backup", made.Path, "bytes", made.Bytes)
	return n.openBoth(ctx, true)
}

func (n *node) openBoth(ctx context.Context, upgrade bool) (err error) {
	if n.meta, err = n.openMeta(ctx, upgrade); err != nil {
		return err
	}
	n.store, err = n.openStore(ctx, upgrade)
	return err
}

// openStore opens the file in the directory, or the store that --store names.
func (n *node) openStore(ctx context.Context, upgrade bool) (store.Store, error) {
	if n.where.Store != "" {
		return n.openShared(ctx)
	}
	if err := n.ownStore(); err != nil {
		return nil, err
	}
	db, err := duckdb.Open(ctx, filepath.Join(n.dir, storeFile), duckdb.Options{
		Current: !upgrade, Threads: n.takes.threads, MemoryLimit: n.takes.memoryLimit(),
	})
	if err != nil {
		return nil, err
	}
	return db, nil
}

func (n *node) closeBoth() (err error) {
	if n.meta != nil {
		err = n.meta.Close()
	}
	if n.store != nil {
		err = errors.Join(err, n.store.Close())
	}
	n.meta, n.store = nil, nil
	return err
}

// held says that another process has the data directory.
func held(dir string, err error) error {
	return fault.Wrap(err, fault.Conflict, "another process holds "+dir,
		"a running umpire serve? umpire report, key, project and backup reach it by themselves; for a second server give another directory with --data")
}
