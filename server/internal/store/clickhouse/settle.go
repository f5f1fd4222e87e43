package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// lately is how long ago a batch may have been applied for Settle to look at it again.
// Two batches that did not see each other were applied within seconds.
const lately = 10 * time.Minute

// settleEvery settles in the background, until Close.
func (db *DB) settleEvery(ctx context.Context, interval time.Duration) {
	since := time.Now().UTC()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		mine, err := db.lease(ctx, since, 3*interval)
		if err == nil && mine {
			_, err = db.Settle(ctx)
		}
		if err != nil && ctx.Err() == nil {
			slog.Warn("cannot settle what several nodes fed; it is tried again", "err", err)
		}
	}
}

// lease reports whether this node is the one that settles: the one that began first of
// those that are alive.
func (db *DB) lease(ctx context.Context, since time.Time, lasting time.Duration) (bool, error) {
	now := time.Now()
	insert := fmt.Sprintf("INSERT INTO leases SELECT '%s', %s, %s", db.node, micros(since), micros(now.Add(lasting)))
	if err := db.exec(ctx, insert); err != nil {
		return false, fmt.Errorf("cannot ask for the lease: %w", err)
	}
	var holder string
	err := db.conn.QueryRow(ctx, "SELECT node FROM leases WHERE until > "+micros(now)+" ORDER BY since, node LIMIT 1").Scan(&holder)
	if err != nil {
		return false, fmt.Errorf("cannot read the lease: %w", clean(err))
	}
	return holder == db.node, nil
}

// Settle looks again at what was applied in the last ten minutes: an event that two
// nodes brought is there once, and the marks of calls whose sessions two nodes fed are
// what they would be, had one node brought all of them. It returns how many rows that
// took. What it does can be repeated: it goes by what is there.
func (db *DB) Settle(ctx context.Context) (int, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.unsure {
		if err := db.recover(ctx); err != nil {
			return 0, err
		}
	}
	since := time.Now().Add(-lately)
	once, err := db.surplus(ctx, since)
	if err != nil {
		return 0, err
	}
	if err := db.commitBeside(ctx, once); err != nil {
		return 0, err
	}
	marked, err := db.remark(ctx, since)
	if err != nil {
		return 0, err
	}
	return len(once) + len(marked), db.commitBeside(ctx, marked)
}

// commitBeside commits rows that are not of the log.
func (db *DB) commitBeside(ctx context.Context, rows []*row) error {
	if len(rows) == 0 {
		return nil
	}
	return db.commit(ctx, rows, db.node+"/settle "+random(), 0)
}

// surplus are the rows after which each of the events that were applied lately is there
// once: of the incarnations that are left one stays, what the SDK saw or what is whole
// before others, and every other one sums up to nothing.
func (db *DB) surplus(ctx context.Context, since time.Time) ([]*row, error) {
	const twice = `SELECT project, id, started_at FROM event_rows WHERE applied_at >= %s GROUP BY project, id, started_at
HAVING (project, id) IN (
  SELECT project, id FROM (
    SELECT project, id, version, sum(sign) AS net FROM event_rows WHERE applied_at >= %s GROUP BY project, id, version
  ) GROUP BY project, id HAVING max(net) > 1 OR min(net) < 0 OR sum(net) > 1
)`
	result, err := db.conn.Query(ctx, fmt.Sprintf(twice, micros(since), micros(since)))
	if err != nil {
		return nil, fmt.Errorf("cannot look for duplicates: %w", clean(err))
	}
	defer result.Close()
	var which []*row
	for result.Next() {
		r := &row{}
		var id string
		if err := result.Scan(&r.project, &id, &r.started); err != nil {
			return nil, fmt.Errorf("cannot read a duplicate: %w", err)
		}
		copy(r.id[:], id)
		which = append(which, r)
	}
	if err := result.Err(); err != nil || len(which) == 0 {
		return nil, clean(err)
	}
	all, err := db.signed(ctx, ofProjects(which)+" AND "+began(spans(which, day))+" AND "+ofIDs(which))
	if err != nil {
		return nil, err
	}
	return once(all), nil
}

// signed are the rows of a condition, of either sign.
func (db *DB) signed(ctx context.Context, where string) ([]*row, error) {
	return db.query(ctx, "SELECT "+rowNames+" FROM event_rows WHERE "+where)
}

// once are the rows that make of each event's rows one that is left.
func once(all []*row) []*row {
	type incarnation struct {
		row *row
		net int
	}
	events := map[key]map[uint64]*incarnation{}
	for _, r := range all {
		k := key{r.project, r.id}
		if events[k] == nil {
			events[k] = map[uint64]*incarnation{}
		}
		in := events[k][r.version]
		if in == nil {
			in = &incarnation{row: r}
			events[k][r.version] = in
		}
		in.net += int(r.sign)
	}
	var out []*row
	for _, incarnations := range events {
		var stays *incarnation
		for _, in := range incarnations {
			if in.net > 0 && (stays == nil || rank(in.row) > rank(stays.row) || rank(in.row) == rank(stays.row) && in.row.version < stays.row.version) {
				stays = in
			}
		}
		for _, in := range incarnations {
			want := 0
			if in == stays {
				want = 1
			}
			for ; in.net != want; in.net += sign(want - in.net) {
				fix := *in.row
				fix.sign = int8(sign(want - in.net))
				out = append(out, &fix)
			}
		}
	}
	return out
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// remark are the rows that correct the marks of calls in chains that more than one node
// fed lately.
func (db *DB) remark(ctx context.Context, since time.Time) ([]*row, error) {
	const fed = `SELECT project, session, tool, min(started_at), max(ended_at) FROM event_rows
WHERE applied_at >= %s AND sign = 1 AND kind = 'call' AND outcome IN ('ok', 'bad_args', 'tool_error', 'crashed') AND session <> '' AND tool <> ''
GROUP BY project, session, tool HAVING uniqExact(node) > 1`
	result, err := db.conn.Query(ctx, fmt.Sprintf(fed, micros(since)))
	if err != nil {
		return nil, fmt.Errorf("cannot look for sessions of several nodes: %w", clean(err))
	}
	defer result.Close()
	touched := map[chain]reach{}
	for result.Next() {
		var c chain
		var from, to time.Time
		if err := result.Scan(&c.project, &c.session, &c.tool, &from, &to); err != nil {
			return nil, fmt.Errorf("cannot read a session of several nodes: %w", err)
		}
		touched[c] = reach{from.Add(-store.Recent), from, to.Add(store.Recent)}
	}
	if err := result.Err(); err != nil || len(touched) == 0 {
		return nil, clean(err)
	}
	near, err := db.near(ctx, touched)
	if err != nil {
		return nil, err
	}
	return db.settled(ctx, linked(near, touched, nil))
}
