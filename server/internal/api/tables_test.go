package api_test

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/export"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestWholeTables: every table in every format, and Parquet as DuckDB reads it.
func TestWholeTables(t *testing.T) {
	h, dir := serve(t), t.TempDir()
	duck, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer duck.Close()
	for _, name := range api.TableNames() {
		table, _ := store.TableNamed(name)
		target := "/api/v1/tables/" + name
		const q = "?project=shop&from=2026-05-04&to=2026-05-05"
		lines, err := csv.NewReader(get(h, target+".csv"+q).Body).ReadAll()
		if err != nil || len(lines) < 2 || len(lines[0]) != len(table.Columns) || lines[0][0] != "project" {
			t.Errorf("%s.csv: %d lines, %v", name, len(lines), err)
			continue
		}
		rows := len(lines) - 1
		if got := bytes.Count(get(h, target+".ndjson"+q).Body.Bytes(), []byte("\n")); got != rows {
			t.Errorf("%s.ndjson has %d lines, want %d", name, got, rows)
		}
		file := filepath.Join(dir, name+".parquet")
		w := get(h, target+".parquet"+q)
		if w.Header().Get("Content-Type") != export.Parquet.MediaType() {
			t.Errorf("%s is of the type %q", name, w.Header().Get("Content-Type"))
		}
		if err := os.WriteFile(file, w.Body.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := duck.QueryRow("SELECT count(*) FROM read_parquet('" + file + "')").Scan(&n); err != nil || n != rows {
			t.Errorf("DuckDB reads %d rows of %s, %v; want %d", n, name, err, rows)
		}
		if name == store.Events.Name { // as text, as DuckDB writes it, what Umpire answers
			var calls, empty int
			var day string
			err := duck.QueryRow(`SELECT count(*) FILTER (kind = 'call' AND outcome IN ('ok', 'bad_args', 'tool_error', 'crashed')), count(*) FILTER (kind = 'call' AND outcome = 'ok' AND empty),
				strftime(min(started_at), '%Y-%m-%d') FROM read_parquet('`+file+`')`).Scan(&calls, &empty, &day)
			var o struct {
				Calls  int
				Slices struct{ Empty int }
			}
			if err := json.Unmarshal(get(h, "/api/v1/overview"+q).Body.Bytes(), &o); err != nil {
				t.Fatal(err)
			}
			if err != nil || calls != o.Calls || empty != o.Slices.Empty || day != "2026-05-04" || calls == 0 {
				t.Errorf("DuckDB counts %d calls, %d empty, from %s, %v; want %+v", calls, empty, day, err, o)
			}
		}
	}
}

func TestTablesRefuse(t *testing.T) {
	h := serve(t)
	for _, c := range []struct {
		target string
		code   int
	}{
		{"tables/nothing.csv", http.StatusNotFound},
		{"tables/store_state.csv", http.StatusNotFound},
		{"tables/events.xlsx", http.StatusNotFound},
		{"tables/events.csv?tool=find", http.StatusBadRequest},
		{"tables/events.csv?from=yesterday", http.StatusBadRequest},
		{"tables/events.csv?project=other", http.StatusNotFound},
	} {
		if w := get(h, "/api/v1/"+c.target); w.Code != c.code {
			t.Errorf("%s: %d %s, want %d", c.target, w.Code, w.Body, c.code)
		}
	}
}
