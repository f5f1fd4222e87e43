package meta

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// A folder of migrations for each dialect, of the same numbers: see doc.go.
//
//go:embed migrations
var migrations embed.FS

// dialect is what differs between the two databases.
type dialect struct {
	goose goose.Dialect
	// folder of the migrations.
	folder string
	// reading is a transaction in which all is of one moment.
	reading *sql.TxOptions
	// shared: other nodes write, too.
	shared bool
}

var (
	sqlite   = dialect{goose: goose.DialectSQLite3, folder: "migrations/sqlite"}
	postgres = dialect{
		goose: goose.DialectPostgres, folder: "migrations/postgres", shared: true,
		reading: &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	}
)

// migrate brings the tables up to this version's.
func (d dialect) migrate(ctx context.Context, conn *sql.DB, upgrade bool) error {
	files, err := fs.Sub(migrations, d.folder)
	if err != nil {
		return err
	}
	if d.shared {
		unlock, err := alone(ctx, conn)
		if err != nil {
			return err
		}
		defer unlock()
	}
	provider, err := goose.NewProvider(d.goose, conn, files)
	if err != nil {
		return err
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	if have > newest {
		return fault.New(fault.Conflict,
			fmt.Sprintf("the database has schema version %d and this program knows %d", have, newest),
			"it was used by a newer Umpire: start that one, or restore a backup made before")
	}
	if have > 0 && have < newest && !upgrade {
		return ErrOlder
	}
	_, err = provider.Up(ctx)
	return err
}

// migrating is the number of the lock under which nodes that start at once make the
// tables one after the other.
const migrating = 0x756d70697265 // "umpire"

// alone waits for that lock. It goes with its connection, too.
func alone(ctx context.Context, db *sql.DB) (unlock func(), err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(migrating)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(migrating))
		_ = conn.Close()
	}, nil
}

// plain is text that both databases take: UTF-8 without NUL.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
