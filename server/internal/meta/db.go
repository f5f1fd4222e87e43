package meta

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// FileName is the name of the database in the data directory.
const FileName = "meta.sqlite"

//go:embed migrations/*.sql
var migrations embed.FS

// saveEvery is how often use of keys and drops are written down.
const saveEvery = 30 * time.Second

// DB is the open control plane. Its methods may be called from many goroutines.
type DB struct {
	sql *sql.DB

	mu    sync.Mutex // one writer: a change of the file and of cache is one step
	cache atomic.Pointer[snapshot]

	pendingMu sync.Mutex
	drops     map[drop]int64

	stop chan struct{}
	done chan struct{}
}

// snapshot is everything in memory. It is replaced as a whole.
type snapshot struct {
	projects map[uint32]Project
	byName   map[string]uint32
	keys     map[[32]byte]*keyEntry // revoked ones are not in it
	all      []*keyEntry            // by id
	rules    map[uint32][]Rule      // by project
}

// Open opens the control plane in the data directory, and makes or migrates it if
// need be.
func Open(dir string) (*DB, error) { return openIn(dir, true) }

// OpenCurrent is Open that leaves a file of an older version as it is: ErrOlder.
func OpenCurrent(dir string) (*DB, error) { return openIn(dir, false) }

func openIn(dir string, upgrade bool) (*DB, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the data directory: %w", err)
	}
	path := filepath.Join(dir, FileName)
	db, err := open(path, upgrade)
	if err != nil {
		return nil, fmt.Errorf("cannot open %q: %w", path, err)
	}
	return db, nil
}

func open(path string, upgrade bool) (*DB, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // readable for its owner alone
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	pragmas := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	}}
	conn, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: pragmas.Encode()}).String())
	if err != nil {
		return nil, err
	}
	conn.SetMaxOpenConns(1)
	db := &DB{sql: conn, drops: map[drop]int64{}, stop: make(chan struct{}), done: make(chan struct{})}
	ctx := context.Background()
	err = migrate(ctx, conn, upgrade)
	if err == nil {
		err = db.reload(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go db.saveLoop()
	return db, nil
}

func migrate(ctx context.Context, conn *sql.DB, upgrade bool) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, conn, files)
	if err != nil {
		return err
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	if have > newest {
		return fault.New(fault.Conflict,
			fmt.Sprintf("the database has schema version %d and this program knows %d", have, newest),
			"it was used by a newer Umpire: start that one, or restore a backup made before")
	}
	if have > 0 && have < newest && !upgrade {
		return ErrOlder
	}
	_, err = provider.Up(ctx)
	return err
}

// Reload reads the file again: another process may have changed it.
func (db *DB) Reload(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.save(ctx); err != nil {
		return err
	}
	return db.reload(ctx)
}

// reload replaces the snapshot by what the file says. Entries of keys that are
// known already are carried over, with what is not yet saved of them.
func (db *DB) reload(ctx context.Context) error {
	next := &snapshot{projects: map[uint32]Project{}, byName: map[string]uint32{}, keys: map[[32]byte]*keyEntry{}, rules: map[uint32][]Rule{}}
	if err := db.loadProjects(ctx, next); err != nil {
		return fmt.Errorf("cannot read the projects: %w", err)
	}
	if err := db.loadKeys(ctx, next); err != nil {
		return fmt.Errorf("cannot read the keys: %w", err)
	}
	if err := db.loadRules(ctx, next); err != nil {
		return fmt.Errorf("cannot read the rules: %w", err)
	}
	db.cache.Store(next)
	return nil
}

// change runs do in a transaction and makes its result visible in memory.
func (db *DB) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	// The file has changed: memory must follow even if the caller has left.
	return db.reload(context.WithoutCancel(ctx))
}

// Close writes down what is pending and closes the file.
func (db *DB) Close() error {
	select {
	case <-db.stop:
		return nil
	default:
	}
	close(db.stop)
	<-db.done
	db.mu.Lock()
	defer db.mu.Unlock()
	return errors.Join(db.save(context.Background()), db.sql.Close())
}

func micros(t time.Time) int64 { return t.UnixMicro() }

// fromMicros reads a time; NULL is the zero time.
func fromMicros(v sql.NullInt64) time.Time {
	if !v.Valid {
		return time.Time{}
	}
	return time.UnixMicro(v.Int64).UTC()
}
