package duckdb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables up to this version's. Each file of migrations/ is
// applied once, in the order of the names, in a transaction that also counts it.
//
// goose, which keeps the SQLite side, is not used here: it has no dialect for
// DuckDB, its table of versions wants a column that numbers itself, and it opens
// connections of its own, while here one connection must hold it all. What is left
// of it is this loop.
//
// It reports whether the events of an older version were written anew.
func migrate(ctx context.Context, conn *sql.Conn, upgrade bool) (anew bool, err error) {
	const state = `CREATE TABLE IF NOT EXISTS store_state (schema_version INTEGER NOT NULL, log_position UBIGINT NOT NULL)`
	if _, err := conn.ExecContext(ctx, state); err != nil {
		return false, fmt.Errorf("cannot create the table of the store's state: %w", err)
	}
	if _, err := conn.ExecContext(ctx, "INSERT INTO store_state (schema_version, log_position) SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM store_state)"); err != nil {
		return false, fmt.Errorf("cannot begin the store's state: %w", err)
	}
	var have int
	if err := conn.QueryRowContext(ctx, "SELECT schema_version FROM store_state").Scan(&have); err != nil {
		return false, fmt.Errorf("cannot read the store's version: %w", err)
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return false, fmt.Errorf("cannot list the migrations: %w", err)
	}
	if have > len(names) {
		return false, fault.New(fault.Conflict, fmt.Sprintf("the store is of version %d, and this umpire knows up to %d", have, len(names)),
			"it was written by a newer umpire: start that one, or umpire restore a backup that was made before the upgrade")
	}
	if have > 0 && have < len(names) && !upgrade {
		return false, ErrOlder
	}
	for i := have; i < len(names); i++ {
		if err := migrateOne(ctx, conn, names[i], i+1); err != nil {
			return false, fmt.Errorf("cannot apply migration %q: %w", names[i], err)
		}
	}
	return have > 0 && have < packed, nil
}

// packed is the version since which events are in packed_events.
const packed = 8

func migrateOne(ctx context.Context, conn *sql.Conn, name string, version int) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE store_state SET schema_version = $1", version); err != nil {
		return err
	}
	return tx.Commit()
}
