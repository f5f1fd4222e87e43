package duckdb_test

import (
	"os"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

func TestStore(t *testing.T) {
	every := 3 // as ClickHouse does, for the same reason
	if os.Getenv("UMPIRE_TEST_FULL") != "" {
		every = 1
	}
	storetest.RunSome(t, every, func(t testing.TB) store.Store {
		s, err := duckdb.Open(t.Context(), "", duckdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
