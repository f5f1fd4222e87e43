package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Log is where the log lies that Apply is fed from. Of two logs of one name, as a copy of
// a data directory is, one would count for the other, and its events would be lost.
type Log struct {
	// Place names the directory, and is another one in a copy of it. Empty: this
	// process feeds nothing, and is asked nothing.
	Place string
	// Last is the number of the log's last entry.
	Last uint64
	// Host is where it is, for people.
	Host string
}

const (
	// beat is how often a node says that it is there, and silent after how long without
	// it is taken for gone.
	beat   = 20 * time.Second
	silent = 3 * beat
)

// owner is who fed the log of the node's name from some place, and when last.
type owner struct {
	place, session, host string
	released             bool
	ago                  time.Duration
}

// owners are those of the node's name, the last one first.
func (db *DB) owners(ctx context.Context) ([]owner, error) {
	rows, err := db.conn.Query(ctx, `SELECT place, argMax(session, at), argMax(host, at), argMax(released, at), toInt64(toUnixTimestamp64Micro(now64(6)) - toUnixTimestamp64Micro(max(at)))
FROM owners WHERE node = {node:String} GROUP BY place ORDER BY max(at) DESC, place`, driver.Named("node", db.node))
	if err != nil {
		return nil, fmt.Errorf("cannot read who feeds the log %q: %w", db.node, clean(err))
	}
	defer rows.Close()
	var all []owner
	for rows.Next() {
		var o owner
		var ago int64
		if err := rows.Scan(&o.place, &o.session, &o.host, &o.released, &ago); err != nil {
			return nil, fmt.Errorf("cannot read who feeds a log: %w", err)
		}
		o.ago = time.Duration(ago) * time.Microsecond
		all = append(all, o)
	}
	return all, clean(rows.Err())
}

// own makes this process the one that feeds the log of the node's name, or says why it
// must not be.
func (db *DB) own(ctx context.Context, l Log) error {
	all, err := db.owners(ctx)
	if err != nil {
		return err
	}
	if err := db.mayOwn(ctx, all, l); err != nil {
		return err
	}
	db.log, db.session = l, random()
	return db.say(ctx, false)
}

func (db *DB) mayOwn(ctx context.Context, all []owner, l Log) error {
	if len(all) == 0 || all[0].place == l.Place {
		return nil // whoever fed it from here is gone: he held the directory's lock
	}
	now := all[0]
	refused := func(why, hint string) error {
		return fault.New(fault.Conflict, fmt.Sprintf("the data directory is a copy: its log %q %s", db.node, why), hint)
	}
	const anew = "remove its files node-name and node-place: it goes on under a name of its own, and what of its log is stored already is not stored again"
	if !now.released && now.ago < silent {
		return refused(fmt.Sprintf("is fed by another umpire, on %s, that was there %s ago", now.host, now.ago.Round(time.Second)),
			fmt.Sprintf("if that one runs, give this one a new directory, or %s; if it was killed and the directory moved here, start again in a minute", anew))
	}
	for _, o := range all[1:] {
		if o.place == l.Place {
			return refused("went on in another directory, on "+now.host, "use that one; or, if this one is to be used beside it, "+anew)
		}
	}
	var position uint64
	if err := db.conn.QueryRow(ctx, "SELECT max(position) FROM positions WHERE node = {node:String}", driver.Named("node", db.node)).Scan(&position); err != nil {
		return fmt.Errorf("cannot read the position: %w", clean(err))
	}
	if position > l.Last {
		return refused(fmt.Sprintf("is at %d here, and the store has it up to %d, from %s", l.Last, position, now.host), "use the directory that went on; or "+anew)
	}
	return nil
}

// say tells the others that this process feeds the log, or no longer does.
func (db *DB) say(ctx context.Context, released bool) error {
	err := db.conn.Exec(ctx, "INSERT INTO owners (node, place, session, host, released, at) SELECT {node:String}, {place:String}, {session:String}, {host:String}, {released:Bool}, now64(6)",
		driver.Named("node", db.node), driver.Named("place", db.log.Place), driver.Named("session", db.session), driver.Named("host", db.log.Host), driver.Named("released", released))
	if err != nil {
		return fmt.Errorf("cannot say who feeds the log %q: %w", db.node, clean(err))
	}
	return nil
}

// owned is nil as long as this process is the one that feeds the log.
func (db *DB) owned(ctx context.Context) error {
	if db.session == "" {
		return nil
	}
	all, err := db.owners(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 || all[0].session == db.session {
		return nil
	}
	return fmt.Errorf("%w: another umpire, on %s, feeds the log %q: its data directory is a copy of this one", store.ErrUnavailable, all[0].host, db.node)
}

// beatEvery says that the node is there, until Close.
func (db *DB) beatEvery(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := db.owned(ctx)
		if err == nil {
			err = db.say(ctx, false)
		}
		if err != nil && ctx.Err() == nil {
			slog.Warn("cannot say that this node feeds its log", "err", err)
		}
	}
}

// release says that the log is fed no longer, so that the directory may move.
func (db *DB) release() error {
	if db.session == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if db.owned(ctx) != nil {
		return nil // it is not there, or another's
	}
	return db.say(ctx, true)
}
