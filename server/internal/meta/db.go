package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// saveEvery is how often use of keys and drops are written down.
	saveEvery = 30 * time.Second
	// answerWithin bounds what is asked of the database in the background.
	answerWithin = 10 * time.Second
)

// DB is the open control plane. Its methods may be called from many goroutines.
type DB struct {
	sql     *sql.DB
	dialect dialect
	where   string

	mu    sync.Mutex // one writer: a change of the file and of cache is one step
	cache atomic.Pointer[snapshot]

	pendingMu sync.Mutex
	drops     map[drop]int64

	stop       chan struct{}
	background sync.WaitGroup
}

// snapshot is everything in memory. It is replaced as a whole.
type snapshot struct {
	projects map[uint32]Project
	byName   map[string]uint32
	keys     map[[32]byte]*keyEntry // revoked ones are not in it
	all      []*keyEntry            // by id
	rules    map[uint32][]Rule      // by project
	mutes    map[uint32][]Mute      // by project
	revision int64                  // what it shows, where others write, too
}

// open makes the tables, reads them and takes over the connection, also if it fails.
func open(ctx context.Context, conn *sql.DB, d dialect, where string, upgrade bool) (*DB, error) {
	db := &DB{sql: conn, dialect: d, where: where, drops: map[drop]int64{}, stop: make(chan struct{})}
	err := d.migrate(ctx, conn, upgrade)
	if err == nil {
		err = db.reload(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	db.background.Go(db.saveLoop)
	if d.shared {
		db.background.Go(db.follow)
	}
	return db, nil
}

// Where names the file or the database, without a password.
func (db *DB) Where() string { return db.where }

// Shared reports whether other nodes may use the same database.
func (db *DB) Shared() bool { return db.dialect.shared }

// Reload reads the file again: another process may have changed it.
func (db *DB) Reload(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.save(ctx); err != nil {
		return err
	}
	return db.reload(ctx)
}

// reload replaces the snapshot by what the database says now. Entries of keys that
// are known already are carried over, with what is not yet saved of them. The caller
// holds mu.
func (db *DB) reload(ctx context.Context) error {
	tx, err := db.sql.BeginTx(ctx, db.dialect.reading)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was changed
	next := &snapshot{projects: map[uint32]Project{}, byName: map[string]uint32{}, keys: map[[32]byte]*keyEntry{}, rules: map[uint32][]Rule{}, mutes: map[uint32][]Mute{}}
	if err := db.loadProjects(ctx, tx, next); err != nil {
		return fmt.Errorf("cannot read the projects: %w", err)
	}
	if err := db.loadKeys(ctx, tx, next); err != nil {
		return fmt.Errorf("cannot read the keys: %w", err)
	}
	if err := db.loadRules(ctx, tx, next); err != nil {
		return fmt.Errorf("cannot read the rules: %w", err)
	}
	if err := db.loadMutes(ctx, tx, next); err != nil {
		return fmt.Errorf("cannot read the mutes: %w", err)
	}
	if db.dialect.shared {
		if err := tx.QueryRowContext(ctx, `SELECT n FROM revision`).Scan(&next.revision); err != nil {
			return fmt.Errorf("cannot read the revision: %w", err)
		}
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
	if db.dialect.shared {
		// Tells the other nodes, and lets one at a time change something.
		_, err = tx.ExecContext(ctx, `UPDATE revision SET n = n + 1`)
	}
	if err == nil {
		err = do(tx)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	// The database has changed: memory must follow even if the caller has left.
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
	db.background.Wait()
	db.mu.Lock()
	defer db.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	return errors.Join(db.save(ctx), db.sql.Close())
}

func micros(t time.Time) int64 { return t.UnixMicro() }

// fromMicros reads a time; NULL is the zero time.
func fromMicros(v sql.NullInt64) time.Time {
	if !v.Valid {
		return time.Time{}
	}
	return time.UnixMicro(v.Int64).UTC()
}
