package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// What was taken into memory may be refused by the file: by a rule of a column, or a
// sum that does not fit. One such event must not keep all others out, so it is looked
// for by halves, told of (OnRefusal), and left out.

// OnRefusal implements store.Refuser.
func (db *DB) OnRefusal(tell func(seq uint64, cause error) error) {
	db.cold.Lock()
	defer db.cold.Unlock()
	db.refusal = tell
}

// errUndo ends a trial that went well.
var errUndo = errors.New("only tried")

// leaveOut, under cold, takes out of the generation what the file refuses, so that the
// rest can be sealed. It returns the cause if it found nothing: then it is not the
// events that are at fault.
func (db *DB) leaveOut(ctx context.Context, s *sealing, cause error) error {
	if db.refusal == nil || errors.Is(unavailable(cause), store.ErrUnavailable) {
		return cause
	}
	seqs, err := db.seqs(ctx, s.generation)
	if err != nil {
		return errors.Join(cause, err)
	}
	f := finder{db: db, ctx: ctx, s: s, seqs: seqs, refused: map[uint64]error{}}
	if err := f.try(0, 0); err != nil { // without any event: it is the store
		return cause
	}
	if err := f.find(0, len(seqs), cause); err != nil {
		return errors.Join(cause, err)
	}
	if len(f.refused) == 0 || len(f.refused) == len(seqs) {
		return cause
	}
	gone := make([]string, 0, len(f.refused))
	for seq, why := range f.refused {
		if err := db.refusal(seq, why); err != nil {
			return errors.Join(cause, err)
		}
		gone = append(gone, fmt.Sprint(seq))
	}
	refused := " FROM memory.main." + baseTable(s.generation) + " WHERE seq IN (" + strings.Join(gone, ", ") + ")"
	return within(ctx, db.write, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM "+factsTable(s.generation)+" WHERE (project, id) IN (SELECT (project, id)"+refused+")")
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE"+refused)
		}
		return err
	})
}

// seqs are those of the generation's events, rising.
func (db *DB) seqs(ctx context.Context, generation int64) (all []uint64, err error) {
	rows, err := db.write.QueryContext(ctx, "SELECT seq FROM memory.main."+baseTable(generation)+" ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("cannot list what is in memory: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq uint64
		if err := rows.Scan(&seq); err != nil {
			return nil, fmt.Errorf("cannot list what is in memory: %w", err)
		}
		all = append(all, seq)
	}
	return all, rows.Err()
}

// finder looks for the events of a generation that the file refuses.
type finder struct {
	db      *DB
	ctx     context.Context
	s       *sealing
	seqs    []uint64
	refused map[uint64]error
}

// find looks among seqs[from:to], which were refused together.
func (f *finder) find(from, to int, cause error) error {
	if to-from == 1 {
		f.refused[f.seqs[from]] = cause
		return nil
	}
	mid := from + (to-from)/2
	for _, half := range [][2]int{{from, mid}, {mid, to}} {
		err := f.try(half[0], half[1])
		if errors.Is(unavailable(err), store.ErrUnavailable) {
			return err
		}
		if err == nil {
			continue
		}
		if err := f.find(half[0], half[1], err); err != nil {
			return err
		}
	}
	return nil
}

// try seals seqs[from:to] and takes it back.
func (f *finder) try(from, to int) error {
	where := "false"
	if to > from {
		where = fmt.Sprintf("s.seq BETWEEN %d AND %d", f.seqs[from], f.seqs[to-1])
	}
	err := within(f.ctx, f.db.write, func(tx *sql.Tx) error {
		if err := sealInto(f.ctx, tx, f.s, where); err != nil {
			return err
		}
		return errUndo
	})
	if errors.Is(err, errUndo) {
		return nil
	}
	return err
}
