package reader

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Reader answers the questions of store.Reader: each of the store as it is then,
// or, with a transaction, all of them of the store as it was when that began.
type Reader = reader

type reader struct {
	read    *sql.DB
	dialect *statement.Dialect

	begin func(context.Context, *sql.DB) (*sql.Tx, error)

	tx *sql.Tx
	mu *sync.Mutex // one statement at a time in a transaction
}

// New returns a reader of the database, which stays the caller's to close. Its
// statements are written in the dialect.
func New(db *sql.DB, dialect *statement.Dialect) *Reader {
	return &reader{read: db, dialect: dialect, begin: begin}
}

// From makes the reader begin what sees one state of the store by its own begin.
func (in *reader) From(begin func(context.Context, *sql.DB) (*sql.Tx, error)) *Reader {
	in.begin = begin
	return in
}

func begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot begin to read: %w", err)
	}
	return tx, nil
}

// Snapshot implements store.Reader.
func (in *reader) Snapshot(ctx context.Context, do func(store.Reader) error) error {
	if in.tx != nil {
		return do(in)
	}
	return in.snapshot(ctx, func(tx *sql.Tx) error {
		return do(&reader{tx: tx, mu: new(sync.Mutex), dialect: in.dialect})
	})
}

// snapshot runs do in a transaction that sees one state of the store, whatever is
// written meanwhile, so that the parts of an answer agree.
func (in *reader) snapshot(ctx context.Context, do func(*sql.Tx) error) error {
	if in.tx != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		return do(in.tx)
	}
	tx, err := in.begin(ctx, in.read)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit() // nothing; but some drivers close a connection that is rolled back
}

// each is rows for a question of one statement.
func (in *reader) each(ctx context.Context, name string, q statement.Question, row func(scan func(...any) error) error) error {
	return in.snapshot(ctx, func(tx *sql.Tx) error { return in.rows(ctx, tx, name, q, row) })
}
