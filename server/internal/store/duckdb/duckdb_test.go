package duckdb_test

import (
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store {
		s, err := duckdb.Open(t.Context(), "", duckdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
