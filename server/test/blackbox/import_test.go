package blackbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// importable is a file of n events, one a line.
func importable(t *testing.T, n int) string {
	t.Helper()
	var text bytes.Buffer
	start := time.Now().UTC().Truncate(time.Hour).Add(-2 * time.Hour)
	for i := range n {
		fmt.Fprintf(&text, `{"id":"01a22ce7-0000-7000-8000-%012d","kind":"call","started_at":%q,"tool":"find","outcome":"ok"}`+"\n",
			i, start.Add(time.Duration(i)*time.Millisecond).Format(time.RFC3339Nano))
	}
	path := filepath.Join(t.TempDir(), "events.ndjson")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func imported(t *testing.T, args ...string) int64 {
	t.Helper()
	var report struct {
		Overview struct {
			Calls int64 `json:"calls"`
		} `json:"overview"`
	}
	out := must(t, append([]string{"report", "--json", "--project", "shop"}, args...)...)
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	return report.Overview.Calls
}

// TestImportKilled: an import that is killed in the middle goes on where it was, and
// every event is there once.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	const n = 30_000
	path, data := importable(t, n), ""
	for try := 0; ; try++ {
		data = filepath.Join(t.TempDir(), "data")
		if importIsKilled(t, path, data) {
			break
		}
		if try == 5 {
			t.Fatal("it is done before it is killed, whenever it is tried")
		}
	}
	_, said, code := run(t, nil, "import", "--data", data, "--project", "shop", path)
	if code != 0 || !strings.Contains(said, "30,000 events sent, as umpire, the last of them from line") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if strings.Contains(said, "\x1b") || strings.Contains(said, "#") {
		t.Errorf("a bar where there is no terminal: %q", said)
	}
	if got := imported(t, "--data", data); got != n {
		t.Errorf("%d calls, want %d", got, n)
	}
}

// importIsKilled kills an import after its first note, and reports whether that was
// before its end.
func importIsKilled(t *testing.T, path, data string) bool {
	t.Helper()
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "import", "--data", data, "--project", "shop", path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	notes := func() int {
		list, _ := filepath.Glob(filepath.Join(data, "imports", "*.json"))
		return len(list)
	}
	for running := true; running && notes() == 0; {
		select {
		case <-ended:
			running = false
		case <-time.After(time.Millisecond):
		}
	}
	_ = cmd.Process.Kill()
	<-ended
	return notes() == 1
}

// TestImportIntoServer: into a directory that a server holds, and over HTTP, it is
// the same; a bad line is named, and the exit code is 1.
func TestImportIntoServer(t *testing.T) {
	t.Parallel()
	path, data := importable(t, 5), filepath.Join(t.TempDir(), "data")
	if file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	} else {
		fmt.Fprintln(file, "oops")
		file.Close()
	}
	key := must(t, "key", "add", "--data", data, "--project", "shop", "--write")
	s := serve(t, nil, "--data", data)
	cache := "XDG_CACHE_HOME=" + t.TempDir()
	for _, where := range [][]string{{"--data", data, "--project", "shop"}, {"--to", s.url, "--key", key}} {
		_, said, code := run(t, []string{cache}, append([]string{"import", path}, where...)...)
		if code != 1 || !strings.Contains(said, "events.ndjson, line 6: ") || !strings.Contains(said, "5 events sent, as umpire; 1 line left out") {
			t.Errorf("%s: exit code %d: %s", where[0], code, said)
		}
		if got := imported(t, "--data", data); got != 5 {
			t.Errorf("%s: %d calls, want 5", where[0], got)
		}
	}
	for _, args := range [][]string{{path}, {path, "--to", s.url}, {path, "--to", s.url, "--key", "ump_w_wrong"}, {filepath.Join(data, "nothing"), "--data", data, "--project", "shop"}} {
		if _, said, code := run(t, []string{cache}, append([]string{"import"}, args...)...); code == 0 || said == "" {
			t.Errorf("import %v: exit code %d: %s", args, code, said)
		}
	}
}
