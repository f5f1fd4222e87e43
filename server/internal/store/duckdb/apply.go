package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/cell"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Apply implements store.Writer. Nearly every batch goes into memory (applyHot). One
// that bears on what is in the file already goes there itself (applyCold).
func (db *DB) Apply(ctx context.Context, batch []store.Entry) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	batch = after(batch, db.applied)
	defer db.quiet.Reset(restAfter)
	for len(batch) > 0 {
		part, err := db.room(ctx, batch)
		if err == nil {
			err = db.applyPart(ctx, part)
		}
		if err != nil {
			return fmt.Errorf("cannot apply entries %d to %d: %w", batch[0].Seq, batch[len(batch)-1].Seq, unavailable(db.noticed(err)))
		}
		batch = batch[len(part):]
	}
	return nil
}

// room is as much of the batch as the generation has room for.
func (db *DB) room(ctx context.Context, batch []store.Entry) ([]store.Entry, error) {
	if db.rows >= db.opts.sealRows() || db.bytes >= db.opts.sealBytes() {
		if err := db.rotate(ctx); err != nil {
			return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
	}
	return batch[:min(len(batch), db.opts.sealRows()-db.rows)], nil
}

func (db *DB) applyPart(ctx context.Context, part []store.Entry) error {
	done, err := db.applyHot(ctx, part)
	if err == nil && !done {
		err = db.applyCold(ctx, part)
	}
	if err != nil {
		return err
	}
	db.applied = part[len(part)-1].Seq
	db.lately.sweep(time.Now())
	if db.rows >= db.opts.sealRows() || db.bytes >= db.opts.sealBytes() {
		if s := db.sealing; s == nil || s.over() { // or the next batch waits
			_ = db.rotate(ctx) // what fails is told by the next batch
		}
	}
	return nil
}

// applyCold stores a batch in the file, after all that is in memory.
func (db *DB) applyCold(ctx context.Context, batch []store.Entry) error {
	if err := db.sealAll(ctx); err != nil {
		return err
	}
	db.cold.Lock()
	defer db.cold.Unlock()
	last := batch[len(batch)-1].Seq
	err := db.transact(ctx, func(tx *sql.Tx) error {
		if err := db.stageCold(ctx, tx, batch); err != nil {
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
		return err
	}
	db.applied = last
	db.position.Store(last)
	db.checkpointGrown(ctx)
	db.relearn(ctx)
	return nil
}

// Position implements store.Writer.
func (db *DB) Position(context.Context) (uint64, error) { return db.position.Load(), nil }

// after is the part of the batch behind the position. Seq rises along a batch.
func after(batch []store.Entry, position uint64) []store.Entry {
	for i := range batch {
		if batch[i].Seq > position {
			return batch[i:]
		}
	}
	return nil
}

// transact runs do in a transaction of the file, under cold.
func (db *DB) transact(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("cannot begin a transaction: %w", db.noticed(err))
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	if err := do(tx); err != nil {
		return db.noticed(err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("cannot commit: %w", db.noticed(err))
	}
	db.dirty = true
	db.idle.Reset(db.opts.checkpointAfter())
	return nil
}

// stageCold puts the batch into the temporary table batch, shaped like events.
func (db *DB) stageCold(ctx context.Context, tx *sql.Tx, batch []store.Entry) error {
	if _, err := tx.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE batch AS FROM events LIMIT 0"); err != nil {
		return fmt.Errorf("cannot make the batch's table: %w", err)
	}
	row := make([]driver.Value, len(columns))
	return fill(db.write, "temp", "batch", func(a *duck.Appender) error {
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

// fill appends rows to a table, within the connection's open transaction.
func fill(conn *sql.Conn, catalog, table string, rows func(*duck.Appender) error) error {
	return conn.Raw(func(conn any) error {
		a, err := duck.NewAppender(conn.(driver.Conn), catalog, "main", table)
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
	if err := daysAnew(ctx, tx, "before"); err != nil {
		return err
	}
	return run(ctx, tx, "apply_mark_stored")
}

// counted are the rollups, each by apply_<name>.sql, whose template count_<name> says
// what events count for: those of a batch, of a generation that is sealed, and of what
// is in memory for readers.
var counted = []string{
	"tool_hours", "tool_latency", "tool_days", "tool_latency_days", "session_hours", "session_slots", "client_hours", "kind_hours", "sender_hours", "failure_hours",
}

// count stores the batch and adds what it counts for to the rollups.
func count(ctx context.Context, tx *sql.Tx) error {
	names := []string{"apply_events", "apply_facts"}
	for _, table := range counted {
		names = append(names, "apply_"+table)
	}
	for _, name := range names {
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

const listedShape = "SELECT project, server, version, env, tool, definition, title, description, bytes, input_schema, annotations, last_seen AS seen_at FROM cold.main.catalog LIMIT 0"

// list brings the catalog up to what the batch's tools/list answers said.
func (db *DB) list(ctx context.Context, tx *sql.Tx, batch []store.Entry) error {
	if _, err := tx.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE listed AS "+listedShape); err != nil {
		return fmt.Errorf("cannot make the table of listed tools: %w", err)
	}
	err := fill(db.write, "temp", "listed", func(a *duck.Appender) error {
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
	return listInto(ctx, tx)
}

// listInto brings the catalog up to the table listed.
func listInto(ctx context.Context, tx *sql.Tx) error {
	var n int64
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM listed").Scan(&n); err != nil || n == 0 {
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
	for _, t := range e.Event.Tools {
		err := a.AppendRow(e.Project, cell.Known(e.Event.Server.Name), cell.Known(e.Event.Server.Version), cell.Known(e.Event.Server.Env),
			cell.Known(t.Name), cell.Text(t.Definition), cell.Text(t.Title), cell.Text(t.Description), cell.Clamp(int64(t.Bytes), cell.MaxBytes),
			cell.Text(string(t.InputSchema)), cell.Text(string(t.Annotations)), startedAt(&e.Event))
		if err != nil {
			return fmt.Errorf("cannot stage tool of catalog %s: %w", e.Event.ID, err)
		}
	}
	return nil
}
