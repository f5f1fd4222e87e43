package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// What of a data directory is worth keeping.
var files = []string{
	"events.duckdb*", meta.FileName, meta.FileName + "-wal", "wal/*.wal", "dead-letters.jsonl", "set-aside.jsonl",
}

const (
	// Dir is where backups before an upgrade are, in the data directory.
	Dir = "backups"
	// prefix begins the name of a backup that somebody asked for.
	prefix = "umpire-"
	// upgradePrefix begins the name of one that was made before an upgrade.
	upgradePrefix = "before-upgrade-"
	// upgradesKept is how many of those stay.
	upgradesKept = 3
)

// Copier is a store that can be copied while it is in use.
type Copier interface {
	// CopyTo copies the store as it is now to the path, which it makes, and then
	// calls then with its position in the log; nothing is applied until that
	// returns.
	CopyTo(ctx context.Context, path string, then func(position uint64) error) error
}

// Live is the open data directory of a running server.
type Live struct {
	Dir   string // for what is plain text beside them
	Store Copier
	Log   *wal.Log
	Meta  *meta.DB
}

// Running makes a backup inside into, which holds every event that was
// acknowledged before it was called. Events are taken meanwhile.
func Running(ctx context.Context, live Live, into, version string) (Made, error) {
	f, err := begin(into, prefix, time.Now())
	if err != nil {
		return Made{}, err
	}
	if err := f.fill(ctx, live); err != nil {
		return Made{}, errors.Join(fmt.Errorf("cannot make the backup %q: %w", f.path, err), f.abandon())
	}
	return f.done(version)
}

func (f *folder) done(version string) (Made, error) {
	made, err := f.finish(version)
	if err != nil {
		return Made{}, errors.Join(err, f.abandon())
	}
	return made, nil
}

// fill copies in the order that leaves nothing out: the store, then what the log
// has beyond it, then the projects that all of these are of.
func (f *folder) fill(ctx context.Context, live Live) error {
	err := live.Store.CopyTo(ctx, f.in("events.duckdb"), func(position uint64) error {
		return copyLog(live.Log, f.in("wal"), position)
	})
	if err != nil {
		return err
	}
	if err := live.Meta.CopyTo(ctx, f.in(meta.FileName)); err != nil {
		return err
	}
	for _, name := range []string{"dead-letters.jsonl", "set-aside.jsonl"} {
		if err := copyFile(f.in(name), filepath.Join(live.Dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// copied bounds what of the log is held in memory at once.
const copied = 1 << 20

// copyLog writes what the log has above the position into a log of its own, under
// the same sequence numbers.
func copyLog(from *wal.Log, dir string, position uint64) (err error) {
	to, err := wal.Open(dir, wal.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close(), os.Remove(filepath.Join(dir, "LOCK"))) }()
	if err := to.Advance(position + 1); err != nil {
		return err
	}
	var waiting []wal.Item
	size, next := 0, position+1
	flush := func() error {
		if len(waiting) == 0 {
			return nil
		}
		_, err := to.Append(waiting, nil)
		waiting, size = nil, 0
		return err
	}
	_, err = from.Replay(position+1, func(seq uint64, it wal.Item) error {
		if seq != next { // damage: what was between is lost already
			if err := flush(); err != nil {
				return err
			}
			if err := to.Advance(seq); err != nil {
				return err
			}
		}
		next = seq + 1
		waiting, size = append(waiting, it), size+len(it.Body)
		if size < copied {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// Stopped makes a backup inside into of a data directory that nobody has open, as
// it is, whichever version wrote it. Another process that has it is a wal.ErrLocked.
func Stopped(dir, into, version string) (Made, error) {
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{})
	if err != nil {
		return Made{}, err
	}
	made, err := plain(dir, into, prefix, version)
	return made, errors.Join(err, log.Close())
}

// BeforeUpgrade makes a backup inside the data directory, whose log the caller
// holds and whose databases are closed, and lets go of older ones but the last.
func BeforeUpgrade(dir, version string) (Made, error) {
	into := filepath.Join(dir, Dir)
	made, err := plain(dir, into, upgradePrefix, version)
	if err != nil {
		return Made{}, err
	}
	return made, keep(into, upgradePrefix, upgradesKept)
}

// plain copies the files as they lie there.
func plain(dir, into, prefix, version string) (Made, error) {
	f, err := begin(into, prefix, time.Now())
	if err != nil {
		return Made{}, err
	}
	if err := f.copyAll(dir); err != nil {
		return Made{}, errors.Join(fmt.Errorf("cannot make the backup %q: %w", f.path, err), f.abandon())
	}
	return f.done(version)
}

func (f *folder) copyAll(dir string) error {
	for _, pattern := range files {
		found, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return err
		}
		for _, name := range found {
			if err := copyFile(f.in(name), filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	return nil
}
