package duckdb

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestTablesAreWhole: what a store hands out as a table has every column, so that
// none is missing in a file or in another store.
func TestTablesAreWhole(t *testing.T) {
	db := openTest(t, filepath.Join(t.TempDir(), "events.duckdb"))
	defer db.Close()
	for _, table := range append([]store.Table{store.Events, store.Catalog}, store.Rollups...) {
		rows, err := db.write.QueryContext(t.Context(), "SELECT * FROM "+table.Name+" LIMIT 0")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		want, err := rows.Columns()
		if err = errors.Join(err, rows.Err()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range table.Columns {
			got = append(got, c.Name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s in the database (-) and in store.Table (+): %s", table.Name, d)
		}
	}
}
