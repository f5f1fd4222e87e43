package web_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

var update = flag.Bool("update", false, "write the golden pages anew")

// build is what a file's name has of its contents.
var build = regexp.MustCompile(`\.[0-9a-f]{8}\.(css|js|svg)`)

// Pages as they are, to the byte: whatever changes one shows in the review of the change
// (-update writes them).
func TestGoldenPages(t *testing.T) {
	set := &webtest.Settings{}
	src := one()
	slices.SortFunc(src.Calls, func(a, b webtest.Call) int { return strings.Compare(a.Slice, b.Slice) }) // one() has them in any order
	src.Calls[0].Version, src.Calls[1].Version = "1.0", "2.0"
	h := pages(t, src, webtest.Orders, web.Options{Version: "1.2.3", Settings: set, Prefs: set.Prefs})
	for name, path := range map[string]string{
		"clients": "/p/orders-mcp/clients?last=24h", "empty": "/p/orders-mcp/empty", "errors": "/p/orders-mcp/errors?last=24h",
		"never-called": "/p/orders-mcp/never-called", "missing": "/nowhere",
		"reported": "/p/orders-mcp/reported", "releases": "/p/orders-mcp/releases", "unknown-tools": "/p/orders-mcp/unknown-tools", "intents": "/p/orders-mcp/intents",
	} {
		t.Run(name, func(t *testing.T) {
			_, body, _ := get(t, h, path)
			got := build.ReplaceAllString(strings.TrimSpace(body)+"\n", ".BUILD.$1")
			file := filepath.Join("testdata", "golden", name+".html")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the page differs from %s (-file +page); -update writes it anew:\n%s", file, diff)
			}
		})
	}
}
