package sql

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestValuesAreNeverSpliced renders every statement with a filter full of one text,
// and finds it among the values only; numbers, too, but for DuckDB.
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
	if lists != 18 {
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
			parts := []string{"DROP", "<no value>", "{{"}
			if c.dialect != DuckDB {
				parts = append(parts, "4711", "4712")
			}
			for _, part := range parts {
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

// FuzzPlainPlace: what is written into a statement is the text within its quotes, and
// all else is bound.
func FuzzPlainPlace(f *testing.F) {
	for _, seed := range []string{"", "create_order", "x'", `x\`, "a\x00b", "$1", "é", "--", strings.Repeat("a", 65)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		switch got, bound := plainPlace(3, text); {
		case bound != nil && (got != "$3" || bound != text):
			t.Errorf("%q became %q with %v", text, got, bound)
		case bound == nil && (got != "'"+text+"'" || strings.ContainsAny(text, "'\\$\x00") || !utf8.ValidString(text)):
			t.Errorf("%q was written as %q", text, got)
		}
	})
}

func TestRenderRefuses(t *testing.T) {
	if _, _, err := DuckDB.Render("nonesuch", Question{}); err == nil {
		t.Error("a statement that is not there was rendered")
	}
}
