package blackbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	root "github.com/umpire-mcp/umpire"
)

// calls is a body of n calls that began just now.
func calls(n int) string {
	var events []string
	for range n {
		events = append(events, fmt.Sprintf(`{"id":%q,"kind":"call","started_at":%q,"tool":"find","outcome":"ok","session":"s","duration_us":5}`,
			root.NewID(), time.Now().UTC().Format(time.RFC3339Nano)))
	}
	return `{"events":[` + strings.Join(events, ",") + `]}`
}

// A backup of a running server holds every event that was acknowledged before the
// command, and nothing that was never sent; the server loses nothing by it.
func TestBackupWhileEventsArrive(t *testing.T) {
	t.Parallel()
	data, into := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	key := must(t, "key", "add", "--data", data, "--project", "shop", "--write")
	s := serve(t, nil, "--data", data)
	var acknowledged, sent atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			sent.Add(50)
			if status, body := s.request("POST", "/api/v1/events", key, calls(50)); status != 200 {
				t.Errorf("%d %s", status, body)
				return
			}
			acknowledged.Add(50)
		}
	}()
	for i := range 3 {
		for deadline := time.Now().Add(patience); acknowledged.Load() < int64(1000*(i+1)) && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		for began := time.Now().Unix(); i > 0 && time.Now().Unix() == began; { // backups are named after the second
			time.Sleep(5 * time.Millisecond)
		}
		before := acknowledged.Load()
		folder := must(t, "backup", "--data", data, into)
		after := sent.Load()
		back := filepath.Join(t.TempDir(), "back")
		if got := must(t, "restore", folder, "--data", back); got != back {
			t.Errorf("restore says %q", got)
		}
		got := parse[reportJSON](t, must(t, "report", "--data", back, "--project", "shop", "--json")).Overview
		if got.Calls < before || got.Calls > after {
			t.Errorf("%d calls are in the backup; %d were acknowledged before it and %d sent until its end", got.Calls, before, after)
		}
		if list := must(t, "key", "list", "--data", back); !strings.Contains(list, "shop") {
			t.Errorf("the keys are not in the backup: %q", list)
		}
	}
	close(stop)
	<-stopped
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
	got := parse[reportJSON](t, must(t, "report", "--data", data, "--project", "shop", "--json")).Overview
	if got.Calls != acknowledged.Load() {
		t.Errorf("the server has %d calls of %d", got.Calls, acknowledged.Load())
	}
}

// A backup of a stopped server, and what a restore refuses.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	data := spine(t)
	folder := must(t, "backup", "--data", data, t.TempDir())
	damaged := filepath.Join(folder, "events.duckdb")
	for _, c := range []struct {
		name string
		do   func(t *testing.T, back string)
		want string
	}{
		{"a directory that is not empty", func(t *testing.T, back string) {
			if err := os.WriteFile(filepath.Join(back, "mine"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is not empty"},
		{"a backup that was changed", func(t *testing.T, _ string) {
			f, err := os.OpenFile(damaged, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt([]byte{1, 2, 3}, 5000); err != nil {
				t.Fatal(err)
			}
		}, "is not what was backed up"},
		{"a backup without its list", func(t *testing.T, _ string) {
			if err := os.Remove(filepath.Join(folder, "backup.json")); err != nil {
				t.Fatal(err)
			}
		}, "is no backup"},
	} {
		back := t.TempDir()
		c.do(t, back)
		_, fail, code := run(t, nil, "restore", folder, "--data", back)
		if code != 2 || !strings.Contains(fail, c.want) {
			t.Errorf("%s: exit code %d, %s", c.name, code, fail)
		}
		if left, err := os.ReadDir(back); err != nil || len(left) > 1 {
			t.Errorf("%s: the directory holds %v, %v", c.name, left, err)
		}
	}
}

// A data directory that the first version wrote is backed up, brought up to date,
// and says the same as it did then; one of a newer version is left alone.
func TestUpgradeFromTheFirstVersion(t *testing.T) {
	t.Parallel()
	data := spine(t)
	out, fail, code := run(t, nil, "report", "--data", data, "--project", "demo", "--from", "2026-11-30", "--until", "2026-12-01", "--json")
	if code != 0 {
		t.Fatal(fail)
	}
	kept, err := filepath.Glob(filepath.Join(data, "backups", "before-upgrade-*Z"))
	if err != nil || len(kept) != 1 || strings.Count(fail, "backed up before") != 1 || !strings.Contains(fail, kept[0]) {
		t.Fatalf("backups %v, %v; log %s", kept, err, fail)
	}
	text, err := os.ReadFile("testdata/spine.json")
	if err != nil {
		t.Fatal(err)
	}
	var was, is any
	if err := json.Unmarshal(text, &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &is); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(was, only(was, is)); diff != "" {
		t.Errorf("the figures changed (-before +after):\n%s", diff)
	}
	if _, fail, _ := run(t, nil, "report", "--data", data, "--last", "24h"); strings.Contains(fail, "backed up") {
		t.Errorf("the second start upgrades again: %s", fail)
	}
	// What was backed up is of the first version still: it opens the same way.
	back := filepath.Join(t.TempDir(), "back")
	must(t, "restore", kept[0], "--data", back)
	if _, fail, _ := run(t, nil, "report", "--data", back, "--last", "24h"); !strings.Contains(fail, "backed up before") {
		t.Errorf("what was restored was not of the old version: %s", fail)
	}
}

// The last three backups before an upgrade stay.
func TestThreeBackupsBeforeUpgradesStay(t *testing.T) {
	t.Parallel()
	data := spine(t)
	for _, at := range []string{"20250101T000000Z", "20250102T000000Z", "20250103T000000Z"} {
		if err := os.MkdirAll(filepath.Join(data, "backups", "before-upgrade-"+at), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "project", "list", "--data", data)
	left, err := filepath.Glob(filepath.Join(data, "backups", "*"))
	if err != nil || len(left) != 3 || !strings.HasSuffix(left[0], "20250102T000000Z") {
		t.Errorf("left are %v, %v", left, err)
	}
}

// spine unpacks the directory of the first version.
func spine(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("tar", "xzf", "testdata/spine.tgz", "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("cannot unpack: %v\n%s", err, out)
	}
	return dir
}

// only is is without the members that was does not have: later versions add some.
func only(was, is any) any {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return is
		}
		out := map[string]any{}
		for name := range was {
			if v, ok := is[name]; ok {
				out[name] = only(was[name], v)
			}
		}
		return out
	case []any:
		is, ok := is.([]any)
		if !ok || len(is) != len(was) {
			return is
		}
		out := make([]any, len(is))
		for i := range is {
			out[i] = only(was[i], is[i])
		}
		return out
	}
	return is
}
