package duckdb

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	driver "github.com/duckdb/duckdb-go/v2"
	"github.com/dustin/go-humanize"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/reader"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Options tune the database. The zero value is right for most.
type Options struct {
	// Threads are the cores that the store may use; 0: as many as there are. One
	// statement has half of them.
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
	// SealRows and SealAfter are how many new events are in memory at most before they
	// are moved into the file, and for how long; 0: 122,880, or what an eighth of
	// MemoryLimit holds, and 15 minutes. The log holds them until then.
	SealRows  int
	SealAfter time.Duration
	// Current: a store of an older version is left as it is, and is an ErrOlder.
	Current bool
}

// ErrOlder is the error of Open with Options.Current for a store of an older version.
var ErrOlder = errors.New("the store is of an older version")

// checkpointAt is how many bytes DuckDB's own log may hold. Its default of 16 MB
// rewrites the last row group again and again, at more than twice the cost of an event.
// Until then the rollups' new rows are in memory, uncompressed, at some twice of that.
// No commit checkpoints by itself: readers of a sealed generation would wait for it.
const checkpointAt = 64_000_000

// DB is the store. It implements store.Store.
type DB struct {
	*reader.Reader
	read *sql.DB
	opts Options
	path string
	file *os.File // see CopyTo
	idle *time.Timer
	age  *time.Timer
	// quiet is for rest, which sealed what had come last at rested.
	quiet *time.Timer

	anew     bool        // its events were written anew, and what they were before is free
	prepared atomic.Bool // connections are for readers from then on

	// position is up to where the log's entries are in the file.
	position atomic.Uint64

	mu         sync.Mutex
	rested     time.Time
	hot        *sql.Conn // of what is in memory
	stage      *stage
	lately     *lately
	applied    uint64   // up to where they are here at all
	generation int64    // which takes events
	rows       int      // of it
	bytes      int      // of its bodies
	listed     bool     // tools in it
	sealing    *sealing // the one before, or nil
	closed     bool

	// cold guards write, the connection for all that is done to the file. Who needs
	// mu as well takes it before.
	cold  sync.Mutex
	write *sql.Conn // owns the temporary tables
	dirty bool      // since the last checkpoint
	// refusal is told of events that the file refused.
	refusal func(seq uint64, cause error) error
	gone    bool // it is closed

	reviving atomic.Bool // the file is attached anew
}

var (
	_ store.Store   = (*DB)(nil)
	_ store.Refuser = (*DB)(nil)
)

// Open opens the database file at the path, made if it does not exist, and brings
// its tables up to date. The empty path is a database in memory. A file that
// another process holds is a fault.Conflict.
//
// Of a file most of which is free, after much was removed, or of an older version, the
// rest is written anew first.
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

// sealRows and sealBytes are how many new events, and how much of their bodies, are in
// memory at most before they are sealed. Twice as much is there meanwhile, so with
// little memory it is less.
func (o Options) sealRows() int {
	if o.SealRows != 0 {
		return o.SealRows
	}
	const each = 1 << 10 // bytes of an event without bodies, about
	if limit, err := humanize.ParseBytes(o.MemoryLimit); err == nil {
		return int(min(max(limit/8/each, 1000), sealRows))
	}
	return sealRows
}

func (o Options) sealBytes() int {
	if limit, err := humanize.ParseBytes(o.MemoryLimit); err == nil {
		return int(min(max(limit/16, 1<<20), sealBytes))
	}
	return sealBytes
}

// threads are those of one statement. While others of DuckDB's threads work for it, the
// one that runs it looks for work without a pause: on two cores that cost a quarter of
// all CPU (docs/benchmarks.md), and statements run beside each other anyway.
func (o Options) threads() int {
	cores := o.Threads
	if cores == 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	return max(1, cores/2)
}

func (o Options) sealAfter() time.Duration {
	if o.SealAfter == 0 {
		return sealAfter
	}
	return o.SealAfter
}

func (o Options) checkpointAfter() time.Duration {
	if o.CheckpointAfter == 0 {
		return 10 * time.Second
	}
	return o.CheckpointAfter
}

func open(ctx context.Context, path string, opts Options) (*DB, error) {
	db := &DB{opts: opts, path: path, stage: newStage()}
	connector, err := driver.NewConnector("", func(conn sqldriver.ExecerContext) error {
		if !db.prepared.Load() {
			return nil // one of the two that write
		}
		_, err := conn.ExecContext(context.Background(), "USE memory.live", nil)
		return err
	})
	if err != nil {
		return nil, openError(path, err)
	}
	db.read = sql.OpenDB(connector)
	db.Reader = reader.New(db.read, statement.DuckDB).From(db.pinned)
	db.idle, db.age = time.AfterFunc(time.Hour, db.checkpointIdle), time.AfterFunc(time.Hour, db.sealOld)
	db.quiet = time.AfterFunc(time.Hour, db.rest)
	db.idle.Stop()
	db.age.Stop()
	db.quiet.Stop()
	if err := db.prepare(ctx); err != nil {
		err = openError(path, err)
		return nil, errors.Join(err, db.read.Close())
	}
	return db, nil
}

func (db *DB) prepare(ctx context.Context) (err error) {
	db.read.SetMaxIdleConns(4)
	if db.write, err = db.read.Conn(ctx); err != nil {
		return err
	}
	if db.hot, err = db.read.Conn(ctx); err != nil {
		return err
	}
	if err := db.setUp(ctx); err != nil {
		return err
	}
	if db.anew, err = migrate(ctx, db.write, !db.opts.Current); err != nil {
		return err
	}
	if err := noTwins(ctx, db.write); err != nil {
		return err
	}
	var position uint64
	var sealed int64
	if err := db.write.QueryRowContext(ctx, "SELECT log_position, generation FROM store_state").Scan(&position, &sealed); err != nil {
		return err
	}
	db.position.Store(position)
	db.applied = position
	if err := db.learn(ctx); err != nil {
		return err
	}
	db.generation = sealed + 1
	if err := db.prepareHot(ctx); err != nil {
		return err
	}
	db.prepared.Store(true)
	db.dirty = true // what the tables are, if they are new
	db.idle.Reset(db.opts.checkpointAfter())
	return nil
}

// setUp attaches the file and sets what DuckDB may do.
func (db *DB) setUp(ctx context.Context) error {
	file := "ATTACH ':memory:' AS cold"
	if db.path != "" {
		version := ""
		if _, err := os.Stat(db.path); err != nil {
			version = " (STORAGE_VERSION '" + storageVersion + "')" // of a new file
		}
		file = "ATTACH " + quoted(db.path) + " AS cold" + version
	}
	settings := []string{
		file,
		"SET checkpoint_threshold = '1TB'",
		// The database reads and writes its own file and nothing else, and never
		// fetches an extension.
		"SET autoinstall_known_extensions = false",
		// What was let go of goes back to the system after a second, and not when the
		// same thread next needs some.
		"SET allocator_background_threads = true",
		"SET enable_external_access = false",
		"USE cold",
		fmt.Sprintf("SET threads = %d", db.opts.threads()),
	}
	for _, s := range settings {
		if _, err := db.write.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("cannot set up the database by %q: %w", s, err)
		}
	}
	limit := db.opts.MemoryLimit
	if limit == "" {
		return nil
	}
	if strings.Trim(limit, "0123456789.KMGTiB%") != "" {
		return fault.New(fault.BadRequest, fmt.Sprintf("%q is no memory limit", limit), `say it as "512MB" or "2GB"`)
	}
	if _, err := db.write.ExecContext(ctx, "SET memory_limit = '"+limit+"'"); err != nil {
		return fmt.Errorf("cannot set the memory limit: %w", err)
	}
	return nil
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
		"if the file is damaged: move the data directory aside, and umpire restore the last backup into an empty one (--data). The log beside the damaged file holds only what the store did not have yet")
}

// Close moves everything into the file and closes it.
func (db *DB) Close() error {
	db.idle.Stop()
	db.age.Stop()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.quiet.Stop()
	if db.closed {
		return nil
	}
	db.closed = true
	err := db.sealAll(context.Background())
	db.cold.Lock()
	defer db.cold.Unlock()
	db.gone = true
	err = errors.Join(err, db.checkpoint(context.Background()))
	return errors.Join(err, db.write.Close(), db.hot.Close(), db.read.Close(), db.closeFile())
}

// allInFile locks mu and cold, with nothing left in memory. What is done then is done
// under the context that it returns: a statement that is cancelled, by a client that
// went away or a server that stops, would close the writer's connection.
func (db *DB) allInFile(ctx context.Context) (_ context.Context, unlock func(), err error) {
	ctx = context.WithoutCancel(ctx)
	db.mu.Lock()
	if err := db.sealAll(ctx); err != nil {
		db.mu.Unlock()
		return nil, nil, err
	}
	db.cold.Lock()
	return ctx, func() {
		db.cold.Unlock()
		db.mu.Unlock()
	}, nil
}

// checkpoint is called under cold.
func (db *DB) checkpoint(ctx context.Context) error {
	if !db.dirty {
		return nil
	}
	if _, err := db.write.ExecContext(ctx, "CHECKPOINT cold"); err != nil {
		return fmt.Errorf("cannot checkpoint the store: %w", db.noticed(err))
	}
	db.dirty = false
	return nil
}

// checkpointGrown, under cold, checkpoints when DuckDB's log has grown large. Nothing is
// lost if it fails.
func (db *DB) checkpointGrown(ctx context.Context) {
	if db.path == "" {
		return
	}
	if info, err := os.Stat(db.path + ".wal"); err != nil || info.Size() < checkpointAt {
		return
	}
	if err := db.checkpoint(context.WithoutCancel(ctx)); err != nil {
		slog.WarnContext(ctx, "the store's own log grows", "error", err)
	}
}

// checkpointIdle runs when the file was not written to for a while. A failure is no
// loss: what was committed is in DuckDB's log, and Close or the next pause tries again.
func (db *DB) checkpointIdle() {
	db.cold.Lock()
	defer db.cold.Unlock()
	if !db.gone {
		_ = db.checkpoint(context.Background())
	}
}
