package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire"
)

const lateColumns = `e.project, e.session, e.tool, e.id, epoch_us(e.started_at), epoch_us(e.ended_at), e.args_hash, e.ask_hash,
	e.outcome = 'ok' AND NOT e.empty, e.is_retry, e.reworded, e.repeated`

const lateCondition = `e.kind = 'call' AND e.outcome IN ('ok', 'bad_args', 'tool_error', 'crashed') AND e.session <> '' AND e.tool <> ''`

// blockUS is how long one value of ended_block is, in microseconds.
const blockUS = 1 << 30

// learn, under mu and cold and with nothing in memory, fills lately with the calls in
// the file that ended last.
func (db *DB) learn(ctx context.Context) error {
	l := newLately()
	var last sql.NullInt64
	if err := db.write.QueryRowContext(ctx, "SELECT epoch_us(max(ended_at)) FROM stored_events WHERE ended_block = (SELECT max(ended_block) FROM packed_events)").Scan(&last); err != nil {
		return fmt.Errorf("cannot read when the last call ended: %w", err)
	}
	if last.Valid {
		l.horizon = min(last.Int64, time.Now().Add(-sweepKeeps).UnixMicro())
	}
	db.lately = l
	if !last.Valid || l.horizon == last.Int64 {
		return nil
	}
	return db.learnFrom(ctx, fmt.Sprintf("SELECT %s FROM stored_events e WHERE %s AND %s", lateColumns, lateCondition, endedAfter(l.horizon)))
}

// relearn, after applyCold, learns anew the calls of the sessions that a batch
// touched. What fails makes the next batches go into the file, too.
func (db *DB) relearn(ctx context.Context) {
	err := db.relearnTouched(ctx)
	if err != nil {
		slog.Warn("cannot read the calls that ended last", "error", err)
		db.lately = newLately()
		db.lately.horizon = math.MaxInt64
	}
}

func (db *DB) relearnTouched(ctx context.Context) error {
	rows, err := db.write.QueryContext(ctx, "SELECT project, session, tool FROM touched")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var project uint32
		var session, tool string
		if err := rows.Scan(&project, &session, &tool); err != nil {
			return err
		}
		db.lately.forget(db.lately.key(project, session, tool))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	const begin = -60_000_000_000_000_000 // long before all
	return db.learnFrom(ctx, fmt.Sprintf(`SELECT %s FROM stored_events e JOIN touched t ON e.project = t.project AND e.session = t.session AND e.tool = t.tool
		WHERE %s AND %s`, lateColumns, lateCondition, endedAfter(max(db.lately.horizon, begin))))
}

// endedAfter is the condition on stored_events e; its second part is what zone maps know.
func endedAfter(us int64) string {
	return fmt.Sprintf("e.ended_at > make_timestamp(%d) AND e.ended_block >= %d", us, us/blockUS)
}

func (db *DB) learnFrom(ctx context.Context, query string) error {
	rows, err := db.write.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("cannot read the calls that ended last: %w", err)
	}
	defer rows.Close()
	l := db.lately
	for rows.Next() {
		c := lateCall{}
		var session, tool, args, ask string
		var id duck.UUID
		if err := rows.Scan(&c.project, &session, &tool, &id, &c.start, &c.end, &args, &ask, &c.ok, &c.marks.retry, &c.marks.reworded, &c.marks.repeated); err != nil {
			return fmt.Errorf("cannot read a call that ended lately: %w", err)
		}
		c.id, c.key, c.args, c.ask = umpire.ID(id), l.key(c.project, session, tool), l.hash(args), l.hash(ask)
		l.add(c)
	}
	return rows.Err()
}
