package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

// movedFile names, in a data directory, the database that its metadata is in.
const movedFile = "meta-is-in"

// openMeta opens the metadata: the file in the directory, or the database that
// --meta names.
func (n *node) openMeta(ctx context.Context, upgrade bool) (*meta.DB, error) {
	moved := filepath.Join(n.dir, movedFile)
	if n.where.Meta == "" {
		if text, err := os.ReadFile(moved); err == nil {
			return nil, fault.New(fault.Conflict, "the projects and keys of "+n.dir+" are in "+string(text), "give its address with --meta or UMPIRE_META")
		}
		if upgrade {
			return meta.Open(n.dir)
		}
		return meta.OpenCurrent(n.dir)
	}
	db, err := meta.OpenPostgres(ctx, n.where.Meta)
	if err != nil {
		return nil, err
	}
	if err := sameProjects(n.dir, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := os.WriteFile(moved, []byte(db.Where()), 0o600); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// sameProjects refuses metadata in which the numbers of the directory's own projects,
// which are on its events, mean others.
func sameProjects(dir string, in *meta.DB) error {
	if _, err := os.Stat(filepath.Join(dir, meta.FileName)); err != nil {
		return nil //nolint:nilerr // there are none
	}
	own, err := meta.Open(dir)
	if err != nil {
		return err
	}
	defer own.Close() //nolint:errcheck // it was only read
	if projects := own.Projects(); there(projects, in) < len(projects) {
		return fault.New(fault.Conflict, dir+" has projects and keys of its own that are not in "+in.Where(),
			"umpire migrate --from "+dir+" --meta … copies them into an empty database; or take another data directory")
	}
	return nil
}

// keyring is what is done with keys and projects; no event is needed for it.
type keyring interface {
	AddKey(ctx context.Context, project, kind, value string) (string, error)
	Keys(ctx context.Context) ([]admin.Key, error)
	RevokeKey(ctx context.Context, prefix string) error
	RotateKey(ctx context.Context, prefix string, grace time.Duration) (string, error)
	NameKey(ctx context.Context, prefix, name string) error
	Projects(ctx context.Context) ([]admin.Project, error)
}

// withKeys lets do use the keys of the data directory, or of the database that --meta
// names: through the running server, if one holds the directory.
func withKeys(ctx context.Context, where dataFlag, do func(keyring) error) error {
	return keys(ctx, where, do, withDirectory)
}

// inKeys is withKeys for what only looks: it makes no directory.
func inKeys(ctx context.Context, where dataFlag, do func(keyring) error) error {
	return keys(ctx, where, do, inDirectory)
}

func keys(ctx context.Context, where dataFlag, do func(keyring) error, open func(context.Context, dataFlag, func(*admin.Client) error) error) error {
	if where.Meta != "" {
		if client, ok := admin.Dial(ctx, where.Data); ok {
			return do(client)
		}
		db, err := meta.OpenPostgres(ctx, where.Meta)
		if err != nil {
			return err
		}
		return errors.Join(do(&node{meta: db}), db.Close())
	}
	return open(ctx, where, func(client *admin.Client) error { return do(client) })
}
