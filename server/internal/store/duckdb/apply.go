package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Apply implements store.Writer.
func (db *DB) Apply(ctx context.Context, batch []store.Entry) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	batch = after(batch, db.position)
	if len(batch) == 0 {
		return nil
	}
	last := batch[len(batch)-1].Seq
	err := db.transact(ctx, func(tx *sql.Tx) error {
		if err := db.stage(ctx, tx, batch); err != nil {
			return err
		}
		if err := replace(ctx, tx, batch); err != nil {
			return err
		}
		if err := mark(ctx, tx); err != nil {
			return err
		}
		if err := count(ctx, tx); err != nil {
			return err
		}
		if err := db.list(ctx, tx, batch); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE store_state SET log_position = $1", last)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot apply entries %d to %d: %w", batch[0].Seq, last, unavailable(err))
	}
	db.position = last
	return nil
}

// Position implements store.Writer.
func (db *DB) Position(context.Context) (uint64, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.position, nil
}

// after is the part of the batch behind the position. Seq rises along a batch.
func after(batch []store.Entry, position uint64) []store.Entry {
	for i := range batch {
		if batch[i].Seq > position {
			return batch[i:]
		}
	}
	return nil
}

// transact runs do in a transaction of the writer's connection, under mu.
func (db *DB) transact(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
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
	db.dirty = true
	db.idle.Reset(db.after)
	return nil
}

// stage puts the batch into the temporary table batch, shaped like events.
func (db *DB) stage(ctx context.Context, tx *sql.Tx, batch []store.Entry) error {
	if _, err := tx.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE batch AS FROM events LIMIT 0"); err != nil {
		return fmt.Errorf("cannot make the batch's table: %w", err)
	}
	row := make([]driver.Value, len(columns))
	return db.fill("batch", func(a *duck.Appender) error {
		for i := range batch {
			for c := range columns {
				row[c] = columns[c].value(&batch[i])
			}
			if err := a.AppendRow(row...); err != nil {
				return fmt.Errorf("cannot stage event %s: %w", batch[i].Event.ID, err)
			}
		}
		return nil
	})
}

// fill appends rows to a temporary table, within the open transaction.
func (db *DB) fill(table string, rows func(*duck.Appender) error) error {
	return db.write.Raw(func(conn any) error {
		a, err := duck.NewAppender(conn.(driver.Conn), "temp", "main", table)
		if err != nil {
			return fmt.Errorf("cannot append to %q: %w", table, err)
		}
		if err := rows(a); err != nil {
			_ = a.Close()
			return err
		}
		if err := a.Close(); err != nil {
			return fmt.Errorf("cannot append to %q: %w", table, err)
		}
		return nil
	})
}

// mark decides is_retry, reworded and repeated (outcomes.md 6.2), of the batch's
// calls and of stored ones that the batch's calls turn out to precede.
func mark(ctx context.Context, tx *sql.Tx) error {
	for _, step := range []struct{ makes, table string }{
		{"apply_touched", "touched"},
		{"apply_marks", "marks"},
	} {
		if n, err := makes(ctx, tx, step.makes, step.table); err != nil || n == 0 {
			return err
		}
	}
	if err := run(ctx, tx, "apply_mark_batch"); err != nil {
		return err
	}
	stored, err := makes(ctx, tx, "apply_changed", "before")
	if err != nil || stored == 0 {
		return err
	}
	if err := run(ctx, tx, "apply_tool_hours_change"); err != nil {
		return err
	}
	return run(ctx, tx, "apply_mark_stored")
}

// count stores the batch and adds what it counts for to the rollups.
func count(ctx context.Context, tx *sql.Tx) error {
	for _, name := range []string{
		"apply_events", "apply_facts", "apply_tool_hours", "apply_tool_latency", "apply_session_hours", "apply_session_slots", "apply_client_hours", "apply_kind_hours", "apply_sender_hours", "apply_failure_hours",
	} {
		if err := run(ctx, tx, name); err != nil {
			return err
		}
	}
	return nil
}

// run runs a statement of package sql.
func run(ctx context.Context, tx *sql.Tx, name string) error {
	text, args, err := statement.DuckDB.Render(name, statement.Question{})
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, text, args...); err != nil {
		return fmt.Errorf("cannot run %q: %w", name, err)
	}
	return nil
}

// makes runs a statement that makes a temporary table, and counts its rows.
func makes(ctx context.Context, tx *sql.Tx, name, table string) (n int64, err error) {
	if err := run(ctx, tx, name); err != nil {
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		return 0, fmt.Errorf("cannot count %q: %w", table, err)
	}
	return n, nil
}

// list brings the catalog up to what the batch's tools/list answers said.
func (db *DB) list(ctx context.Context, tx *sql.Tx, batch []store.Entry) error {
	listed := 0
	for i := range batch {
		if batch[i].Event.Kind == "catalog" {
			listed += len(batch[i].Event.Tools)
		}
	}
	if listed == 0 {
		return nil
	}
	const table = `CREATE OR REPLACE TEMP TABLE listed AS
SELECT project, server, version, env, tool, definition, title, description, bytes, input_schema, annotations, last_seen AS seen_at FROM catalog LIMIT 0`
	if _, err := tx.ExecContext(ctx, table); err != nil {
		return fmt.Errorf("cannot make the table of listed tools: %w", err)
	}
	err := db.fill("listed", func(a *duck.Appender) error {
		for i := range batch {
			if err := appendListed(a, &batch[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := run(ctx, tx, "apply_catalog_seen"); err != nil {
		return err
	}
	return run(ctx, tx, "apply_catalog_new")
}

func appendListed(a *duck.Appender, e *store.Entry) error {
	if e.Event.Kind != "catalog" {
		return nil
	}
	known := func(s string) string {
		if s == "" {
			return store.Unknown
		}
		return valid(s)
	}
	for _, t := range e.Event.Tools {
		err := a.AppendRow(e.Project, known(e.Event.Server.Name), known(e.Event.Server.Version), known(e.Event.Server.Env),
			known(t.Name), valid(t.Definition), valid(t.Title), valid(t.Description), clamp(int64(t.Bytes), maxBytes),
			valid(string(t.InputSchema)), valid(string(t.Annotations)), startedAt(&e.Event))
		if err != nil {
			return fmt.Errorf("cannot stage tool of catalog %s: %w", e.Event.ID, err)
		}
	}
	return nil
}
