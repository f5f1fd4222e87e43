package sql

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestValuesAreNeverSpliced renders every statement with a filter full of one text,
// and finds it among the values only.
func TestValuesAreNeverSpliced(t *testing.T) {
	const text = "x'; DROP TABLE events; --"
	f := store.Filter{Project: 4711, From: time.Unix(1000, 0), To: time.Unix(2000, 0), Now: time.Unix(3000, 0), NewSince: time.Unix(4000, 0)}
	lists := 0
	for v := range reflect.ValueOf(&f).Elem().NumField() {
		if list, ok := reflect.ValueOf(&f).Elem().Field(v).Addr().Interface().(*[]string); ok {
			*list = []string{text, text}
			lists++
		}
	}
	if lists != 15 {
		t.Fatalf("the filter has %d lists", lists)
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dialect *Dialect
		rollups bool
		mark    string
	}{{DuckDB, true, "$"}, {DuckDB, false, "$"}, {ClickHouse, true, "{p"}, {ClickHouse, false, "{p"}} {
		for _, name := range names {
			name := strings.TrimSuffix(name, ".sql")
			if strings.Contains(name, ".") && c.dialect != ClickHouse {
				continue
			}
			q := Question{Filter: f, Rollups: c.rollups, Step: time.Hour, Limit: 4712, Tool: text}
			statement, args, err := c.dialect.Render(name, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"DROP", "4711", "4712", "<no value>", "{{"} {
				if strings.Contains(statement, part) {
					t.Errorf("%s holds %q:\n%s", name, part, statement)
				}
			}
			if marks := strings.Count(statement, c.mark); marks != len(args) {
				t.Errorf("%s has %d placeholders for %d values", name, marks, len(args))
			}
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	if _, _, err := DuckDB.Render("nonesuch", Question{}); err == nil {
		t.Error("a statement that is not there was rendered")
	}
}
