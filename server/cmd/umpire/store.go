package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/clickhouse"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
)

const (
	// movedStore names, in a data directory, the store that its events are in.
	movedStore = "store-is-in"
	// nodeName is what the directory's log is called in a store that it shares.
	nodeName = "node-name"
	// settleEvery is how often a node looks whether what it and others fed at the same
	// time is to be corrected.
	settleEvery = 30 * time.Second
)

// openShared opens the store that --store names.
func (n *node) openShared(ctx context.Context) (store.Store, error) {
	if !clickhouse.IsURL(n.where.Store) {
		return nil, fault.New(fault.BadRequest, "--store is no address of a store", "give it as clickhouse://user:password@host:8123/database, or leave it out for DuckDB in the data directory")
	}
	moved := filepath.Join(n.dir, movedStore)
	_, before := os.Stat(moved)
	own := filepath.Join(n.dir, storeFile)
	if _, err := os.Stat(own); err == nil && errors.Is(before, fs.ErrNotExist) && !neverFilled(ctx, own) {
		return nil, fault.New(fault.Conflict, "the events of "+n.dir+" are in its own "+storeFile,
			"umpire migrate --from "+n.dir+" --to … copies them; or take another data directory")
	}
	name, err := n.name()
	if err != nil {
		return nil, err
	}
	opts := clickhouse.Options{Node: name}
	if opts.Log, err = n.placed(); err != nil {
		return nil, err
	}
	if n.role.takes() {
		opts.Settle = settleEvery
	}
	db, err := clickhouse.Open(ctx, n.where.Store, opts)
	if err != nil {
		return nil, err
	}
	if before != nil {
		_ = os.Remove(own) // it is empty, and nobody opens it again
	}
	if err := os.WriteFile(moved, []byte(withoutPassword(n.where.Store)), 0o600); err != nil {
		return nil, errors.Join(fault.Wrap(err, fault.BadRequest, "cannot write to "+n.dir, "give a directory that you can write to with --data"), db.Close())
	}
	return db, nil
}

// neverFilled reports whether the file is one that no event ever reached, as a command
// before the first start leaves it.
func neverFilled(ctx context.Context, path string) bool {
	db, err := duckdb.Open(ctx, path, duckdb.Options{Current: true})
	if err != nil {
		return false
	}
	position, err := db.Position(ctx)
	return errors.Join(err, db.Close()) == nil && position == 0
}

// batches are larger for a shared store: a batch costs it a tenth of a second of a
// processor, however few events it has.
func (n *node) batches(opts *pipeline.Options) {
	if n.where.Store == "" {
		return
	}
	if opts.MaxBatch == 0 {
		opts.MaxBatch = 50_000
	}
	if opts.MaxDelay == 0 {
		opts.MaxDelay = time.Second
	}
}

// ownStore refuses the file in a directory whose events are elsewhere.
func (n *node) ownStore() error {
	text, err := os.ReadFile(filepath.Join(n.dir, movedStore))
	if err != nil {
		return nil //nolint:nilerr // they are here
	}
	return fault.New(fault.Conflict, "the events of "+n.dir+" are in "+string(text), "give its address with --store or UMPIRE_STORE")
}

// name is what the node's log is called. It stays with the log: the store remembers
// under it how far the log is applied.
func (n *node) name() (string, error) {
	path := filepath.Join(n.dir, nodeName)
	text, err := os.ReadFile(path)
	if err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	var b [6]byte
	rand.Read(b[:]) //nolint:errcheck // it never fails
	name := hex.EncodeToString(b[:])
	if err := os.WriteFile(path, []byte(name+"\n"), 0o600); err != nil {
		return "", fault.Wrap(err, fault.BadRequest, "cannot write to "+n.dir, "give a directory that you can write to with --data")
	}
	return name, nil
}

// withoutPassword is the address as it may be shown.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "clickhouse://…"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// hasData reports whether the directory was ever used.
func hasData(dir string) bool {
	for _, name := range []string{storeFile, movedStore} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
