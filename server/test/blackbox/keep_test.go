package blackbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	root "github.com/umpire-mcp/umpire"
)

// callAt is one call of a user, so long ago.
func callAt(ago time.Duration, user string) string { return callOf(time.Now().Add(-ago), user) }

// callOf is one call of a user at a time.
func callOf(at time.Time, user string) string {
	return fmt.Sprintf(`{"id":%q,"kind":"call","started_at":%q,"tool":"find","outcome":"ok","session":"session-of-%s","user":%q,"duration_us":5}`,
		root.NewID(), at.UTC().Format(time.RFC3339Nano), user, user)
}

// Single events go after the project's retention, when the server starts; the
// figures stay.
func TestRetention(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "shop", "--write")
	s := serve(t, nil, "--data", data)
	const day = 24 * time.Hour
	body := `{"events":[` + strings.Join([]string{callAt(time.Minute, "ann"), callAt(40*day, "ann"), callAt(41*day, "bob"), callAt(100*day, "bob")}, ",") + `]}`
	if status, text := s.request("POST", "/api/v1/events", key, body); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	if got := must(t, "project", "retention", "shop", "--data", data); got != "raw 90d, rollups forever" {
		t.Errorf("retention is %q", got)
	}
	calls := func(query string) int64 {
		t.Helper()
		must(t, "report", "--data", data) // all is stored
		status, text := s.request("GET", "/api/v1/overview?"+query, "", "")
		if status != 200 {
			t.Fatalf("%s: %d %s", query, status, text)
		}
		return parse[overview](t, text).Calls
	}
	// What was older than the retention came under the time it was received.
	if all, today := calls("last=60d"), calls("last=24h"); all != 4 || today != 2 {
		t.Errorf("%d calls, %d of them today", all, today)
	}
	if got := must(t, "project", "retention", "shop", "--data", data, "--raw", "30d", "--rollups", "400d"); got != "raw 30d, rollups 400d" {
		t.Errorf("retention is %q", got)
	}
	for _, bad := range [][]string{{"--raw", "500d"}, {"--raw", "2w"}, {"--rollups", "7d"}} {
		if _, fail, code := run(t, nil, append([]string{"project", "retention", "shop", "--data", data}, bad...)...); code != 2 {
			t.Errorf("%v: exit code %d, %s", bad, code, fail)
		}
	}
	if n := calls("last=60d&user=ann"); n != 2 {
		t.Errorf("before it is applied ann has %d calls", n)
	}
	s.stop()
	s = serve(t, nil, "--data", data)
	eventually(t, "single events are removed", func() bool { return strings.Contains(s.log.String(), "removed single events") })
	if all := calls("last=60d"); all != 4 {
		t.Errorf("%d calls are counted, of 4", all)
	}
	if status, text := s.request("GET", "/api/v1/overview?last=60d&user=ann", "", ""); status != 400 || !strings.Contains(text, "no longer kept") {
		t.Errorf("what needs single events: %d %s", status, text)
	}
	if n := calls("last=24h&user=ann"); n != 1 {
		t.Errorf("today ann has %d calls", n)
	}
}

// What is erased is in no answer and no file.
func TestErase(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "shop", "--write")
	s := serve(t, nil, "--data", data)
	var events []string
	for i := range 20 {
		events = append(events, callAt(time.Duration(i)*time.Minute, []string{"ann-who-wants-to-go", "bob"}[i%2]))
	}
	if status, text := s.request("POST", "/api/v1/events", key, `{"events":[`+strings.Join(events, ",")+`]}`); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	reads := must(t, "key", "add", "--data", data, "--project", "shop", "--read")
	if status, _ := s.request("POST", "/api/v1/erase", reads, `{"user":"bob"}`); status != 403 {
		t.Errorf("a read key erases: %d", status)
	}
	got := must(t, "erase", "--data", data, "--project", "shop", "--user", "ann-who-wants-to-go", "--yes")
	if !strings.HasPrefix(got, "erased 10 events, 10 of them calls, in 1 sessions, from ") {
		t.Errorf("it says %q", got)
	}
	left := parse[reportJSON](t, must(t, "report", "--data", data, "--json")).Overview
	if left.Calls != 10 || left.Slices.OK != 10 {
		t.Errorf("left are %+v", left)
	}
	if status, text := s.request("GET", "/api/v1/overview?user=ann-who-wants-to-go", "", ""); status != 200 || parse[overview](t, text).Calls != 0 {
		t.Errorf("%d %s", status, text)
	}
	if got := must(t, "erase", "--data", data, "--session", "session-of-bob", "--yes", "--json"); !strings.Contains(got, `"events": 10`) {
		t.Errorf("it says %s", got)
	}
	s.stop()
	segments, err := filepath.Glob(filepath.Join(data, "wal", "*.wal"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	for _, path := range segments {
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "ann-who-wants") {
			t.Errorf("%s holds what was erased, %v", path, err)
		}
	}
}
