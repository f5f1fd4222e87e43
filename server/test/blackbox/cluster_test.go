package blackbox

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	root "github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/meta/postgrestest"
)

// Two nodes take the same events at the same time, one of them is killed and comes
// back, and a third one shows the sum: nothing lost, nothing twice.
func TestCluster(t *testing.T) {
	t.Parallel()
	env := []string{"UMPIRE_META=" + postgrestest.Schema(t), "UMPIRE_STORE=" + enginetest.URL(t)}
	with := func(args ...string) string {
		t.Helper()
		out, fail, code := run(t, env, args...)
		if code != 0 {
			t.Fatalf("umpire %v: exit code %d\n%s%s", args, code, out, fail)
		}
		return strings.TrimSpace(out)
	}
	write, read := with("key", "add", "--project", "shop", "--write"), with("key", "add", "--project", "shop", "--read")
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	a, b := serve(t, env, "--role", "ingest", "--data", dirs[0]), serve(t, env, "--role", "ingest", "--data", dirs[1])
	web := serve(t, env, "--role", "web", "--data", filepath.Join(t.TempDir(), "web"))
	parts(t, a, b, web, write, read)

	const batches, size = 16, 20
	begin := time.Now().Add(-2 * time.Hour)
	var bodies []string
	want := map[string]bool{}
	for i := range batches {
		var events []string
		for j := range size {
			id := root.NewID().String()
			want[id] = true
			events = append(events, fmt.Sprintf(`{"id":%q,"kind":"call","started_at":%q,"tool":"find","outcome":"ok","session":"s%d","ask_hash":"q","args_hash":"x%d","duration_us":5}`,
				id, begin.Add(time.Duration(i*size+j)*time.Second).UTC().Format(time.RFC3339Nano), i%4, j))
		}
		bodies = append(bodies, `{"events":[`+strings.Join(events, ",")+`]}`)
	}
	twice := func(bodies []string) {
		var all sync.WaitGroup
		for _, body := range bodies {
			for _, n := range []*server{a, b} {
				all.Go(func() { // both at once, as a sender that gave up on one of them
					if status, text := n.request("POST", "/api/v1/events", write, body); status != 200 {
						t.Errorf("%d %s", status, text)
					}
				})
			}
			all.Wait()
		}
	}
	twice(bodies[:batches/2])
	// What a knows and has not stored yet is in its log.
	for _, body := range bodies[batches/2 : batches-5] {
		if status, text := a.request("POST", "/api/v1/events", write, body); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	if err := a.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = a.cmd.Process.Wait()
	for _, body := range bodies[batches-10 : batches-5] { // which its senders do not know
		b.request("POST", "/api/v1/events", write, body)
	}
	a = serve(t, env, "--role", "ingest", "--data", dirs[0])
	twice(bodies[batches-5:])

	stored := func() (ids []string) {
		out := with("export", "--to", web.url, "--key", read, "--out", "-", "--format", "csv")
		for i, line := range strings.Split(out, "\n") {
			if fields := strings.SplitN(line, ",", 3); i > 0 && len(fields) == 3 {
				ids = append(ids, fields[1])
			}
		}
		return ids
	}
	calls := func() int64 {
		status, text := web.request("GET", "/api/v1/overview?last=24h", read, "")
		if status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		return parse[overview](t, text).Calls
	}
	// What came to both nodes in the same moment is put right within a minute.
	eventually(t, "every call, and once", func() bool { return len(stored()) == len(want) && calls() == int64(len(want)) })
	seen := map[string]int{}
	for _, id := range stored() {
		seen[id]++
	}
	for id := range want {
		if seen[id] != 1 {
			t.Errorf("event %s is there %d times", id, seen[id])
		}
	}
	for _, s := range []*server{a, b, web} {
		if code := s.stop(); code != 0 || strings.Contains(s.log.String(), postgrestest.Password) {
			t.Errorf("umpire serve stopped with %d:\n%s", code, s.log)
		}
	}
}

// parts: each node does its part, and says whose the other is.
func parts(t *testing.T, a, b, web *server, write, read string) {
	t.Helper()
	for _, c := range []struct {
		node              *server
		method, path, key string
		status            int
		says              string
	}{
		{a, "GET", "/healthz", "", 200, "ok"},
		{b, "GET", "/readyz", "", 200, "ok"},
		{web, "GET", "/readyz", "", 200, "ok"},
		{a, "GET", "/", "", 404, "--role web"},
		{a, "GET", "/api/v1/overview", read, 404, "--role web"},
		{a, "POST", "/mcp", read, 404, "--role web"},
		{web, "POST", "/api/v1/events", write, 404, "--role ingest"},
		{web, "GET", "/api/v1/overview?last=24h", read, 200, `"calls":0`},
		{web, "GET", "/p/shop/", "", 200, "<html"},
	} {
		if status, text := c.node.request(c.method, c.path, c.key, ""); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s %s: %d %.200s; want %d and %q", c.method, c.path, status, text, c.status, c.says)
		}
	}
}
