package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/alert"
	"github.com/umpire-mcp/umpire/server/internal/backup"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/forward"
	"github.com/umpire-mcp/umpire/server/internal/live"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/otlp"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/selfmetrics"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/views"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// node is an open data directory: the log, the store, the metadata and the
// pipeline between them. It is what serve, demo and the local commands share.
type node struct {
	dir   string
	where dataFlag
	role  role
	meta  *meta.DB
	log   *wal.Log
	store store.Store
	pipe  *pipeline.Pipeline
	calls openCalls
	live  *live.Hub
	// takes is what it may take of the machine.
	takes resources
	otlp  *otlp.Handler // once it serves
	front *door.Front   // once it serves
	begun time.Time
	// own records what is asked over MCP; nil until it serves.
	own *umpire.Client
	// alerts looks at the alerts, once it serves.
	alerts atomic.Pointer[alert.Engine]
	// views answers SQL; it starts nothing before somebody asks.
	views      *views.Views
	stopAlerts func()
	// tally counts the calls that were stored, for /metrics; nil: this node stores none.
	tally   *selfmetrics.Calls
	forward *forward.Forwarder // nil: events are not forwarded
}

// storeFile is the store in the data directory.
const storeFile = "events.duckdb"

// openNode opens the directory, and makes it if it is not there. One process
// holds it at a time.
func openNode(ctx context.Context, where dataFlag, opts pipeline.Options) (*node, error) {
	takes, err := resourceFlags{}.resolve()
	if err != nil {
		return nil, err
	}
	return openNodeWith(ctx, where, roleAll, opts, takes)
}

// openNodeWith is openNode within what it may take of the machine.
func openNodeWith(ctx context.Context, where dataFlag, as role, opts pipeline.Options, takes resources) (*node, error) {
	privateFiles()
	dir := where.Data
	if err := as.check(where); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.BadRequest, "cannot make the data directory "+dir, "give a directory that you can write to with --data")
	}
	n := &node{live: live.New(), dir: dir, where: where, role: as, takes: takes, begun: time.Now()}
	if err := n.open(ctx, opts); err != nil {
		return nil, errors.Join(err, n.close(ctx))
	}
	if dumper, ok := n.store.(store.Dumper); ok {
		n.views = views.New(dumper, views.Options{})
	}
	return n, nil
}

func (n *node) open(ctx context.Context, opts pipeline.Options) (err error) {
	if err := backup.Unfinished(n.dir); err != nil {
		return err
	}
	if !n.role.takes() {
		if err := unheld(ctx, n.dir); err != nil {
			return err
		}
		return n.openStores(ctx)
	}
	// The log first: its lock is what tells that another process holds the directory.
	if n.log, err = wal.Open(filepath.Join(n.dir, "wal"), wal.Options{BeforeSync: beforeSync}); err != nil {
		if errors.Is(err, wal.ErrLocked) {
			return held(n.dir, err)
		}
		return unwritable(n.dir, err)
	}
	if err := n.openStores(ctx); err != nil {
		return err
	}
	n.tally = selfmetrics.NewCalls(n.projectName)
	opts.DeadLetters, opts.Rules = filepath.Join(n.dir, "dead-letters.jsonl"), rules{n.meta}.ofPipeline
	n.batches(&opts)
	opts.RetentionOf, opts.Applied = n.retentionOf, n.applied(opts.Applied)
	n.pipe, err = pipeline.New(ctx, n.log, n.store, opts)
	return err
}

// unwritable says what to do about a directory that is read-only, or another user's.
func unwritable(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fault.Wrap(err, fault.BadRequest, "cannot write to the data directory "+dir,
			"is the disk mounted read-only (after an error, perhaps: dmesg), or does the directory belong to another user? Mend that, or give another one with --data; nothing in it was changed")
	}
	return err
}

// close stops in the order in which events flow, so that what was acknowledged
// is applied; what is not applied by then is replayed at the next start.
func (n *node) close(ctx context.Context) error {
	if n.stopAlerts != nil {
		n.stopAlerts()
	}
	n.closeOwn(ctx)
	var errs []error
	if n.views != nil {
		n.views.Close()
	}
	if n.pipe != nil {
		errs = append(errs, n.pipe.Close(), n.closeForward(ctx))
	}
	if n.store != nil {
		errs = append(errs, n.store.Close())
	}
	if n.log != nil {
		errs = append(errs, n.log.Close())
	}
	if n.meta != nil {
		errs = append(errs, n.meta.Close())
	}
	return errors.Join(errs...)
}

// What follows makes the node an admin.Backend.

func (n *node) AddKey(ctx context.Context, project, kind, value string) (string, error) {
	p, err := n.meta.EnsureProject(ctx, project)
	if err != nil {
		return "", err
	}
	return n.meta.AddKey(ctx, p.ID, meta.Kind(kind), value)
}

func (n *node) Keys(context.Context) ([]admin.Key, error) {
	keys := []admin.Key{}
	for _, p := range n.meta.Projects() {
		for _, k := range n.meta.Keys(p.ID) {
			out := admin.Key{Prefix: k.Prefix, Kind: string(k.Kind), Name: k.Name, Project: p.Name, Created: k.CreatedAt}
			if !k.EndsAt.IsZero() {
				out.Ends = &k.EndsAt
			}
			if !k.LastUsed.IsZero() {
				out.LastUsed = &k.LastUsed
			}
			if !k.RevokedAt.IsZero() {
				out.Revoked = &k.RevokedAt
			}
			keys = append(keys, out)
		}
	}
	return keys, nil
}

func (n *node) RevokeKey(ctx context.Context, prefix string) error {
	k, err := n.keyThatBegins(prefix)
	if err != nil {
		return err
	}
	return n.meta.RevokeKey(ctx, k.ID)
}

// keyThatBegins is the one working key that begins so.
func (n *node) keyThatBegins(prefix string) (meta.Key, error) {
	var found []meta.Key
	for _, p := range n.meta.Projects() {
		for _, k := range n.meta.Keys(p.ID) {
			// Both ways: people paste what they have, the whole key or its beginning.
			shown, given := strings.TrimSuffix(k.Prefix, "…"), strings.TrimSuffix(prefix, "…")
			if k.RevokedAt.IsZero() && given != "" && (strings.HasPrefix(shown, given) || strings.HasPrefix(given, shown)) {
				found = append(found, k)
			}
		}
	}
	switch len(found) {
	case 0:
		return meta.Key{}, fault.New(fault.NotFound, "no key in force begins so", "umpire key list shows the keys")
	case 1:
		return found[0], nil
	default:
		return meta.Key{}, fault.New(fault.Conflict, fmt.Sprintf("%d keys begin so", len(found)), "give more of the key's characters")
	}
}

func (n *node) RotateKey(ctx context.Context, prefix string, grace time.Duration) (string, error) {
	k, err := n.keyThatBegins(prefix)
	if err != nil {
		return "", err
	}
	return n.meta.RotateKey(ctx, k.Project.ID, k.ID, grace)
}

func (n *node) NameKey(ctx context.Context, prefix, name string) error {
	k, err := n.keyThatBegins(prefix)
	if err != nil {
		return err
	}
	return n.meta.NameKey(ctx, k.Project.ID, k.ID, name)
}

func (n *node) Projects(context.Context) ([]admin.Project, error) {
	projects := []admin.Project{}
	for _, p := range n.meta.Projects() {
		projects = append(projects, admin.Project{Name: p.Name, Created: p.CreatedAt})
	}
	return projects, nil
}

func (n *node) DeleteProject(ctx context.Context, name string) error {
	p, ok := n.meta.Project(name)
	if !ok {
		return fault.New(fault.NotFound, fmt.Sprintf("there is no project %q", name), "umpire project list shows the projects")
	}
	defer n.live.Forget(p.ID)
	// The keys first, so that nothing new comes; then what is stored.
	if err := n.meta.DeleteProject(ctx, p.ID); err != nil {
		return err
	}
	if n.pipe == nil {
		return n.store.DeleteProject(ctx, p.ID) // and each node that takes events does its part
	}
	return n.pipe.DeleteProject(ctx, p.ID)
}

func (n *node) Sync(ctx context.Context) error {
	if n.pipe == nil {
		return nil // what was acknowledged by others is theirs to store
	}
	return n.pipe.Sync(ctx)
}
