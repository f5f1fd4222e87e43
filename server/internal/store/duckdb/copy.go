package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// CopyTo implements backup.Copier: it copies the store as it is now to the path,
// which it makes, and calls then with its position in the log. Questions are
// answered meanwhile; nothing is applied before then returned.
func (db *DB) CopyTo(ctx context.Context, path string, then func(position uint64) error) error {
	ctx = context.WithoutCancel(ctx) // see allInFile
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || db.path == "" {
		return errors.New("cannot copy a store that has no open file")
	}
	if err := db.sealAll(ctx); err != nil {
		return err
	}
	db.cold.Lock()
	defer db.cold.Unlock()
	// If questions under way keep it from moving everything into its file, the rest
	// is in DuckDB's log, and the two belong together.
	_ = db.checkpoint(ctx)
	if db.file == nil {
		file, err := os.Open(db.path)
		if err != nil {
			return fmt.Errorf("cannot read the store: %w", err)
		}
		// To close any descriptor of a file gives up the process's locks on it (fcntl),
		// DuckDB's, too. So this one is kept until the store is closed.
		db.file = file
	}
	if _, err := db.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("cannot read the store: %w", err)
	}
	if err := writeNew(path, db.file); err != nil {
		return err
	}
	rest, err := os.Open(db.path + ".wal") // on which there is no lock
	if err == nil {
		err = errors.Join(writeNew(path+".wal", rest), rest.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return then(db.position.Load())
}

func writeNew(path string, from io.Reader) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot copy the store: %w", err)
	}
	if _, err = io.Copy(out, from); err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("cannot copy the store to %q: %w", path, err)
	}
	return nil
}

// closeFile is called once DuckDB has closed the file.
func (db *DB) closeFile() error {
	if db.file == nil {
		return nil
	}
	return db.file.Close()
}
