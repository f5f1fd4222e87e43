package reader

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Kept implements store.Reader.
func (in *reader) Kept(ctx context.Context, project uint32) (k store.Kept, err error) {
	err = in.snapshot(ctx, func(tx *sql.Tx) error {
		var raw, old sql.NullTime
		err := in.rows(ctx, tx, "kept", statement.New(store.Filter{Project: project}), func(scan func(...any) error) error { return scan(&raw, &old) })
		if raw.Valid {
			k.Raw = raw.Time.UTC()
		}
		if old.Valid {
			k.Rollups = old.Time.UTC()
		}
		return err
	})
	if err != nil {
		return k, fmt.Errorf("cannot read what project %d keeps: %w", project, err)
	}
	return k, nil
}
