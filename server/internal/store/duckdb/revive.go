package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// lost is what DuckDB says of a file that it trusts no more, after a checkpoint that
// could not be written: on a full disk, for one. It wants to read the file anew.
var lost = []string{`Database "cold" has been invalidated`, `Checkpoint failed for database "cold"`}

// reviveEach is when the checkpoint is tried again that could not be written.
const reviveEach = time.Minute

// noticed returns the error. One that says that the file is lost has it attached anew.
func (db *DB) noticed(err error) error {
	if err == nil || db.path == "" {
		return err
	}
	for _, text := range lost {
		if strings.Contains(err.Error(), text) {
			if db.reviving.CompareAndSwap(false, true) {
				go db.revive()
			}
			break
		}
	}
	return err
}

// revive attaches the file anew, as soon as nobody reads the old one and the disk lets
// it. What was committed is in DuckDB's log, and what is in memory stays there.
func (db *DB) revive() {
	defer db.reviving.Store(false)
	said := false
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := db.reattach(context.Background())
		if err == nil {
			break
		}
		if !said && wait > time.Second {
			said = true
			slog.Warn("the store cannot open its file again; is the disk full? events wait in the log, and it is tried again", "error", err)
		}
		time.Sleep(wait)
	}
}

// reattach succeeds at once if the store is closed.
func (db *DB) reattach(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.cold.Lock()
	defer db.cold.Unlock()
	if db.closed || db.gone {
		return nil
	}
	// By the connection that is at home in memory: the other one can do nothing now, and
	// finds the file under the same name.
	_, _ = db.hot.ExecContext(ctx, "DETACH cold") // at the second attempt it is gone
	if _, err := db.hot.ExecContext(ctx, "ATTACH "+quoted(db.path)+" AS cold"); err != nil {
		return fmt.Errorf("cannot open the file again: %w", err)
	}
	if err := db.reconcile(ctx, db.write); err != nil {
		return err
	}
	db.dirty = true
	db.idle.Reset(reviveEach) // if the disk is full still, that checkpoint fails as well
	slog.Info("the store opened its file again, after a checkpoint that could not be written")
	return nil
}

// reconcile brings what is known of the file up to what is in it: a commit may be there
// that was said to have failed.
func (db *DB) reconcile(ctx context.Context, conn *sql.Conn) error {
	var position uint64
	var sealed int64
	if err := conn.QueryRowContext(ctx, "SELECT log_position, generation FROM store_state").Scan(&position, &sealed); err != nil {
		return fmt.Errorf("cannot read where the file stands: %w", err)
	}
	db.position.Store(position)
	db.applied = max(db.applied, position)
	if s := db.sealing; s != nil && s.over() && s.generation == sealed {
		s.committed = true
	}
	return nil
}
