package blackbox

import (
	"net/http"
	"strings"
	"testing"
)

// What the page Settings changes, the command line changes, too: through the running
// server, at once.
func TestSettings(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	old := must(t, "key", "add", "--data", data, "--project", "p", "--write", "--name", "production")
	read := must(t, "key", "add", "--data", data, "--project", "p", "--read")
	s := serve(t, nil, "--data", data)
	sends := func(key string) bool {
		t.Helper()
		status, _ := s.request("POST", "/api/v1/events", key, `{"events":[]}`)
		return status == http.StatusOK
	}
	key := must(t, "key", "rotate", "--data", data, old)
	if key == old || !sends(key) || !sends(old) {
		t.Error("a rotated key and the old one do not both work")
	}
	if list := must(t, "key", "list", "--data", data); strings.Count(list, "production") != 2 || !strings.Contains(list, "until ") {
		t.Errorf("key list:\n%s", list)
	}
	next := must(t, "key", "rotate", "--data", data, "--grace", "0", key)
	if sends(key) || !sends(next) {
		t.Error("without grace the old key works, or the new one does not")
	}
	if got := must(t, "project", "price", "--data", data, "p", "2.5"); got != "2.5" {
		t.Errorf("price %q", got)
	}
	must(t, "project", "mute", "--data", data, "p", "--tool", "find", "--rule", "no_content")
	if got := must(t, "project", "mute", "--data", data, "p"); got != "find no_content" {
		t.Errorf("muted %q", got)
	}
	if status, body := s.request("GET", "/api/v1/settings", read, ""); status != http.StatusOK || !strings.Contains(body, `"price_per_million":2.5`) || !strings.Contains(body, `"no_content"`) {
		t.Errorf("GET settings: %d %s", status, body)
	}
	must(t, "project", "mute", "--data", data, "p", "--tool", "find", "--rule", "no_content", "--off")
	must(t, "project", "rename", "--data", data, "p", "shop")
	if got := must(t, "project", "list", "--data", data); got != "shop" {
		t.Errorf("projects %q", got)
	}
	if status, body := s.request("GET", "/p/shop/settings", "", ""); status != http.StatusOK || strings.Contains(body, next) || !strings.Contains(body, "production") {
		t.Errorf("the page: %d, %d bytes", status, len(body))
	}
}
