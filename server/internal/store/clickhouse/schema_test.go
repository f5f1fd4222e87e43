package clickhouse

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/enginetest"
)

var update = flag.Bool("update", false, "write the golden files again")

// The tables of one server and of a cluster are as they were looked at, and the engine
// can read the statements of both.
func TestSchema(t *testing.T) {
	db := opened(t, enginetest.URL(t), "n")
	for _, c := range []struct{ name, cluster string }{{"single", ""}, {"cluster", "umpires"}} {
		all, err := schema{c.cluster}.statements("migrations/0001_events.sql")
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			if err := db.exec(t.Context(), "EXPLAIN AST "+one); err != nil {
				t.Errorf("%s: %v\n%s", c.name, err, one)
			}
		}
		got := strings.Join(all, ";\n\n") + ";\n"
		path := filepath.Join("testdata", c.name+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
