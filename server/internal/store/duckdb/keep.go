package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// rollups are the tables that retention shortens, by their column of time.
var rollups = []struct{ table, at string }{
	{"tool_hours", "hour"},
	{"tool_latency", "hour"},
	{"tool_days", "hour"},
	{"tool_latency_days", "hour"},
	{"session_hours", "hour"},
	// A call of the day before may be what keeps two later ones in one session.
	{"session_slots", "slot + INTERVAL 25 HOUR"},
	{"client_hours", "hour"},
	{"kind_hours", "hour"},
	{"sender_hours", "hour"},
	{"failure_hours", "hour"},
}

// Expire implements store.Keeper.
func (db *DB) Expire(ctx context.Context, project uint32, raw, old time.Time) (events int64, err error) {
	ctx, unlock, err := db.allInFile(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	err = db.transact(ctx, func(tx *sql.Tx) error {
		if events, err = expire(ctx, tx, project, "packed_events", "started_at", raw); err != nil {
			return err
		}
		var counts int64
		for _, r := range rollups {
			n, err := expire(ctx, tx, project, r.table, r.at, old)
			if err != nil {
				return err
			}
			counts += n
		}
		if err := noteExpired(ctx, tx, project, "raw_since", raw, events); err != nil {
			return err
		}
		return noteExpired(ctx, tx, project, "rollups_since", old, counts)
	})
	if err != nil {
		return 0, fmt.Errorf("cannot remove what project %d no longer keeps: %w", project, err)
	}
	return events, db.checkpoint(ctx)
}

// expire removes what lies before the time, and counts it.
func expire(ctx context.Context, tx *sql.Tx, project uint32, table, column string, before time.Time) (int64, error) {
	if before.IsZero() {
		return 0, nil
	}
	res, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE project = $1 AND "+column+" < make_timestamp($2::BIGINT)", project, before.UnixMicro())
	if err != nil {
		return 0, fmt.Errorf("cannot shorten %q: %w", table, err)
	}
	return res.RowsAffected()
}

// noteExpired remembers since when all is there, if something is gone.
func noteExpired(ctx context.Context, tx *sql.Tx, project uint32, column string, since time.Time, gone int64) error {
	if gone == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO expired (project, "+column+") VALUES ($1, make_timestamp($2::BIGINT))", project, since.UnixMicro())
	return err
}

// Erase implements store.Keeper.
func (db *DB) Erase(ctx context.Context, project uint32, whose store.Whose) (gone store.Erased, err error) {
	ctx, unlock, err := db.allInFile(ctx)
	if err != nil {
		return gone, err
	}
	defer unlock()
	err = db.transact(ctx, func(tx *sql.Tx) error {
		if err := selectGone(ctx, tx, project, whose); err != nil {
			return err
		}
		var from, to sql.NullTime
		err := tx.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (kind = 'call'), count(DISTINCT session) FILTER (session <> ''),
			min(started_at), max(started_at) FROM twins`).Scan(&gone.Events, &gone.Calls, &gone.Sessions, &from, &to)
		if err != nil {
			return err
		}
		gone.From, gone.To = known(from), known(to)
		if err := takeOut(ctx, tx); err != nil {
			return err
		}
		if err := mark(ctx, tx); err != nil {
			return err
		}
		if err := forgetSessions(ctx, tx, project, whose.Session); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM twins")
		return err
	})
	if err != nil {
		return store.Erased{}, fmt.Errorf("cannot erase from project %d: %w", project, err)
	}
	return gone, errors.Join(db.learn(ctx), db.checkpoint(ctx))
}

func known(t sql.NullTime) *time.Time {
	if !t.Valid {
		return nil
	}
	at := t.Time.UTC()
	return &at
}

// selectGone makes the events that are to go the twins, all of which yield, beside an
// empty batch.
func selectGone(ctx context.Context, tx *sql.Tx, project uint32, whose store.Whose) error {
	for _, statement := range []string{"CREATE OR REPLACE TEMP TABLE batch AS FROM events LIMIT 0", "DELETE FROM twins"} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO twins SELECT * EXCLUDE (row, ended_block), row, true FROM stored_events
		WHERE project = $1 AND (($2 <> '' AND "user" = $2) OR ($3 <> '' AND session = $3))`, project, whose.User, whose.Session)
	return err
}

// forgetSessions takes the names of sessions that have no events any more out of the
// rollups of times without raw events.
func forgetSessions(ctx context.Context, tx *sql.Tx, project uint32, session string) error {
	for _, table := range []string{"session_hours", "session_slots"} {
		_, err := tx.ExecContext(ctx, "DELETE FROM "+table+` WHERE project = $1 AND session IN (
			SELECT session FROM twins WHERE session <> '' UNION ALL SELECT $2 WHERE $2 <> ''
		) AND session NOT IN (SELECT session FROM events WHERE project = $1)`, project, session)
		if err != nil {
			return fmt.Errorf("cannot forget sessions in %q: %w", table, err)
		}
	}
	return nil
}
