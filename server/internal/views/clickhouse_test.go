package views_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/clickhouse"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/views"
	"github.com/umpire-mcp/umpire/server/internal/views/viewstest"
)

// varied are calls that have something in every column, and all kinds of ends.
func varied() (batch []store.Entry) {
	for i := range 60 {
		e := call(i, begin.Add(time.Duration(i)*37*time.Minute), []string{"search", "find"}[i%2], []umpire.Outcome{umpire.OK, umpire.BadArgs, umpire.ToolError, umpire.Crashed}[i%4])
		e.Session, e.User, e.Intent = "s"+string(rune('a'+i%5)), []string{"", "Zoë"}[i%2], "to 'see' \\ it"
		e.ArgsHash, e.AskHash, e.SeenBy = string(rune('a'+i%3)), string(rune('a'+i%7)), "sdk"
		e.Client.Version = "2"
		e.Server = umpire.Peer{Name: "shop", Version: "1." + string(rune('0'+i/30))}
		if i%4 != 0 {
			e.Cause, e.ErrorType, e.ErrorMessage, e.Fingerprint, e.ErrorStatus = "validation", "Bad", "no\nway", "f"+string(rune('0'+i%3)), 400+i%4*29
		}
		if i%4 == 1 {
			e.BadParams = []umpire.BadParam{{Path: "/limit", Rule: "maximum"}}
		}
		batch = append(batch, store.Entry{Seq: uint64(i + 1), Project: 1, ReceivedAt: e.StartedAt, Event: e})
	}
	tools := umpire.Event{ID: umpire.ID{0: 9, 6: 0x70, 8: 0x80}, Kind: "catalog", StartedAt: begin.Add(time.Hour), Server: umpire.Peer{Name: "shop"}}
	tools.Tools = []umpire.ToolDefinition{{Name: "find", Definition: "d1", Title: "Find", Description: "finds", Bytes: 40, InputSchema: []byte(`{"type":"object"}`)}}
	return append(batch, store.Entry{Seq: 61, Project: 1, ReceivedAt: tools.StartedAt, Event: tools})
}

// What docs/sql.md asks, and every view whole, is answered from ClickHouse as it is from
// DuckDB.
func TestClickHouse(t *testing.T) {
	stores := map[string]store.Store{}
	var err error
	if stores["DuckDB"], err = duckdb.Open(t.Context(), "", duckdb.Options{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if stores["ClickHouse"], err = clickhouse.Open(t.Context(), enginetest.URL(t), clickhouse.Options{}); err != nil {
		t.Fatal(err)
	}
	said := map[string]map[string]string{}
	for name, s := range stores {
		t.Cleanup(func() { s.Close() })
		if err := s.Apply(t.Context(), varied()); err != nil {
			t.Fatal(err)
		}
		v := views.New(s.(store.Dumper), views.Options{Command: viewstest.Command, Time: patience})
		t.Cleanup(v.Close)
		said[name] = map[string]string{}
		for _, sql := range documented(t) {
			a, err := v.Answer(t.Context(), 1, begin, end, sql, 1000)
			if err != nil || len(a.Rows) == 0 || len(a.Notes) > 0 {
				t.Errorf("%s: %d rows, %v, %v: %s", name, len(a.Rows), a.Notes, err, sql)
			}
			said[name][sql] = rows(a)
		}
	}
	for sql, want := range said["DuckDB"] {
		if got := said["ClickHouse"][sql]; got != want {
			t.Errorf("%s\nClickHouse %s\nDuckDB     %s", sql, got, want)
		}
	}
}

// documented are the statements of docs/sql.md, and one for each view.
func documented(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.Split(strings.TrimSpace(m[1]), "\n\n")...)
	}
	for _, m := range regexp.MustCompile(`umpire query "(SELECT[^"]+)"|sql=(SELECT[^"]+)"`).FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.ReplaceAll(m[1]+m[2], "429", "458"))
	}
	if len(all) != 4 {
		t.Fatalf("docs/sql.md has %d statements: %q", len(all), all)
	}
	for _, v := range views.All {
		if v.Name != "kind_hours" { // of events that are no calls: there are none
			all = append(all, "FROM "+v.Name+" ORDER BY ALL")
		}
	}
	return all
}
