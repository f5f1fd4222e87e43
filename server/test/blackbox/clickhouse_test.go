package blackbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	root "github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
)

// The same events say the same from ClickHouse and from DuckDB; a directory stays with
// the store that it began with; nothing tells the address's password.
func TestOverviewFromClickHouse(t *testing.T) {
	t.Parallel()
	address := enginetest.URL(t)
	var events []string
	began := time.Now().UTC().Truncate(time.Hour).Add(-3 * time.Hour)
	for i := range 300 {
		outcome := []string{"ok", "ok", "bad_args", "tool_error", "crashed"}[i%5]
		events = append(events, fmt.Sprintf(`{"id":%q,"kind":"call","started_at":%q,"tool":"t%d","outcome":%q,"session":"s%d","ask_hash":"%d","args_hash":"%d","duration_us":%d}`,
			root.NewID(), began.Add(time.Duration(i)*17*time.Second).Format(time.RFC3339Nano), i%3, outcome, i%7, i, i, 10+i*i))
	}
	body := `{"events":[` + strings.Join(events, ",") + `]}`
	said := map[string]any{}
	for name, env := range map[string][]string{"DuckDB": nil, "ClickHouse": {"UMPIRE_STORE=" + address}} {
		data := t.TempDir()
		// Without the store: what that leaves in the directory is nothing to keep.
		out, fail, code := run(t, nil, "key", "add", "--data", data, "--project", "shop", "--write")
		if code != 0 {
			t.Fatal(fail)
		}
		s := serve(t, env, "--data", data)
		if status, text := s.request("POST", "/api/v1/events", strings.TrimSpace(out), body); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		if code := s.stop(); code != 0 {
			t.Errorf("%s: exit code %d\n%s", name, code, s.log)
		}
		text, fail, code := run(t, env, "report", "--data", data, "--project", "shop", "--from", began.Format(time.RFC3339), "--until", began.Add(2*time.Hour).Format(time.RFC3339), "--json")
		if code != 0 {
			t.Fatal(fail)
		}
		var answer any
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		said[name] = answer
		if name == "ClickHouse" {
			if _, fail, code := run(t, nil, "report", "--data", data, "--project", "shop"); code == 0 || !strings.Contains(fail, "give its address with --store") {
				t.Errorf("without its store the directory says %d %s", code, fail)
			}
		} else if _, fail, code := run(t, []string{"UMPIRE_STORE=" + address}, "report", "--data", data, "--project", "shop"); code == 0 || !strings.Contains(fail, "umpire migrate") {
			t.Errorf("with another store the directory says %d %s", code, fail)
		}
	}
	if diff := cmp.Diff(said["DuckDB"], said["ClickHouse"]); diff != "" {
		t.Errorf("the stores differ (-DuckDB +ClickHouse):\n%s", diff)
	}
	if m, _ := said["ClickHouse"].(map[string]any); m["overview"].(map[string]any)["calls"].(float64) != 300 {
		t.Errorf("not all calls are there: %v", m["overview"])
	}
	const secret = "t0p-s3cret"
	_, fail, code := run(t, []string{"UMPIRE_STORE=clickhouse://me:" + secret + "@127.0.0.1:1/umpire"}, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	if code == 0 || !strings.Contains(fail, "cannot reach ClickHouse at 127.0.0.1:1") || strings.Contains(fail, secret) {
		t.Errorf("an unreachable store: %d %s", code, fail)
	}
}

// Kills of the server under load lose nothing that was acknowledged, and double nothing.
func TestKilledServerOnClickHouse(t *testing.T) {
	t.Parallel()
	env := []string{"UMPIRE_STORE=" + enginetest.URL(t)}
	data := t.TempDir()
	out, fail, code := run(t, env, "key", "add", "--data", data, "--project", "shop", "--write")
	if code != 0 {
		t.Fatal(fail)
	}
	key := strings.TrimSpace(out)
	var acknowledged atomic.Int64
	for round := range 4 {
		s := serve(t, env, "--data", data)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				status, err := s.try("POST", "/api/v1/events", key, calls(50))
				if err != nil || status != 200 {
					return
				}
				acknowledged.Add(50)
			}
		}()
		before := acknowledged.Load()
		eventually(t, "a batch is acknowledged", func() bool { return acknowledged.Load() > before })
		time.Sleep(time.Duration(100+150*round) * time.Millisecond)
		_ = s.cmd.Process.Kill()
		_, _ = s.cmd.Process.Wait()
		<-stopped
	}
	last := serve(t, env, "--data", data)
	twin := filepath.Join(t.TempDir(), "twin")
	if err := os.CopyFS(twin, os.DirFS(data)); err != nil && !strings.Contains(err.Error(), "umpire.sock") {
		t.Fatal(err)
	}
	if _, fail, code := run(t, env, "serve", "--data", twin, "--listen", "127.0.0.1:0"); code == 0 || !strings.Contains(fail, "is a copy") {
		t.Errorf("a copy of the directory, beside it: %d %s", code, fail)
	}
	if last.stop() != 0 { // which waits until the log is applied
		t.Errorf("it stopped with an error:\n%s", last.log)
	}
	if _, fail, code := run(t, env, "backup", "--data", data, t.TempDir()); code == 0 || !strings.Contains(fail, "BACKUP DATABASE") || strings.Contains(fail, "password") {
		t.Errorf("a backup without the events: %d %s", code, fail)
	}
	text, fail, code := run(t, env, "report", "--data", data, "--project", "shop", "--last", "24h", "--json")
	if code != 0 {
		t.Fatal(fail)
	}
	// A batch that was on disk when the kill came is there without its acknowledgement.
	got := parse[reportJSON](t, text).Overview.Calls
	if lost := acknowledged.Load() - got; lost > 0 || -lost > 4*50 || acknowledged.Load() < 200 {
		t.Errorf("%d calls are there, %d were acknowledged", got, acknowledged.Load())
	}
	t.Logf("%d acknowledged, %d there", acknowledged.Load(), got)
	if _, err := os.Stat(filepath.Join(data, "node-name")); err != nil {
		t.Errorf("the log has no name: %v", err)
	}
}
