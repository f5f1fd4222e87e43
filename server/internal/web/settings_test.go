package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

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
