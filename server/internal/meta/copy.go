package meta

import (
	"context"
	"errors"
	"fmt"
)

// ErrOlder is the error of OpenCurrent for a file of an older version.
var ErrOlder = errors.New("the database is of an older version")

// CopyTo writes the control plane as it is now into a new file at the path.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.save(ctx); err != nil {
		return err
	}
	if _, err := db.sql.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("cannot copy the projects and keys to %q: %w", path, err)
	}
	return nil
}
