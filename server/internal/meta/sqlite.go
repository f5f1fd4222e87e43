package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// FileName is the name of the database in the data directory.
const FileName = "meta.sqlite"

// ErrOlder is the error of OpenCurrent for a file of an older version.
var ErrOlder = errors.New("the database is of an older version")

// Open opens the control plane in the data directory, and makes or migrates it if
// need be.
func Open(dir string) (*DB, error) { return openIn(dir, true) }

// OpenCurrent is Open that leaves a file of an older version as it is: ErrOlder.
func OpenCurrent(dir string) (*DB, error) { return openIn(dir, false) }

func openIn(dir string, upgrade bool) (*DB, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the data directory: %w", err)
	}
	path := filepath.Join(dir, FileName)
	db, err := openFile(path, upgrade)
	if err != nil {
		return nil, fmt.Errorf("cannot open %q: %w", path, err)
	}
	return db, nil
}

func openFile(path string, upgrade bool) (*DB, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // readable for its owner alone
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	pragmas := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	}}
	conn, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: pragmas.Encode()}).String())
	if err != nil {
		return nil, err
	}
	conn.SetMaxOpenConns(1)
	return open(context.Background(), conn, sqlite, path, upgrade)
}
