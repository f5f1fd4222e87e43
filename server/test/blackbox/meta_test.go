package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/meta/postgrestest"
)

// patience is how long a test waits for what takes a moment before it takes it for
// what never happens: a machine may be busy with other tests for a while.
const patience = 2 * time.Minute

// eventually waits for what is promised.
func eventually(t *testing.T, what string, seen func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !seen(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never seen: %s", what)
		}
	}
}

// Projects and keys in PostgreSQL: made and revoked without the node, seen by it; the
// node's directory cannot be opened without them.
func TestMetadataInPostgres(t *testing.T) {
	t.Parallel()
	address := postgrestest.Schema(t)
	data := filepath.Join(t.TempDir(), "data")
	env := []string{"UMPIRE_META=" + address}
	with := func(args ...string) string {
		t.Helper()
		out, fail, code := run(t, env, args...)
		if code != 0 || strings.Contains(out+fail, postgrestest.Password) {
			t.Fatalf("umpire %v: exit code %d\n%s%s", args, code, out, fail)
		}
		return strings.TrimSpace(out)
	}
	key := with("key", "add", "--project", "shop", "--write", "--data", data)
	if _, err := os.Stat(data); err == nil {
		t.Error("a key in PostgreSQL made a data directory")
	}
	s := serve(t, env, "--data", data)
	body := `{"events":[` + callAt(time.Minute, "ann") + `]}`
	if status, text := s.request("POST", "/api/v1/events", key, body); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	later := with("key", "add", "--project", "shop", "--read", "--data", filepath.Join(t.TempDir(), "elsewhere"))
	eventually(t, "a new key", func() bool {
		status, text := s.request("GET", "/api/v1/overview?last=24h", later, "")
		return status == 200 && parse[overview](t, text).Calls == 1
	})
	with("key", "revoke", key, "--data", filepath.Join(t.TempDir(), "elsewhere"))
	eventually(t, "a revoked key", func() bool {
		status, _ := s.request("POST", "/api/v1/events", key, body)
		return status == 401
	})
	backup := with("backup", filepath.Join(t.TempDir(), "backups"), "--data", data)
	if code := s.stop(); code != 0 || strings.Contains(s.log.String(), postgrestest.Password) {
		t.Errorf("umpire serve stopped with %d:\n%s", code, s.log)
	}
	if _, fail, code := run(t, nil, "report", "--data", data); code == 0 || !strings.Contains(fail, "--meta") {
		t.Errorf("opened without its metadata: %d %s", code, fail)
	}
	if got := with("report", "--data", data, "--json"); parse[reportJSON](t, got).Overview.Calls != 1 {
		t.Errorf("the stopped directory reports %s", got)
	}
	// A backup holds the metadata as a file, and is whole without PostgreSQL.
	restored := filepath.Join(t.TempDir(), "restored")
	must(t, "restore", backup, "--data", restored)
	if got := must(t, "key", "list", "--data", restored); !strings.Contains(got, "revoked") || !strings.Contains(got, "in force") {
		t.Errorf("the keys of the backup: %s", got)
	}
	with("report", "--data", restored) // the numbers of its projects mean the same there
	other := []string{"UMPIRE_META=" + postgrestest.Schema(t)}
	if _, fail, code := run(t, other, "report", "--data", restored); code == 0 || !strings.Contains(fail, "umpire migrate") {
		t.Errorf("metadata of others: %d %s", code, fail)
	}
}

// A role that others could not see is refused, and says why.
func TestRolesNeedWhatIsShared(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--role", "web"}, {"--role", "ingest"}, {"--role", "web", "--meta", "postgres://x@127.0.0.1:1/x"}, {"--role", "ingest", "--store", "clickhouse://127.0.0.1:1/x"}, {"--role", "both"},
	} {
		_, fail, code := run(t, nil, append([]string{"serve", "--data", t.TempDir()}, args...)...)
		if code != 2 || !strings.Contains(fail, "--role") {
			t.Errorf("%v: exit code %d, %s", args, code, fail)
		}
	}
}

// What is stored leaves as files, of a running server and of a stopped one.
func TestExport(t *testing.T) {
	t.Parallel()
	data, out := t.TempDir(), t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "shop", "--write")
	read := must(t, "key", "add", "--data", data, "--project", "shop", "--read")
	s := serve(t, nil, "--data", data)
	now := time.Now() // the days are those of one moment, though midnight may pass
	body := `{"events":[` + strings.Join([]string{callOf(now.Add(-time.Minute), "=ann"), callOf(now.Add(-49*time.Hour), "bob"), callOf(now.Add(-49*time.Hour), "eve")}, ",") + `]}`
	if status, text := s.request("POST", "/api/v1/events", key, body); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	day := func(ago time.Duration) string { return now.Add(-ago).UTC().Format(time.DateOnly) }
	must(t, "export", "--data", data, "--out", out, "--table", "events", "--table", "tool_hours", "--format", "csv")
	for name, lines := range map[string]int{"events/" + day(49*time.Hour): 3, "events/" + day(time.Minute): 2, "tool_hours/" + day(49*time.Hour): 2} {
		text, err := os.ReadFile(filepath.Join(out, "shop", name+".csv"))
		if got := strings.Count(string(text), "\n"); err != nil || got != lines {
			t.Errorf("%s: %d lines, %v; want %d", name, got, err, lines)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(out, "shop", "*", "*")); len(files) != 4 {
		t.Errorf("a day without events has a file: %v", files)
	}
	lines, fail, code := run(t, []string{"UMPIRE_READ_KEY=" + read}, "export", "--to", s.url, "--out", "-", "--format", "ndjson", "--from", day(time.Minute))
	if code != 0 || strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `"user":"=ann"`) {
		t.Errorf("a running server: %d %s%s", code, lines, fail)
	}
	s.stop()
	file := filepath.Join(out, "all.parquet")
	must(t, "export", "--data", data, "--project", "shop", "--out", file)
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "PAR1") || !strings.HasSuffix(string(text), "PAR1") {
		t.Errorf("no Parquet: %v", err)
	}
	for _, bad := range [][]string{{"--out", "x.parquet", "--table", "events", "--table", "catalog"}, {"--out", out, "--from", "yesterday"}, {"--out", out, "--table", "nothing"}} {
		if _, fail, code := run(t, nil, append([]string{"export", "--data", data}, bad...)...); code != 2 {
			t.Errorf("%v: exit code %d, %s", bad, code, fail)
		}
	}
}
