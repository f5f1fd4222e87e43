package blackbox

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An alert that was made on the command line, and one of a file: each tells once, also
// over a restart, with the address that people use; then they are tried, muted,
// deleted.
func TestAlerts(t *testing.T) {
	t.Parallel()
	told := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- r.URL.Path + " " + r.Header.Get("Umpire-Signature") + " " + string(body)
	}))
	defer hook.Close()
	s, data, _, _ := twoProjects(t)
	must(t, "report", "--data", data, "--project", "left")
	must(t, "alert", "add", "boom", "--data", data, "--project", "left", "--kind", "crash", "--to", "webhook+"+hook.URL+"/book")
	if code := s.stop(); code != 0 {
		t.Fatal(code)
	}
	file := filepath.Join(t.TempDir(), "alerts.yaml")
	text := "alerts:\n  - name: rate\n    project: right\n    kind: error_rate\n    above: 5%\n    min_calls: 1\n    to: [webhook+" + hook.URL + "/file]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"UMPIRE_ALERT_SECRET=hush", "UMPIRE_PUBLIC_URL=http://localhost:8787/at"}
	s = serve(t, env, "--data", data, "--alerts", file)
	messages := map[string]string{}
	for range 2 {
		select {
		case m := <-told:
			path, _, _ := strings.Cut(m, " ")
			messages[path] = m
		case <-time.After(patience):
			t.Fatalf("not told; the log says\n%s", s.log)
		}
	}
	for path, wants := range map[string][]string{
		"/book": {"t=", ",v1=", `"state":"firing"`, "left, boom: crashes 1 of 3 calls (limit 0)", `http://localhost:8787/at/p/left/?from=`},
		"/file": {"right, rate: error rate 100.0% of 1 call"},
	} {
		for _, want := range wants {
			if !strings.Contains(messages[path], want) {
				t.Errorf("%s does not say %q: %s", path, want, messages[path])
			}
		}
	}
	list := must(t, "alert", "list", "--data", data)
	if strings.Count(list, "firing since") != 2 || strings.Contains(list, "/book") {
		t.Errorf("the list:\n%s", list)
	}
	if out := must(t, "alert", "test", "boom", "--data", data); !strings.Contains(out, ": told") || !strings.Contains(<-told, `"state":"test"`) {
		t.Error(out)
	}
	must(t, "alert", "mute", "boom", "--for", "2h", "--data", data)
	if list := must(t, "alert", "list", "--data", data); !strings.Contains(list, "muted until") {
		t.Errorf("the list:\n%s", list)
	}
	for _, wrong := range []struct{ args, said string }{
		{"alert test bom", "the nearest are boom"},
		{"alert delete rate", "stands in the file"},
		{"alert add x --project left --kind crash --to https://x", "is to be told"},
		{"alert add x --project lfet --kind crash --to mailto:a@b.c", "no project"},
	} {
		if _, fail, code := run(t, nil, append(strings.Fields(wrong.args), "--data", data)...); code != 2 || !strings.Contains(fail, wrong.said) {
			t.Errorf("umpire %s: %d %s", wrong.args, code, fail)
		}
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
	// Over a restart nothing is said again.
	s = serve(t, env, "--data", data, "--alerts", file)
	must(t, "alert", "delete", "boom", "--data", data)
	select {
	case m := <-told:
		t.Errorf("told again: %s", m)
	case <-time.After(300 * time.Millisecond):
	}
	if list := must(t, "alert", "list", "--data", data); strings.Contains(list, "boom") {
		t.Errorf("the list:\n%s", list)
	}
	s.stop()
}
