package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/reader"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Options tune the database. The zero value is right for most.
type Options struct {
	// Threads that one statement may use; 0: as many as there are cores.
	Threads int
	// MemoryLimit of DuckDB, as "512MB"; empty: DuckDB's own, 80 % of the machine.
	// Queries over 50 million events ran within 256 MB at full speed.
	MemoryLimit string
	// CheckpointAfter is how long the store must be idle before what was written
	// is moved from DuckDB's log into its file; 0: 10 seconds.
	CheckpointAfter time.Duration
	// CompactFrom is how many bytes must be free, beside half of the file, for Open to
	// write it anew; 0: 64 MiB.
	CompactFrom int64
	// Current: a store of an older version is left as it is, and is an ErrOlder.
	Current bool
}

// ErrOlder is the error of Open with Options.Current for a store of an older version.
var ErrOlder = errors.New("the store is of an older version")

// checkpointThreshold is how large DuckDB's own log may grow before a commit
// checkpoints by itself. The default of 16 MB rewrites the last row group again
// and again, at more than twice the cost of an event.
const checkpointThreshold = "256MB"

// DB is the store. It implements store.Store.
type DB struct {
	*reader.Reader
	read *sql.DB
	// write is used by one at a time, under mu; it owns the temporary tables.
	write *sql.Conn
	idle  *time.Timer
	after time.Duration

	mu       sync.Mutex
	position uint64
	dirty    bool // since the last checkpoint
	closed   bool
	path     string
	file     *os.File // see CopyTo
}

var _ store.Store = (*DB)(nil)

// Open opens the database file at the path, made if it does not exist, and brings
// its tables up to date. The empty path is a database in memory. A file that
// another process holds is a fault.Conflict.
//
// Of a file most of which is free, after much was removed, the rest is written anew
// first.
func Open(ctx context.Context, path string, opts Options) (store.Store, error) {
	db, err := open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	if wasteful, err := db.wasteful(ctx, opts.compactFrom()); err != nil || !wasteful {
		return db, nil //nolint:nilerr // it is as good without
	}
	db.dirty = true // to be sure that nothing is left in DuckDB's log
	if err := db.Close(); err != nil {
		return nil, err
	}
	if err := compact(ctx, path); err != nil {
		slog.WarnContext(ctx, "the store keeps blocks that are free", "err", err)
	}
	return open(ctx, path, opts)
}

func (o Options) compactFrom() int64 {
	if o.CompactFrom == 0 {
		return worthIt
	}
	return o.CompactFrom
}

func open(ctx context.Context, path string, opts Options) (*DB, error) {
	connector, err := driver.NewConnector(path, nil)
	if err != nil {
		return nil, openError(path, err)
	}
	read := sql.OpenDB(connector)
	db := &DB{Reader: reader.New(read, statement.DuckDB), read: read, after: opts.CheckpointAfter, path: path}
	if db.after == 0 {
		db.after = 10 * time.Second
	}
	if err := db.prepare(ctx, opts); err != nil {
		err = openError(path, err)
		return nil, errors.Join(err, db.read.Close())
	}
	db.idle = time.AfterFunc(db.after, db.checkpointIdle)
	db.idle.Stop()
	return db, nil
}

func (db *DB) prepare(ctx context.Context, opts Options) error {
	db.read.SetMaxIdleConns(4)
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return err
	}
	db.write = conn
	settings := []string{
		"SET checkpoint_threshold = '" + checkpointThreshold + "'",
		// The database reads and writes its own file and nothing else, and never
		// fetches an extension.
		"SET autoinstall_known_extensions = false",
		"SET enable_external_access = false",
	}
	if opts.Threads > 0 {
		settings = append(settings, fmt.Sprintf("SET threads = %d", opts.Threads))
	}
	for _, s := range settings {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("cannot set up the database by %q: %w", s, err)
		}
	}
	if opts.MemoryLimit != "" {
		if strings.Trim(opts.MemoryLimit, "0123456789.KMGTiB%") != "" {
			return fault.New(fault.BadRequest, fmt.Sprintf("%q is no memory limit", opts.MemoryLimit), `say it as "512MB" or "2GB"`)
		}
		if _, err := conn.ExecContext(ctx, "SET memory_limit = '"+opts.MemoryLimit+"'"); err != nil {
			return fmt.Errorf("cannot set the memory limit: %w", err)
		}
	}
	if err := migrate(ctx, conn, !opts.Current); err != nil {
		return err
	}
	if err := noTwins(ctx, conn); err != nil {
		return err
	}
	return conn.QueryRowContext(ctx, "SELECT log_position FROM store_state").Scan(&db.position)
}

// openError says what to do about the one failure that everyone meets: the file
// is open in another process.
func openError(path string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) || errors.Is(err, ErrOlder) {
		return err
	}
	if strings.Contains(err.Error(), "Could not set lock on file") || strings.Contains(err.Error(), "being used by another process") {
		return fault.Wrap(err, fault.Conflict, fmt.Sprintf("the store %q is open in another process", path),
			"stop the other one, or ask the running server instead of the file")
	}
	return fault.Wrap(err, fault.Internal, fmt.Sprintf("cannot open the store %q", path),
		"if the file is damaged, put back a copy of the data directory; the log beside it holds only what the store did not have yet")
}

// Close moves everything into the file and closes it.
func (db *DB) Close() error {
	db.idle.Stop()
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	err := db.checkpoint(context.Background())
	return errors.Join(err, db.write.Close(), db.read.Close(), db.closeFile())
}

// checkpoint is called under mu.
func (db *DB) checkpoint(ctx context.Context) error {
	if !db.dirty {
		return nil
	}
	if _, err := db.write.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("cannot checkpoint the store: %w", err)
	}
	db.dirty = false
	return nil
}

// checkpointIdle runs when nothing was applied for a while. A failure is no loss:
// what was committed is in DuckDB's log, and Close or the next pause tries again.
func (db *DB) checkpointIdle() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.closed {
		_ = db.checkpoint(context.Background())
	}
}
