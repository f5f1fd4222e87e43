package views_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/views"
	"github.com/umpire-mcp/umpire/server/internal/views/viewstest"
)

func TestMain(m *testing.M) { viewstest.Main(m) }

const secret = "hidden-of-theirs"

// patience is the time of statements that take none: a machine may be busy with
// other tests for a while.
const patience = time.Minute

var (
	begin = time.Date(2026, time.May, 4, 0, 0, 0, 0, time.UTC)
	end   = begin.Add(7 * 24 * time.Hour)
)

func call(n int, at time.Time, tool string, outcome umpire.Outcome) umpire.Event {
	took := int64(1000 + n)
	return umpire.Event{
		ID: umpire.ID{0: 1, 6: 0x70, 8: 0x80, 14: byte(n >> 8), 15: byte(n)}, Kind: "call", StartedAt: at,
		Call: umpire.Call{Tool: tool, Outcome: outcome, DurationUS: &took}, Client: umpire.Peer{Name: "cursor"},
	}
}

// shop is a store with 1,000 calls of project 1, every fourth of them crashed, and one of
// project 2 that is secret.
func shop(t testing.TB) store.Store {
	t.Helper()
	s, err := duckdb.Open(t.Context(), "", duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var batch []store.Entry
	add := func(project uint32, e umpire.Event) {
		batch = append(batch, store.Entry{Seq: uint64(len(batch) + 1), Project: project, ReceivedAt: e.StartedAt, Event: e})
	}
	for i := range 1000 {
		e := call(i, begin.Add(time.Duration(i)*10*time.Minute), "find", umpire.OK)
		if i%4 == 0 {
			e.Outcome, e.Cause, e.ErrorType = umpire.Crashed, "panic", "KeyError"
		}
		e.Empty = i%4 == 1
		add(1, e)
	}
	hidden := call(5000, begin, secret, umpire.ToolError)
	hidden.ErrorMessage, hidden.Session, hidden.User = secret, secret, secret
	add(2, hidden)
	if err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t testing.TB, opt views.Options) *views.Views {
	t.Helper()
	opt.Command = viewstest.Command
	v := views.New(shop(t).(store.Dumper), opt)
	t.Cleanup(v.Close)
	return v
}

// rows are the rows as one text.
func rows(a query.SQLRows) string {
	text, _ := json.Marshal(a.Rows)
	return string(text)
}

func TestStatementsAreAnswered(t *testing.T) {
	v := open(t, views.Options{Time: patience})
	for _, tt := range []struct{ name, sql, want string }{
		{"count", "SELECT count(*) FROM calls", "[[1000]]"},
		{"by slice", "SELECT slice, count(*) AS n FROM calls GROUP BY ALL ORDER BY slice", `[["crashed",250],["empty",250],["ok",500]]`},
		{"the rollup says the same", "SELECT sum(calls), sum(ok), sum(empty), sum(crashed) FROM tool_hours", "[[1000,750,250,250]]"},
		{"names that are words of SQL", "SELECT count(user_id), any_value(tool) FROM calls WHERE error_type = 'KeyError'", `[[0,"find"]]`},
		{"a time", "SELECT min(started_at), max(started_at)::DATE FROM calls", `[["2026-05-04T00:00:00Z","2026-05-10"]]`},
		{"what is not known", "SELECT DISTINCT user_id, env FROM calls", `[[null,"unknown"]]`},
		{"values of many types", "SELECT 1::HUGEINT, 1.50::DECIMAL(9,2), [1, 2], {'a': 1}, 'x'::BLOB, 'nan'::DOUBLE, true, 0.25", `[[1,1.5,[1,2],{"a":1},"\\x78","NaN",true,0.25]]`},
		{"an id", "SELECT typeof(id), length(id) FROM calls LIMIT 1", `[["VARCHAR",36]]`},
		{"a query of several parts", "WITH a AS (SELECT tool FROM calls) FROM a SELECT DISTINCT tool -- all", `[["find"]]`},
		{"a table from a function", "SELECT * FROM range(3)", "[[0],[1],[2]]"},
		{"nothing", "SELECT 1 WHERE false", "null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := v.Answer(t.Context(), 1, begin, end, tt.sql, 100)
			if err != nil {
				t.Fatal(err)
			}
			if got := rows(a); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if len(a.Notes) > 0 || a.More {
				t.Errorf("%+v", a)
			}
		})
	}
	a, err := v.Answer(t.Context(), 1, begin, end, "DESCRIBE calls", 100)
	if err != nil || len(a.Rows) < 40 {
		t.Errorf("%v %d columns", err, len(a.Rows))
	}
}

// Whatever is asked, nothing but the project's rows is seen, nothing is changed, and
// nothing is read, written or printed.
func TestAttacks(t *testing.T) {
	v := open(t, views.Options{Time: patience})
	target := filepath.Join(t.TempDir(), "written")
	for _, sql := range []string{
		"ATTACH '" + target + "' AS x", "ATTACH ':memory:' AS x", "DETACH memory", "USE memory.main",
		"COPY calls TO '" + target + "'", "COPY (SELECT 1) TO '" + target + "' (FORMAT PARQUET)", "COPY calls FROM '/etc/passwd'",
		"EXPORT DATABASE '" + target + "'", "IMPORT DATABASE '/tmp'",
		"SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM read_blob('/etc/passwd')",
		"SELECT * FROM read_json('/etc/passwd')", "SELECT * FROM read_parquet('/etc/passwd')", "SELECT * FROM sniff_csv('/etc/passwd')",
		"SELECT * FROM '/etc/passwd'", "SELECT * FROM 'x.csv'", "SELECT * FROM 'http://127.0.0.1/x.parquet'", "SELECT * FROM glob('/etc/*')", "SELECT * FROM parquet_metadata('/etc/passwd')",
		"SELECT (SELECT content FROM read_text('/etc/passwd'))", "WITH x AS (SELECT * FROM read_text('/etc/passwd')) FROM x", "SELECT * FROM calls WHERE id IN (SELECT file FROM glob('/*'))",
		"FROM calls, LATERAL (SELECT * FROM read_text(calls.tool))", "SELECT * FROM query('SELECT 1')", "SELECT * FROM query_table('calls')", "SELECT * FROM json_execute_serialized_sql('{}')",
		"SELECT * FROM enable_profiling()", "SELECT * FROM enable_logging()", "FROM enable_profiling(save_location='" + target + "')", "SELECT * FROM enable_logging(storage='file', storage_path='" + target + "')",
		"SELECT * FROM duckdb_secrets()", "SELECT * FROM which_secret('a', 's3')", "SELECT * FROM duckdb_settings()", "SELECT * FROM duckdb_extensions()", "SELECT * FROM pragma_database_size()",
		"PRAGMA version", "PRAGMA enable_profiling", "PRAGMA database_list", "CALL pragma_version()", "INSTALL httpfs", "LOAD httpfs", "FORCE INSTALL spatial FROM community",
		"SET threads = 8", "SET memory_limit = '100GB'", "SET enable_external_access = true", "RESET ALL", "SET VARIABLE x = 1",
		"SELECT 1; SELECT 2", "SELECT 1; DROP TABLE calls", "DROP TABLE calls; SELECT 1", "SELECT 1;; COPY calls TO '" + target + "'",
		"INSERT INTO calls SELECT * FROM calls", "DELETE FROM calls", "UPDATE calls SET tool = 'x'", "TRUNCATE calls", "CREATE TABLE x (a INT)", "CREATE MACRO m() AS 1", "CREATE SECRET s (TYPE s3)",
		"WITH x AS (DELETE FROM calls RETURNING id) SELECT * FROM x", "EXPLAIN ANALYZE DELETE FROM calls", "EXPLAIN SELECT 1", "PREPARE p AS SELECT 1", "EXECUTE p", "BEGIN", "COMMIT", "CHECKPOINT", "VACUUM", "LISTEN x",
		"SELECT getenv('PATH')", "SELECT $1", "SELECT ?", "SELECT", "", " ", "--", ";", "'", "\x00", "SELECT \x00", strings.Repeat("(", 4000), "SELECT " + strings.Repeat("-", 4000) + "1",
		"SELECT '" + strings.Repeat("x", views.MaxStatement), "SELECT nextval('x')", "SELECT * FROM events", "SELECT * FROM other.calls", "SELECT error('x')",
	} {
		a, err := v.Answer(t.Context(), 1, begin, end, sql, 10)
		if err == nil {
			t.Errorf("%.100q is answered: %.300s", sql, rows(a))
		} else if code := fault.From(err).Code; code != fault.BadRequest {
			t.Errorf("%.100q: %s: %v", sql, code, err)
		}
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("a statement wrote a file")
	}
	// All that can be listed is of the process itself, and holds nothing of the other project, of
	// the store or of the environment.
	for _, sql := range []string{
		"FROM calls", "SHOW ALL TABLES", "SHOW DATABASES", "FROM information_schema.tables", "FROM information_schema.columns", "FROM duckdb_tables", "FROM duckdb_columns", "FROM duckdb_views", "FROM duckdb_databases",
		"FROM sqlite_master", "FROM pg_catalog.pg_class", "FROM pg_catalog.pg_settings", "FROM duckdb_logs", "SELECT current_setting('home_directory'), current_setting('secret_directory')", "SELECT current_user, current_database(), version()",
		"FROM tool_hours", "FROM session_hours", "FROM failure_hours", "FROM client_hours", "FROM kind_hours", "FROM sender_hours", "FROM tool_latency", "FROM catalog", "SUMMARIZE calls",
		"SELECT * FROM calls WHERE tool = '" + secret[:4] + "' || '" + secret[4:] + "' OR true", "SELECT write_log('x')",
	} {
		a, err := v.Answer(t.Context(), 1, begin, end, sql, 100000)
		if all := rows(a) + fmt.Sprint(err); strings.Contains(all, secret) || strings.Contains(all, os.Getenv("HOME")+"/") {
			t.Errorf("%s shows: %.300s", sql, all)
		}
	}
	a, err := v.Answer(t.Context(), 1, begin, end, "SELECT count(*) FROM calls", 10)
	if err != nil || rows(a) != "[[1000]]" {
		t.Errorf("afterwards: %v %s", err, rows(a))
	}
	if a, err = v.Answer(t.Context(), 2, begin, end, "SELECT tool FROM calls", 10); err != nil || rows(a) != `[["`+secret+`"]]` {
		t.Errorf("the other project: %v %s", err, rows(a))
	}
}

// What takes too long or too much is stopped, and the next statement is answered.
func TestBombs(t *testing.T) {
	v := open(t, views.Options{Time: patience, Memory: 128 << 20})
	well := func(t *testing.T) {
		t.Helper()
		a, err := v.Answer(t.Context(), 1, begin, end, "SELECT count(*) FROM calls", 10)
		if err != nil || rows(a) != "[[1000]]" {
			t.Errorf("%v %s", err, rows(a))
		}
	}
	well(t) // the copy is whole: the bombs have no time for another
	for _, tt := range []struct {
		name, sql string
		codes     []fault.Code
	}{
		{"a cross join", "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c", []fault.Code{fault.Unavailable}},
		{"a recursion without an end", "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x", []fault.Code{fault.Unavailable, fault.TooLarge}},
		{"a recursion that doubles", "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n FROM (SELECT n FROM x UNION ALL SELECT n FROM x)) SELECT count(*) FROM x", []fault.Code{fault.Unavailable, fault.TooLarge}},
		{"a text of 3 GB", "SELECT length(repeat('x', (3000000000 + length(tool))::BIGINT)) FROM calls LIMIT 1", []fault.Code{fault.Unavailable, fault.TooLarge, fault.BadRequest}},
		{"many texts of 10 MB", "SELECT max(length(repeat(tool, 2000000 + (random() * 10)::BIGINT))) FROM calls", []fault.Code{fault.Unavailable, fault.TooLarge}},
		{"a list of all", "SELECT len(list(a.range * b.range)) FROM range(100000) a, range(100000) b", []fault.Code{fault.Unavailable, fault.TooLarge}},
		{"a sort of all", "SELECT random() AS r FROM range(300000000) ORDER BY r", []fault.Code{fault.Unavailable, fault.TooLarge}},
		{"a map whose keys Go cannot have", "SELECT map([[1]], [1])", []fault.Code{fault.BadRequest}},
		{"brackets without an end", "SELECT " + strings.Repeat("(", 4000) + "1" + strings.Repeat(")", 4000), []fault.Code{"", fault.BadRequest}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if slices.Contains(tt.codes, fault.Unavailable) {
				v.Within(300 * time.Millisecond)
			}
			_, err := v.Answer(t.Context(), 1, begin, end, tt.sql, 10)
			v.Within(patience)
			code := fault.Code("")
			if err != nil {
				code = fault.From(err).Code
			}
			if !slices.Contains(tt.codes, code) {
				t.Errorf("%q %v, want one of %q", code, err, tt.codes)
			}
			well(t) // afterwards
		})
	}
}

func TestAnswersAreBounded(t *testing.T) {
	v := open(t, views.Options{Rows: 300, Time: patience})
	a, err := v.Answer(t.Context(), 1, begin, end, "SELECT count(*), min(started_at) FROM calls", 10)
	if err != nil || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "calls holds the newest rows only, since 2026-05-") {
		t.Fatalf("%v %+v", err, a)
	}
	var row []any
	if err := json.Unmarshal(a.Rows[0], &row); err != nil {
		t.Fatal(err)
	}
	if n := row[0].(float64); n > 300 || n < 200 {
		t.Errorf("%v calls were copied, want the newest 300 or a few less", n)
	}
	if !strings.Contains(a.Notes[0], row[1].(string)[:10]) {
		t.Errorf("the note names another time than the oldest call: %s, %s", a.Notes[0], row[1])
	}
	if a, err = v.Answer(t.Context(), 1, begin, end, "FROM calls", 7); err != nil || len(a.Rows) != 7 || !a.More {
		t.Errorf("%v: %d rows, more %t", err, len(a.Rows), a.More)
	}
	if a, err = v.Answer(t.Context(), 1, begin, end, "SELECT repeat('ab', 5000) FROM range(1000)", 1000); err != nil || len(rows(a)) > 1100<<10 || !a.More {
		t.Errorf("%v: %d bytes, more %t", err, len(rows(a)), a.More)
	}
	if a, err = v.Answer(t.Context(), 1, begin, end, "SELECT repeat('ä', 100000)", 10); err != nil || len(rows(a)) > 11<<10 || !strings.Contains(rows(a), "ä…") {
		t.Errorf("%v: %d bytes", err, len(rows(a)))
	}
	// Only the range is there.
	if a, err = v.Answer(t.Context(), 1, begin, begin.Add(time.Hour), "SELECT count(*) FROM calls", 10); err != nil || rows(a) != "[[6]]" {
		t.Errorf("%v %s", err, rows(a))
	}
}

// Whoever gives up stops what runs.
func TestCancel(t *testing.T) {
	v := open(t, views.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := v.Answer(ctx, 1, begin, end, "SELECT count(*) FROM range(10000000) a, range(10000000) b", 10); err == nil || ctx.Err() == nil {
		t.Errorf("%v", err)
	}
	v.Close()
	if _, err := v.Answer(t.Context(), 1, begin, end, "SELECT 1", 10); err == nil || fault.From(err).Code != fault.Unavailable {
		t.Errorf("after Close: %v", err)
	}
}

// Every view and column is in the documentation.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views.All {
		if !strings.Contains(string(text), "`"+v.Name+"`") {
			t.Errorf("docs/sql.md has no view %s", v.Name)
		}
		for _, c := range v.Columns {
			if !strings.Contains(string(text), "`"+c.Name+"`") {
				t.Errorf("docs/sql.md has no column %s of %s", c.Name, v.Name)
			}
		}
	}
}

func FuzzStatement(f *testing.F) {
	for _, sql := range []string{"SELECT 1", "FROM calls", "SELECT * FROM range(3)", "DESCRIBE calls", "SELECT 'a'; DROP TABLE calls", "WITH x AS (FROM calls) FROM x", "SELECT repeat('x', 100000000)", "VALUES (1), (NULL)", "SELECT [1, NULL], {'a': {'b': 1}}, MAP {1: 2}"} {
		f.Add(sql)
	}
	v := open(f, views.Options{Time: 500 * time.Millisecond, Memory: 128 << 20})
	f.Fuzz(func(t *testing.T, sql string) {
		a, err := v.Answer(t.Context(), 1, begin, end, sql, 10)
		if err != nil {
			if fault.From(err).Code == fault.Internal {
				t.Errorf("%q: %v", sql, err)
			}
			return
		}
		if text, err := json.Marshal(a); err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%q: %v %.300s", sql, err, text)
		}
	})
}
