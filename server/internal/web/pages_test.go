package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

var menuLink = regexp.MustCompile(`<a href="(/p/orders-mcp/[^"?]*)[^"]*"`)

// everyPage are the addresses of all pages: those of the menu, as it says them, and
// those that are part of another one.
func everyPage(t *testing.T, h http.Handler, m *webtest.Memory) []string {
	t.Helper()
	_, rest, _ := strings.Cut(page(t, h, "/p/orders-mcp/tools"), `<nav aria-label="Pages">`)
	nav, _, _ := strings.Cut(rest, "</nav>")
	paths := []string{"/docs/", "/docs/words", "/docs/sources", "/nowhere"}
	for _, link := range menuLink.FindAllStringSubmatch(nav, -1) {
		if !slices.Contains(paths, link[1]) {
			paths = append(paths, link[1])
		}
	}
	if len(paths) < 19 {
		t.Fatalf("the menu leads to %d pages only: %q", len(paths)-4, paths)
	}
	last := m.Calls[len(m.Calls)-1]
	for i, c := range m.Calls {
		if c.Slice == "crashed" {
			paths = append(paths, "/p/orders-mcp/calls/"+webtest.CallID(i).String())
			last = c
			break
		}
	}
	paths = append(paths, "/p/orders-mcp/?client="+url.QueryEscape(last.Client)+"&last=24h")
	for _, at := range []string{"?last=14d&granularity=15m", "?last=90d&granularity=2h", "errors?last=24h&granularity=15m", "errors?last=6d&granularity=2h", "users?last=30d&granularity=1h", "tools/" + url.PathEscape(last.Tool) + "?last=6d&granularity=5m"} {
		paths = append(paths, "/p/orders-mcp/"+at) // as many steps as may be asked for
	}
	return append(paths, "/p/orders-mcp/tools/"+url.PathEscape(last.Tool), "/p/orders-mcp/sessions/"+url.PathEscape(last.Session))
}

// fields are the values of a form's fields: they hold texts as they came, and nobody
// sees them.
var fields = regexp.MustCompile(`(<option|<input type="hidden" name="[a-z_]+") value="[^"]*"`)

// Every page is small, whatever it is filled with, and what comes from outside stays
// text on it.
func TestEveryPage(t *testing.T) {
	const limit = 200_000
	src, set := webtest.Hostile(), &webtest.Settings{}
	src.Calls = append(slices.Clone(src.Calls[240:255]), src.Calls...) // the hostile ones first, for a call's page
	for i := range src.Calls[:15] {
		src.Calls[i].At = webtest.Now.Add(-2 * time.Hour)
	}
	for i := range src.Calls { // a session of more calls than a page shows
		src.Calls[i].Session = src.Calls[0].Session
	}
	for range 30 {
		if _, err := set.AddKey(t.Context(), 1, "write", strings.Repeat("<b>name", 11), ""); err != nil {
			t.Fatal(err)
		}
	}
	h := pages(t, src, webtest.Orders, web.Options{Settings: set, Prefs: set.Prefs})
	shown := map[string]bool{}
	for _, path := range everyPage(t, h, src) {
		code, body, _ := get(t, h, path)
		if code != http.StatusOK && path != "/nowhere" {
			t.Errorf("%s: status %d", path, code)
		}
		if len(body) > limit {
			t.Errorf("%.60s: %d bytes, the limit is %d", path, len(body), limit)
		}
		if scripts := strings.Count(body, "<script"); scripts != strings.Count(body, `<script src="/static/`) {
			t.Errorf("%s: a script that is not ours", path)
		}
		for _, not := range []string{"<img", "\x1b", "\u202e", "\x00"} {
			if at := strings.Index(fields.ReplaceAllString(body, ""), not); at >= 0 {
				rest := fields.ReplaceAllString(body, "")
				t.Errorf("%.60s has %q: %q", path, not, rest[max(0, at-160):at+8])
			}
		}
		for what := range webtest.HostileFields {
			shown[what] = shown[what] || strings.Contains(body, "at-"+what+" &lt;script&gt;")
		}
	}
	for what := range webtest.HostileFields {
		if !shown[what] {
			t.Errorf("no page shows the %s: nothing is known of how it would be shown", what)
		}
	}
}

var panels = regexp.MustCompile(`<section class="(panel|cards)[^"]*"`)

// A question that fails takes its own panel away and nothing else: every question of the
// store, on every page.
func TestEveryQuestionMayFail(t *testing.T) {
	src := webtest.One()
	src.Listed = []store.CatalogRow{{Server: "orders", Tool: "get_order", FirstSeen: webtest.Now.AddDate(0, 0, -9), LastSeen: webtest.Now}}
	for range 3 {
		src.Calls = append(src.Calls, webtest.Call{At: webtest.Now.Add(-time.Hour), Tool: "get_order", Client: "cursor", Slice: "crashed", Session: "s", US: 5, Cause: "panic", Fingerprint: "f"})
	}
	h := pages(t, src, webtest.Orders, web.Options{})
	paths := everyPage(t, h, src)
	several := []string{"/p/orders-mcp/", "/p/orders-mcp/errors", "/p/orders-mcp/tools/get_order"}
	hurt := map[string][]string{} // the pages that say so, by the question
	for _, name := range readers() {
		src.Fail = map[string]error{name: errors.New("the disk is on fire at /secret/path")}
		for _, path := range paths {
			code, body, _ := get(t, h, path)
			lacks(t, body, "secret")
			if !strings.Contains(body, "</html>") || code >= 500 && !strings.Contains(path, "/calls/") && !strings.Contains(path, "/sessions/") {
				t.Errorf("%s fails: %s answers %d", name, path, code)
			}
			failed := strings.Count(body, "Something went wrong inside Umpire.")
			if failed == 0 {
				continue
			}
			hurt[name] = append(hurt[name], path)
			if all := len(panels.FindAllString(body, -1)); slices.Contains(several, path) && name != "Kept" && name != "Senders" && name != "Catalog" && failed >= all {
				t.Errorf("%s fails: nothing stays of %s (%d of %d panels failed)", name, path, failed, all)
			}
		}
	}
	for _, name := range readers() {
		if len(hurt[name]) == 0 && !slices.Contains(silent, name) {
			t.Errorf("%s fails, and no page says so", name)
		}
	}
}

// silent are questions whose failure no page of the test shows, each for a reason.
var silent = []string{
	"Facets",       // the filters have no panel: they keep what is chosen
	"SessionParts", // of derived sessions
	"SessionSpan",  // where a session is older than the range
}

// readers are the questions of the store that take a filter.
func readers() (names []string) {
	for i := range reflect.TypeFor[store.Reader]().NumMethod() {
		if name := reflect.TypeFor[store.Reader]().Method(i).Name; name != "Snapshot" && name != "TotalsApart" {
			names = append(names, name)
		}
	}
	return names
}
