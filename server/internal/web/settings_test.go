package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

func post(h http.Handler, path, form, site string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if site != "" {
		r.Header.Set("Sec-Fetch-Site", site)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestSettings: each form does what it says, once, and the log tells of it without
// what opens anything.
func TestSettings(t *testing.T) {
	set := &webtest.Settings{Raw: 90}
	var log bytes.Buffer
	h := pages(t, webtest.Shop(), webtest.Orders, web.Options{Settings: set, Prefs: set.Prefs, Log: slog.New(slog.NewTextHandler(&log, nil))})
	const at = "/p/orders-mcp/settings/"
	w := post(h, at+"add-key", "kind=write&name=production", "same-origin")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "ump_w_0001secret") || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("a new key: %d %s", w.Code, w.Body)
	}
	if body := page(t, h, "/p/orders-mcp/settings"); strings.Contains(body, "secret") || !strings.Contains(body, "production") {
		t.Error("a key is shown again, or not listed")
	}
	if w = post(h, at+"rotate", "id=1&hours=24", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "ump_w_0002secret") || !strings.Contains(w.Body.String(), "24 hours more") {
		t.Errorf("a rotated key: %d", w.Code)
	}
	back := url.QueryEscape("/p/orders-mcp/empty?last=24h")
	for _, c := range []struct{ what, form, to string }{
		{"revoke", "id=2", "/p/orders-mcp/settings?done=revoked"},
		{"price", "price=2.5", "/p/orders-mcp/settings?done=price"},
		{"retention", "raw=30&rollups=0", "/p/orders-mcp/settings?done=kept"},
		{"mute", "tool=search_orders&rule=empty_list&back=" + back, "/p/orders-mcp/empty?done=muted&last=24h"},
		{"mute", "tool=a&rule=b&back=https://evil.example/", "/p/orders-mcp/settings?done=muted"},
		{"rule", "tool=search_orders&mark=error_text", "/p/orders-mcp/settings?done=rule"},
		{"rename", "name=shop", "/p/shop/settings?done=renamed"},
	} {
		if w := post(h, at+c.what, c.form, "same-origin"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != c.to {
			t.Errorf("%s: %d to %q, want %q", c.what, w.Code, w.Header().Get("Location"), c.to)
		}
	}
	if set.Price != 2.5 || set.Raw != 30 || len(set.Muted) != 2 || set.Muted[0] != (query.Mute{Tool: "search_orders", Rule: "empty_list"}) || len(set.Ruled) != 1 || set.Name != "shop" {
		t.Errorf("after all: %+v", set)
	}
	body := page(t, h, "/p/orders-mcp/empty?done=muted")
	has(t, body, "Muted: these empty answers", "Unmute")
	if strings.Contains(body, "done=") {
		t.Error("what was done is said again by a link")
	}
	if strings.Contains(log.String(), "secret") || strings.Count(log.String(), "settings changed") != 9 {
		t.Errorf("the log: %s", log.String())
	}
}

// TestSettingsAreRefused: another site's form, a wrong name, what is no number.
func TestSettingsAreRefused(t *testing.T) {
	set := &webtest.Settings{}
	h := pages(t, webtest.Shop(), webtest.Orders, web.Options{Settings: set, Log: slog.New(slog.DiscardHandler)})
	for _, c := range []struct {
		name, path, form, site string
		status                 int
	}{
		{"another site", "/p/orders-mcp/settings/delete", "confirm=orders-mcp", "cross-site", 403},
		{"another name", "/p/orders-mcp/settings/delete", "confirm=orders", "", 400},
		{"no number", "/p/orders-mcp/settings/revoke", "id=x", "", 400},
		{"no price", "/p/orders-mcp/settings/price", "price=much", "", 400},
		{"no such form", "/p/orders-mcp/settings/format", "", "", 404},
		{"no such project", "/p/nonesuch/settings/price", "price=1", "", 404},
		{"no such key", "/p/orders-mcp/settings/rotate", "id=7&hours=0", "", 404},
	} {
		if w := post(h, c.path, c.form, c.site); w.Code != c.status {
			t.Errorf("%s: %d, want %d", c.name, w.Code, c.status)
		}
	}
	if set.Deleted {
		t.Error("it is deleted")
	}
	if w := post(h, "/p/orders-mcp/settings/delete", "confirm=orders-mcp", ""); w.Code != 303 || !set.Deleted {
		t.Errorf("what was confirmed is not deleted: %d", w.Code)
	}
	none := pages(t, webtest.Shop(), webtest.Orders, web.Options{})
	if w := post(none, "/p/orders-mcp/settings/price", "price=1", ""); w.Code != 404 {
		t.Errorf("without settings: %d", w.Code)
	}
	if strings.Contains(page(t, none, "/p/orders-mcp/"), ">Settings<") {
		t.Error("the menu leads to settings that are not there")
	}
}

// TestAlertsOfSettings: an alert is made, seen without its secrets, tested, muted and
// deleted by forms; one of the file has no form that changes it.
func TestAlertsOfSettings(t *testing.T) {
	since := webtest.Now
	set := &webtest.Settings{Alarms: []web.AlertInfo{{OfFile: true, Since: &since, AlertAsked: web.AlertAsked{
		Name: "all <b>", Kind: "crash", Limit: "0", Window: "1h", MinCalls: 20, Tool: "search_orders", To: []string{"webhook+https://hooks.example/…", "mailto:ops@example.com"},
	}}}}
	h := pages(t, webtest.Shop(), webtest.Orders, web.Options{Settings: set, Alerts: set, Log: slog.New(slog.DiscardHandler)})
	const at = "/p/orders-mcp/settings/"
	for _, c := range []struct{ what, form, done string }{
		{"add-alert", "name=rate&kind=error_rate&limit=5%25&slice=ok&window=2h&min_calls=7&client=cursor&to=mailto:a@example.com%0Amailto:b@example.com", "alert"},
		{"mute-alert", "name=rate&hours=24", "alert-off"},
	} {
		if w := post(h, at+c.what, c.form, "same-origin"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/orders-mcp/settings?done="+c.done {
			t.Errorf("%s: %d to %q", c.what, w.Code, w.Header().Get("Location"))
		}
	}
	want := web.AlertAsked{Name: "rate", Kind: "error_rate", Limit: "5%", Window: "2h", MinCalls: 7, Client: "cursor", To: []string{"mailto:a@example.com", "mailto:b@example.com"}}
	if diff := cmp.Diff(want, set.Alarms[1].AlertAsked); diff != "" || set.Alarms[1].Muted == nil {
		t.Error(diff, set.Alarms[1].Muted)
	}
	body := page(t, h, "/p/orders-mcp/settings?done=alert")
	has(t, body, "crashes above 0 in 1h, tool search_orders", "error rate above 5% in 2h, client cursor, from 7 calls", "fires since", "muted until", "of the file", "The alert is made", "all &lt;b&gt;")
	if n := strings.Count(body, `settings/delete-alert"`); n != 1 {
		t.Errorf("%d alerts can be deleted", n)
	}
	w := post(h, at+"test-alert", "name=rate", "same-origin")
	if w.Code != http.StatusOK {
		t.Fatalf("a test: %d", w.Code)
	}
	has(t, w.Body.String(), "Tested <bdi>rate</bdi>", "mailto:a@example.com</bdi> told", "mailto:b@example.com</bdi> refused")
	for _, c := range [][2]string{{"mute-alert", "name=rate&hours=0"}, {"delete-alert", "name=rate"}} {
		if w := post(h, at+c[0], c[1], "same-origin"); w.Code != http.StatusSeeOther {
			t.Errorf("%s: %d", c[0], w.Code)
		}
	}
	if len(set.Alarms) != 1 {
		t.Errorf("left are %+v", set.Alarms)
	}
	for form, status := range map[string]int{"name=nobody": 404, "name=rate&min_calls=many": 400} {
		what := map[int]string{404: "test-alert", 400: "add-alert"}[status]
		if w := post(h, at+what, form, "same-origin"); w.Code != status {
			t.Errorf("%s: %d", form, w.Code)
		}
	}
	if w := post(h, at+"test-alert", "name=rate", "cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("another site: %d", w.Code)
	}
	none := pages(t, webtest.Shop(), webtest.Orders, web.Options{Settings: set})
	if w := post(none, at+"test-alert", "name=rate", ""); w.Code != http.StatusNotFound || strings.Contains(page(t, none, "/p/orders-mcp/settings"), "New alert") {
		t.Errorf("without alerts: %d", w.Code)
	}
}
