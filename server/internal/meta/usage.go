package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// maxDropReasons bounds how many reasons one project may name, because the
// sender chooses them; the rest share the reason "other".
const maxDropReasons = 30

type drop struct {
	project uint32
	reason  string
}

// Used remembers that a key was used; announced, that it came with an empty list.
// It touches memory only and is saved within half a minute.
func (db *DB) Used(id int64, at time.Time, announced bool) {
	e := db.entry(id)
	if e == nil {
		return
	}
	raise(&e.lastUsed, micros(at))
	if announced {
		raise(&e.announcedAt, micros(at))
	}
	e.unsaved.Store(true)
}

// entry finds a key by number; all is sorted by it.
func (db *DB) entry(id int64) *keyEntry {
	all := db.cache.Load().all
	lo, hi := 0, len(all)
	for lo < hi {
		mid := (lo + hi) / 2
		if all[mid].key.ID < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(all) && all[lo].key.ID == id {
		return all[lo]
	}
	return nil
}

func raise(v *atomic.Int64, to int64) {
	for old := v.Load(); old < to && !v.CompareAndSwap(old, to); old = v.Load() {
	}
}

// Dropped adds to the count of events that a project's senders had to drop.
func (db *DB) Dropped(project uint32, reason string, events int64) {
	if events <= 0 {
		return
	}
	db.pendingMu.Lock()
	defer db.pendingMu.Unlock()
	db.drops[drop{project, plain(reason)}] += events
}

// Drops tells how many events a project's senders dropped, by the reason they gave;
// what other nodes were told, some seconds later.
func (db *DB) Drops(ctx context.Context, project uint32) (map[string]int64, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.save(ctx); err != nil {
		return nil, err
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT reason, events FROM drops WHERE project = $1`, project)
	if err != nil {
		return nil, fmt.Errorf("cannot read the drops: %w", err)
	}
	defer rows.Close()
	out := map[string]int64{}
	for rows.Next() {
		var reason string
		var n int64
		if err := rows.Scan(&reason, &n); err != nil {
			return nil, fmt.Errorf("cannot read the drops: %w", err)
		}
		out[reason] = n
	}
	return out, rows.Err()
}

func (db *DB) forgetDrops(project uint32) {
	db.pendingMu.Lock()
	defer db.pendingMu.Unlock()
	for d := range db.drops {
		if d.project == project {
			delete(db.drops, d)
		}
	}
}

func (db *DB) saveLoop() {
	every := saveEvery
	if db.dialect.shared {
		every = saveSharedEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-db.stop:
			return
		case <-tick.C:
			if err := db.saveNow(); err != nil {
				slog.Warn("cannot save when keys were used", "error", err)
			}
		}
	}
}

func (db *DB) saveNow() error {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.save(ctx)
}

// save writes the pending uses and drops. The caller holds mu.
func (db *DB) save(ctx context.Context) error {
	var used []*keyEntry
	for _, e := range db.cache.Load().all {
		if e.unsaved.Swap(false) {
			used = append(used, e)
		}
	}
	db.pendingMu.Lock()
	drops := db.drops
	db.drops = map[drop]int64{}
	db.pendingMu.Unlock()
	if len(used) == 0 && len(drops) == 0 {
		return nil
	}
	err := db.write(ctx, used, drops)
	if err != nil { // keep them for the next time
		for _, e := range used {
			e.unsaved.Store(true)
		}
		for d, n := range drops {
			db.Dropped(d.project, d.reason, n)
		}
		return fmt.Errorf("cannot save when keys were used: %w", err)
	}
	return nil
}

func (db *DB) write(ctx context.Context, used []*keyEntry, drops map[drop]int64) error {
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, e := range used {
		if _, err := tx.ExecContext(ctx, `UPDATE keys SET
			last_used = CASE WHEN last_used > $1 THEN last_used ELSE $1 END,
			announced_at = CASE WHEN announced_at > $2 OR $2 IS NULL THEN announced_at ELSE $2 END WHERE id = $3`, // another node may know better
			orNull(e.lastUsed.Load()), orNull(e.announcedAt.Load()), e.key.ID); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	for d, n := range drops {
		if err := addDrop(ctx, tx, d, n); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// addDrop adds one count. A project that is gone by now has none.
func addDrop(ctx context.Context, tx *sql.Tx, d drop, n int64) error {
	var known, reasons int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE reason = $2), count(*) FROM drops WHERE project = $1`,
		d.project, d.reason).Scan(&known, &reasons)
	if err != nil {
		return err
	}
	if known == 0 && reasons >= maxDropReasons {
		d.reason = "other"
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO drops (project, reason, events)
		SELECT id, CAST($2 AS TEXT), CAST($3 AS BIGINT) FROM projects WHERE id = $1
		ON CONFLICT (project, reason) DO UPDATE SET events = drops.events + excluded.events`, d.project, d.reason, n)
	return err
}

func orNull(v int64) any {
	if v == 0 {
		return nil
	}
	return v
}
