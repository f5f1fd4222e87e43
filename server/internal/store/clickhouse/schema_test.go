package clickhouse

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	lib "github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

var update = flag.Bool("update", false, "write the golden files again")

// The tables of one server and of a cluster are as they were looked at, and the engine
// can read the statements of both.
func TestSchema(t *testing.T) {
	db := opened(t, enginetest.URL(t), "n")
	for _, c := range []struct{ name, cluster string }{{"single", ""}, {"cluster", "umpires"}} {
		var all []string
		for _, name := range []string{"migrations/0001_events.sql", "migrations/0002_facts.sql", "migrations/0003_events.sql"} {
			more, err := schema{cluster: c.cluster}.statements(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, more...)
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

// A store of the first version, with events, goes on: what was counted stays, what comes
// is counted once. One with a batch of another node half way is not touched.
func TestFirstVersion(t *testing.T) {
	address, now := enginetest.URL(t), enginetest.URL(t)
	source := opened(t, now, "n")
	if err := source.Apply(t.Context(), []store.Entry{asked(1, 0, "a", umpire.BadArgs), asked(2, 10, "b", umpire.OK)}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/version1.sql")
	if err != nil {
		t.Fatal(err)
	}
	from := databaseOf(t, now)
	old := &DB{conn: connected(t, address), node: "n"}
	all := append(strings.Split(string(text), ";\n"), "CREATE TABLE schema_versions (version UInt32, at DateTime) ENGINE = MergeTree ORDER BY version",
		"INSERT INTO schema_versions VALUES (1, 0)", "INSERT INTO event_rows SELECT * FROM "+from+".event_rows",
		"INSERT INTO inbox ("+rowNames+", applied_at, token, last_seq) SELECT "+rowNames+", applied_at, 'other/1-2', 2 FROM "+from+".event_rows")
	for _, one := range all {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		if err := old.exec(t.Context(), one); err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
	}
	if _, err := Open(t.Context(), address, Options{Node: "n"}); err == nil || !strings.Contains(err.Error(), "other nodes") {
		t.Errorf("opened beside a node that is half way: %v", err)
	}
	if err := old.drop(t.Context(), "other/1-2"); err != nil {
		t.Fatal(err)
	}
	db := opened(t, address, "n")
	if err := db.Apply(t.Context(), []store.Entry{asked(3, 20, "c", umpire.OK), asked(4, 24*60*60, "c", umpire.Crashed)}); err != nil {
		t.Fatal(err)
	}
	if got, want := figures(t, db), "4 calls 4 timed 1 retries 2 repeated asks"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	var left string
	if err := db.conn.QueryRow(t.Context(), "SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 'events'").Scan(&left); err != nil || !strings.Contains(left, "UNION ALL") {
		t.Errorf("events are read by %q, %v", left, err)
	}
	for _, view := range []string{"tool_sums", "session_sums", "slot_ends", "client_sums", "kind_hours", "sender_hours", "failure_sums", "yielding"} {
		var reads string
		if err := db.conn.QueryRow(t.Context(), "SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 'fill_"+view+"'").Scan(&reads); err != nil || !strings.Contains(reads, ".facts") {
			t.Errorf("%s is filled by %q, %v", view, reads, err)
		}
	}
}

func databaseOf(t *testing.T, address string) string {
	t.Helper()
	options, _, err := parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return options.Auth.Database
}

func connected(t *testing.T, address string) lib.Conn {
	t.Helper()
	options, _, err := parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := driver.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
