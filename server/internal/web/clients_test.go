package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// A client that came in several versions has a row for each below its own, in the order
// of the table; one that came in one version has none.
func TestClientVersions(t *testing.T) {
	m := &webtest.Memory{}
	for _, c := range []struct {
		client, version, slice string
		n                      int
	}{
		{"cursor", "2.3", "ok", 8},
		{"cursor", "2.3", "crashed", 2},
		{"cursor", "2.4", "ok", 29},
		{"cursor", "2.4", "bad_args", 1},
		{"cursor", "", "empty", 4},
		{"claude", "1.0", "ok", 9},
	} {
		for range c.n {
			m.Calls = append(m.Calls, webtest.Call{At: webtest.Now.Add(-time.Hour), Tool: "get_order", Client: c.client, Version: c.version, Slice: c.slice, US: 1000, Session: "s"})
		}
	}
	h := pages(t, m, webtest.Orders, web.Options{})
	read := func(path string) (out []string) {
		for _, r := range rows.FindAllStringSubmatch(section(t, page(t, h, path), "clients"), -1) {
			out = append(out, text(r[1]))
		}
		return out[1:]
	}
	for path, want := range map[string]string{
		"/p/orders-mcp/clients":                    "cursor 44 1 0 2 4 1.0 ms 84.1% 1|2.4 30 1 0 0 0 – 96.7% –|2.3 10 0 0 2 0 – 80.0% –|no version 4 0 0 0 4 – 0.0% –|claude 1.0 9 0 0 0 0 1.0 ms 100.0% 1",
		"/p/orders-mcp/clients?sort=-crashed":      "cursor 44 1 0 2 4 1.0 ms 84.1% 1|2.3 10 0 0 2 0 – 80.0% –|2.4 30 1 0 0 0 – 96.7% –|no version 4 0 0 0 4 – 0.0% –|claude 1.0 9 0 0 0 0 1.0 ms 100.0% 1",
		"/p/orders-mcp/clients?client_version=2.3": "cursor 2.3 10 0 0 2 0 1.0 ms 80.0% 1",
	} {
		if got := strings.Join(read(path), "|"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", path, got, want)
		}
	}
	has(t, page(t, h, "/p/orders-mcp/clients"), `href="/p/orders-mcp/?client=cursor&amp;client_version=2.3&amp;slice=crashed"`, `href="/p/orders-mcp/?client=cursor&amp;client_version=unknown"`)
	has(t, page(t, h, "/p/orders-mcp/?client_version=2.4"), `aria-label="Remove the filter client version 2.4"`, `<p class="figure">30</p>`)
}
