package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// CopyTo writes the control plane as it is now into a new SQLite file at the path.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	if db.dialect.shared {
		to, err := openFile(path, true)
		if err != nil {
			return fmt.Errorf("cannot copy the projects and keys to %q: %w", path, err)
		}
		return errors.Join(Transfer(ctx, db, to), to.Close())
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.save(ctx); err != nil {
		return err
	}
	if _, err := db.sql.ExecContext(ctx, "VACUUM INTO $1", path); err != nil {
		return fmt.Errorf("cannot copy the projects and keys to %q: %w", path, err)
	}
	return nil
}

// Transfer copies everything from one control plane into another one, of either
// kind, that is empty: every table under the same names, numbers included. After an
// error, to is empty still.
func Transfer(ctx context.Context, from, to *DB) error {
	from.mu.Lock()
	defer from.mu.Unlock()
	if err := from.save(ctx); err != nil {
		return err
	}
	tables, err := transferred(ctx, from, to)
	if err != nil {
		return err
	}
	read, err := from.sql.BeginTx(ctx, from.dialect.reading)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", from.where, err)
	}
	defer read.Rollback() //nolint:errcheck // nothing was changed
	err = to.change(ctx, func(tx *sql.Tx) error {
		for _, t := range tables {
			if err := copyTable(ctx, read, tx, t); err != nil {
				return fmt.Errorf("cannot copy the table %q: %w", t, err)
			}
		}
		return copyNumbers(ctx, read, tx, from.dialect, to.dialect, tables)
	})
	if err != nil {
		return fmt.Errorf("cannot copy the projects and keys from %s to %s: %w", from.where, to.where, err)
	}
	return nil
}

// transferred are the tables, those that others refer to first.
func transferred(ctx context.Context, from, to *DB) ([]string, error) {
	if len(to.Projects()) > 0 {
		return nil, fault.New(fault.Conflict, "there are projects in "+to.where+" already", "give a database without projects")
	}
	file := from // which knows in what order they were made
	if from.dialect.shared {
		file = to
	}
	if file.dialect.shared {
		return nil, fault.New(fault.BadRequest, "both are PostgreSQL databases", "copy the one into the other with pg_dump and pg_restore")
	}
	return texts(ctx, file.sql, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version' ORDER BY rowid`)
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func texts(ctx context.Context, q queryer, query string) (out []string, err error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// copyTable copies the rows; the columns have the same names on both sides.
func copyTable(ctx context.Context, from, to *sql.Tx, table string) (err error) {
	rows, err := from.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	places := make([]string, len(names))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	insert, err := to.PrepareContext(ctx, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(places, ", ")+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	row, into := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// copyNumbers lets to go on counting where from is: the number of a project that was
// deleted is never given again.
func copyNumbers(ctx context.Context, from, to *sql.Tx, of, into dialect, tables []string) error {
	for _, t := range tables {
		n, err := of.lastNumber(ctx, from, t)
		if err == nil && n > 0 {
			err = into.setNumber(ctx, to, t, n)
		}
		if err != nil {
			return fmt.Errorf("cannot copy how far the table %q has counted: %w", t, err)
		}
	}
	return nil
}

// lastNumber is the highest number that the database ever gave a row; 0 for none.
func (d dialect) lastNumber(ctx context.Context, tx *sql.Tx, table string) (n int64, err error) {
	if d.shared {
		var sequence sql.NullString
		err = tx.QueryRowContext(ctx, `SELECT min(pg_get_serial_sequence(table_name, column_name)) FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`, table).Scan(&sequence)
		if err != nil || !sequence.Valid {
			return 0, err
		}
		err = tx.QueryRowContext(ctx, `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM `+sequence.String).Scan(&n)
		return n, err
	}
	err = tx.QueryRowContext(ctx, `SELECT seq FROM sqlite_sequence WHERE name = $1`, table).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

func (d dialect) setNumber(ctx context.Context, tx *sql.Tx, table string, n int64) error {
	if d.shared {
		_, err := tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, table, n)
		return err
	}
	for _, statement := range []string{
		`UPDATE sqlite_sequence SET seq = $2 WHERE name = $1`,
		`INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)`,
	} {
		if _, err := tx.ExecContext(ctx, statement, table, n); err != nil {
			return err
		}
	}
	return nil
}
