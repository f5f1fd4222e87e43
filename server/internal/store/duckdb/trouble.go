package duckdb

import (
	"errors"
	"fmt"
	"slices"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// unavailable marks an error of DuckDB that no event is to blame for.
func unavailable(err error) error {
	var d *duck.Error
	if errors.As(err, &d) && slices.Contains(storesOwn, d.Type) {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

var storesOwn = []duck.ErrorType{
	duck.ErrorTypeIO, duck.ErrorTypeOutOfMemory, duck.ErrorTypeFatal, duck.ErrorTypeConnection, duck.ErrorTypeInterrupt,
	duck.ErrorTypePermission, duck.ErrorTypeTransaction,
}
