package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/machine"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

const (
	// sealRows is how many events a generation holds: a row group of DuckDB. Whole row
	// groups in one transaction are compressed straight into the file.
	sealRows = 122_880
	// sealBytes is how many bytes of bodies it holds at most, roughly.
	sealBytes = 64 << 20
	// sealAfter is for how long what is new stays in memory alone.
	sealAfter = 15 * time.Minute
)

// sealing is a generation on its way into the file.
type sealing struct {
	generation int64
	position   uint64
	committed  bool
	err        error
	done       chan struct{}
}

// over reports whether nobody works on it.
func (s *sealing) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// rotate, under mu, lets a new generation take events and begins to seal the one
// that did. It waits for the one before, and fails while that cannot be sealed.
func (db *DB) rotate(ctx context.Context) error {
	if err := db.sealed(ctx); err != nil {
		return err
	}
	if db.rows == 0 && !db.listed {
		return nil
	}
	if err := db.newGeneration(ctx, []int64{db.generation, db.generation + 1}); err != nil {
		return err
	}
	s := &sealing{generation: db.generation, position: db.applied, done: make(chan struct{})}
	db.sealing = s
	db.generation++
	db.stage.begin()
	db.rows, db.bytes, db.listed = 0, 0, false
	db.age.Stop()
	go func() {
		defer close(s.done)
		machine.GiveWay()
		if s.err = db.seal(context.Background(), s); s.err != nil {
			slog.Warn("the store cannot write to its file; events wait in memory and in the log", "error", s.err)
		}
	}()
	return nil
}

// sealed, under mu, waits until no generation is being sealed. One that could not be
// is tried again.
func (db *DB) sealed(ctx context.Context) error {
	s := db.sealing
	if s == nil {
		return nil
	}
	select {
	case <-s.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.err != nil {
		if s.err = db.seal(ctx, s); s.err != nil {
			return s.err
		}
	}
	db.sealing = nil
	return nil
}

// sealAll, under mu, moves everything into the file.
func (db *DB) sealAll(ctx context.Context) error {
	return errors.Join(db.rotate(ctx), db.sealed(ctx))
}

// seal moves a generation into the file, in one transaction with what it counts for
// and its position in the log; then readers see it there.
func (db *DB) seal(ctx context.Context, s *sealing) error {
	db.cold.Lock()
	defer db.cold.Unlock()
	shown := false
	if !s.committed {
		var err error
		if shown, err = db.move(ctx, s); err != nil {
			if err = db.leaveOut(ctx, s, err); err == nil {
				shown, err = db.move(ctx, s)
			}
		}
		if err != nil {
			return fmt.Errorf("cannot seal events up to %d: %w", s.position, err)
		}
	}
	if !shown {
		err := within(ctx, db.write, func(tx *sql.Tx) error { return letGo(ctx, tx, s.generation) })
		if err != nil {
			return fmt.Errorf("cannot let go of what is sealed: %w", err)
		}
	}
	db.checkpointGrown(ctx)
	return nil
}

// move puts the generation into the file, and lets go of it in memory. Who begins to
// read between the two commits waits, so the second is made ready before the first. It
// is not shown if only the first could be made, which is no error.
func (db *DB) move(ctx context.Context, s *sealing) (shown bool, err error) {
	memory, err := db.read.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("cannot begin a transaction: %w", err)
	}
	defer memory.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	err = db.transact(ctx, func(tx *sql.Tx) error {
		if err := sealInto(ctx, tx, s, all); err != nil {
			return err
		}
		return letGo(ctx, memory, s.generation)
	})
	if err != nil {
		return false, err
	}
	s.committed = true
	db.position.Store(s.position)
	return memory.Commit() == nil, nil
}

// letGo takes a generation that is sealed out of memory.
func letGo(ctx context.Context, tx *sql.Tx, generation int64) error {
	if err := showLive(ctx, tx, []int64{generation + 1}); err != nil {
		return err
	}
	for _, statement := range append(dropHot(generation),
		"DROP TABLE "+factsTable(generation), "DROP TABLE "+listedTable(generation),
		fmt.Sprintf("UPDATE memory.main.hot_state SET oldest = %d", generation+1),
	) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// all is the condition that every event meets.
const all = "true"

// sealInto puts those events of the generation into the file for which the condition
// on the table s holds.
func sealInto(ctx context.Context, tx *sql.Tx, s *sealing, where string) error {
	facts := factsTable(s.generation)
	if where != all {
		some, err := factsOf(s.generation, where)
		if err != nil {
			return err
		}
		facts = "(" + some + ")"
	}
	events, err := statement.DuckDB.Packed("(" + together(s.generation, groups) + " WHERE " + where + ")")
	if err != nil {
		return err
	}
	do := []string{"INSERT INTO packed_events " + events}
	for _, table := range counted {
		rows, err := statement.DuckDB.Count(table, facts)
		if err != nil {
			return err
		}
		do = append(do, "INSERT INTO "+table+" "+rows)
	}
	do = append(do,
		"CREATE OR REPLACE TEMP TABLE listed AS FROM "+listedTable(s.generation),
		fmt.Sprintf("UPDATE store_state SET log_position = %d, generation = %d", s.position, s.generation))
	for _, text := range do {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("cannot run %.40q: %w", text, err)
		}
	}
	return listInto(ctx, tx)
}

// sealOld runs when a generation has been in memory for long.
func (db *DB) sealOld() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.closed {
		_ = db.rotate(context.Background()) // what fails is said by seal, and tried again
	}
}
