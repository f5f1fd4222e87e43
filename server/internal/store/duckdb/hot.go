package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// What is new is in tables in memory, a generation each, until it is sealed: moved
// into the file. Readers see both through views (schema live). There are never more
// than two generations: the one that is being sealed and the one that takes events.

// hotTable is the view of a generation's events in memory, factsTable the table of what
// they count for, as every question reads it and a view would be dear to plan, and
// listedTable that of the tools that were listed.
func hotTable(generation int64) string { return fmt.Sprintf("memory.main.hot_%d", generation) }

func factsTable(generation int64) string { return fmt.Sprintf("memory.main.facts_%d", generation) }

func listedTable(generation int64) string { return fmt.Sprintf("memory.main.listed_%d", generation) }

// prepareHot makes the first generation and what readers see. The next generation
// after the one that was sealed last is always the oldest in memory.
func (db *DB) prepareHot(ctx context.Context) error {
	for _, s := range []string{
		"CREATE SCHEMA memory.live",
		"CREATE TABLE memory.main.hot_state (oldest BIGINT NOT NULL)",
		fmt.Sprintf("INSERT INTO memory.main.hot_state VALUES (%d)", db.generation),
	} {
		if _, err := db.hot.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("cannot prepare the tables in memory: %w", err)
		}
	}
	return db.newGeneration(ctx, []int64{db.generation})
}

// newGeneration makes the tables of the last of the generations, and views of all.
func (db *DB) newGeneration(ctx context.Context, generations []int64) error {
	last := generations[len(generations)-1]
	facts, err := factsOf(last, "false")
	if err != nil {
		return err
	}
	return within(ctx, db.hot, func(tx *sql.Tx) error {
		for _, s := range append(hotShape(last),
			"CREATE TABLE "+factsTable(last)+" AS "+facts,
			"CREATE TABLE "+listedTable(last)+" AS "+listedShape,
		) {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("cannot make a table in memory: %w", err)
			}
		}
		return showLive(ctx, tx, generations)
	})
}

// factsOf is what those events of the generation count for that the condition on the
// table s holds for. No rollup is made of contents.
func factsOf(generation int64, where string) (string, error) {
	facts, err := statement.DuckDB.Facts("(" + together(generation, who) + " WHERE " + where + ")")
	return "SELECT * EXCLUDE (" + uncounted + ") FROM (" + facts + ")", err
}

// uncounted are the facts that no rollup is made of.
const uncounted = "error_status, session, person, empty_rule, suspects, bad_params, near"

// showLive makes the views of the file's tables and of the generations.
func showLive(ctx context.Context, tx *sql.Tx, generations []int64) error {
	hot, ended, listed := "", "", ""
	for _, g := range generations {
		hot += " UNION ALL FROM " + hotTable(g)
		ended += fmt.Sprintf(" UNION ALL SELECT epoch_us(ended_at) // %d, * FROM %s", blockUS, hotTable(g))
		listed += fmt.Sprintf(" UNION ALL SELECT project, server, version, env, tool, definition, title, description, bytes, input_schema, annotations, seen_at, seen_at, %d FROM %s", g, listedTable(g))
	}
	views := map[string]string{
		"events":  "FROM cold.main.events" + hot,
		"catalog": fmt.Sprintf(liveCatalog, listed),
	}
	for _, table := range counted {
		views[table] = "SELECT * FROM cold.main." + table
		for _, g := range generations { // a view of all would be planned anew for each
			part, err := statement.DuckDB.Each(table, factsTable(g))
			if err != nil {
				return err
			}
			views[table] += " UNION ALL (" + part + ")"
		}
	}
	for _, table := range tables {
		if _, ok := views[table]; !ok {
			views[table] = "SELECT * FROM cold.main." + table
		}
	}
	views["ended_events"] = "SELECT * EXCLUDE (row) FROM cold.main.stored_events" + ended
	for name, as := range views {
		if _, err := tx.ExecContext(ctx, "CREATE OR REPLACE VIEW memory.live."+name+" AS "+as); err != nil {
			return fmt.Errorf("cannot make the view %q: %w", name, err)
		}
	}
	return nil
}

// liveCatalog is the catalog with what was listed since, as apply_catalog_seen.sql
// would leave it.
const liveCatalog = `SELECT project, server, version, env, tool, definition,
  arg_max(title, {'seen': last_seen, 'generation': generation}) AS title, arg_max(description, {'seen': last_seen, 'generation': generation}) AS description,
  arg_max(bytes, {'seen': last_seen, 'generation': generation}) AS bytes, arg_max(input_schema, {'seen': last_seen, 'generation': generation}) AS input_schema,
  arg_max(annotations, {'seen': last_seen, 'generation': generation}) AS annotations, min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM (SELECT *, 0 AS generation FROM cold.main.catalog%s)
GROUP BY project, server, version, env, tool, definition`

// within runs do in a transaction of the connection.
func within(ctx context.Context, conn *sql.Conn, do func(*sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("cannot begin a transaction: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("cannot commit: %w", err)
	}
	return nil
}

// pin makes the transaction see one state of file and memory together. That a
// generation is sealed takes two commits; who comes between them tries again.
func pin(ctx context.Context, tx *sql.Tx) (ok bool, err error) {
	var sealed, oldest int64
	err = tx.QueryRowContext(ctx, "SELECT s.generation, h.oldest FROM cold.main.store_state s, memory.main.hot_state h").Scan(&sealed, &oldest)
	if err != nil {
		return false, fmt.Errorf("cannot begin to read: %w", err)
	}
	return sealed+1 == oldest, nil
}

// pinned is a transaction that pin was right about.
func pinned(ctx context.Context, from *sql.DB) (*sql.Tx, error) {
	for {
		tx, err := from.BeginTx(ctx, nil)
		if err != nil {
			return nil, fmt.Errorf("cannot begin to read: %w", err)
		}
		ok, err := pin(ctx, tx)
		if ok {
			return tx, nil
		}
		_ = tx.Rollback()
		if err != nil {
			return nil, err
		}
		time.Sleep(time.Millisecond)
	}
}

// pinned is the function of that name, which notices that the file is lost.
func (db *DB) pinned(ctx context.Context, from *sql.DB) (*sql.Tx, error) {
	tx, err := pinned(ctx, from)
	return tx, db.noticed(err)
}

// reading runs do in a pinned transaction of a reader.
func (db *DB) reading(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := db.pinned(ctx, db.read)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	return do(tx)
}

// weight is about what an event takes in memory beyond its columns, in bytes.
func weight(e *store.Entry) int {
	return len(e.Event.Input) + len(e.Event.Output) + len(e.Event.Intent) + 200*len(e.Event.Tools) + 100*len(e.Event.Meta)
}
