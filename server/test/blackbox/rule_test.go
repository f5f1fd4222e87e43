package blackbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A rule holds for calls that start after it was made, and no longer than it is
// there.
func TestRules(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "p", "--write")
	read := must(t, "key", "add", "--data", data, "--project", "p", "--read")
	s := serve(t, nil, "--data", data)
	n := 0
	send := func(at time.Time) {
		t.Helper()
		n++
		event := fmt.Sprintf(`{"id":"01a22dfb-9ccd-7233-8469-%012d","kind":"call","started_at":%q,"tool":"find","outcome":"ok","suspects":["error_text"]}`,
			n, at.UTC().Format(time.RFC3339Nano))
		if status, body := s.request("POST", "/api/v1/events", key, `{"events":[`+event+`]}`); status != http.StatusOK || !strings.Contains(body, `"accepted":1`) {
			t.Fatalf("event %d: %d %s", n, status, body)
		}
	}
	before := time.Now()
	send(before)
	rule := must(t, "rule", "add", "--data", data, "--tool", "find", "--mark", "error_text") // through the running server
	if again := must(t, "rule", "add", "--data", data, "--tool", "find", "--mark", "error_text"); again != rule {
		t.Errorf("the same rule again is %s, not %s", again, rule)
	}
	send(before) // late: it started before the rule was made
	send(time.Now())
	if list := must(t, "rule", "list", "--data", data); !strings.Contains(list, "error_text") || !strings.Contains(list, "find") {
		t.Errorf("rule list:\n%s", list)
	}
	if status, body := s.request("GET", "/api/v1/rules", read, ""); status != http.StatusOK || !strings.Contains(body, `"mark":"error_text"`) {
		t.Errorf("GET rules: %d %s", status, body)
	}
	if status, body := s.request("POST", "/api/v1/rules", read, `{"tool":"find","mark":"all_failed"}`); status != http.StatusForbidden {
		t.Errorf("a read key makes a rule: %d %s", status, body)
	}
	must(t, "rule", "delete", "--data", data, rule)
	send(time.Now())
	// report waits until what was acknowledged can be asked for.
	o := parse[reportJSON](t, must(t, "report", "--data", data, "--json")).Overview
	if o.Slices.OK != 3 || o.Slices.ToolError != 1 {
		t.Errorf("%+v, want 3 ok and 1 tool_error", o.Slices)
	}
	for _, args := range [][]string{
		{"--tool", "find"}, {"--mark", "error_text"}, {"--tool", "find", "--mark", "bad luck"}, {"--code=-32602"},
	} {
		if _, fail, code := run(t, nil, append([]string{"rule", "add", "--data", data}, args...)...); code != 2 || !strings.Contains(fail, "hint:") {
			t.Errorf("rule add %v: code %d\n%s", args, code, fail)
		}
	}
}
