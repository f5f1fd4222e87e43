package browser_test

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestShots takes the pictures of docs/ (tools/shots.sh): pages of a demo as people
// see them. Without a folder for them there is nothing to take.
func TestShots(t *testing.T) {
	if os.Getenv("UMPIRE_SHOTS") == "" {
		t.Skip("UMPIRE_SHOTS names no folder")
	}
	address := startDemo(t)
	for _, page := range []struct {
		name, path string
		dark       bool
	}{
		{"overview-light", "", false},
		{"overview-dark", "", true},
		{"tool", "tools/list_orders", false},
		{"calls", "calls?slice=bad_args&slice=tool_error&slice=crashed", true},
		{"releases", "releases?last=14d", false},
		{"unknown-tools", "unknown-tools", true},
		{"settings", "settings", false},
	} {
		tb := open(t, look{width: 1280, dark: page.dark}, address+page.path)
		do(tb, chromedp.WaitReady("main"))
		tb.shootScreen("docs-" + page.name)
	}
}
