package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	driver "github.com/duckdb/duckdb-go/v2"
)

// worthIt is how many bytes of a file must be free, beside being more than half of
// it, for it to be written anew. DuckDB uses free blocks again, but gives them back to
// the disk only where they are at the end.
const worthIt = 64 << 20

// storageVersion is that of the files that are written, of which older versions of
// DuckDB know nothing: it compresses best.
const storageVersion = "v1.5.0"

// wasteful reports whether most of the file is free, or in an older format.
func (db *DB) wasteful(ctx context.Context, least int64) (bool, error) {
	if db.path == "" || db.anew {
		return db.anew && db.path != "", nil
	}
	var version string
	if err := db.write.QueryRowContext(ctx, "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = 'cold'").Scan(&version); err != nil {
		return false, fmt.Errorf("cannot read the version of the store's file: %w", err)
	}
	if strings.TrimSuffix(version, "+") != storageVersion {
		return true, nil
	}
	var block, total, free int64
	err := db.write.QueryRowContext(ctx, "SELECT block_size, total_blocks, free_blocks FROM pragma_database_size() WHERE database_name = 'cold'").Scan(&block, &total, &free)
	if err != nil {
		return false, fmt.Errorf("cannot read the size of the store: %w", err)
	}
	return free*block >= least && free > total/2, nil
}

func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", "''") + "'" }

// compact writes a closed store's file anew, without what is free in it. If that
// fails the file is as it was.
func compact(ctx context.Context, path string) (err error) {
	next := path + ".new"
	if err := os.Remove(next); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write the store anew: %w", err)
			_ = os.Remove(next)
			_ = os.Remove(next + ".wal")
		}
	}()
	connector, err := driver.NewConnector("", nil)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		"SET preserve_insertion_order = true",
		"ATTACH " + quoted(path) + " AS old (READ_ONLY)",
		"ATTACH " + quoted(next) + " AS next (STORAGE_VERSION '" + storageVersion + "')",
		"COPY FROM DATABASE old TO next",
		"CHECKPOINT next",
		"DETACH next",
		"DETACH old",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	if err := db.Close(); err != nil {
		return err
	}
	file, err := os.OpenFile(next, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if _, err := os.Stat(path + ".wal"); err == nil {
		return errors.New("the store has a log of its own still")
	}
	return os.Rename(next, path)
}
