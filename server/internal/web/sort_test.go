package web_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

var headLink = regexp.MustCompile(`<th scope="col" class="[^"]*"( aria-sort="([a-z]+)")?><a href="([^"]+)">([^<]+)`)

// Every table of a report can be sorted by each of its columns that has an order, both
// ways, by links: the filters stay, and no script is needed.
func TestSortOfReports(t *testing.T) {
	src := webtest.Shop()
	src.Calls = src.Calls[len(src.Calls)-1500:] // enough of each
	h := pages(t, src, webtest.Orders, web.Options{})
	for path, columns := range map[string]string{
		"empty": "Tool, Why it counts as empty, Calls, Of the tool's, Clients, Last seen", "reported": "Tool, What makes it look like a failure, Calls, Of the tool's OK, Clients, Last seen",
		"unknown-tools": "Asked for, Closest, Calls, Who asked", "never-called": "Tool, Definition, Sessions, Tokens, Cost, Listed since",
	} {
		heads := headLink.FindAllStringSubmatch(page(t, h, "/p/orders-mcp/"+path+"?last=30d"), -1)
		var found []string
		for i, head := range heads {
			name := strings.TrimSpace(html.UnescapeString(head[4]))
			found = append(found, name)
			to, _, _ := strings.Cut(html.UnescapeString(head[3]), "#")
			var order []string
			for range 2 {
				if !strings.Contains(to, "last=30d") || !strings.Contains(to, "sort=") {
					t.Fatalf("%s, %s: the link forgets the filters: %s", path, name, to)
				}
				body := page(t, h, to)
				again := headLink.FindAllStringSubmatch(body, -1)
				if strings.Count(body, "aria-sort") != 1 || again[i][2] == "" {
					t.Fatalf("%s: sorted by another column than %s: %q", to, name, again)
				}
				order = append(order, again[i][2])
				to, _, _ = strings.Cut(html.UnescapeString(again[i][3]), "#")
			}
			if order[0] == order[1] {
				t.Errorf("%s, %s: the second click does not turn the order, which is %s", path, name, order[0])
			}
		}
		if got := strings.Join(found, ", "); got != columns {
			t.Errorf("%s is sorted by %q, want %q", path, got, columns)
		}
	}
	up, down := names(t, page(t, h, "/p/orders-mcp/empty?sort=calls"), "empty"), names(t, page(t, h, "/p/orders-mcp/empty?sort=-calls"), "empty")
	if len(up) < 3 || up[0] != down[len(down)-1] || down[0] != up[len(up)-1] || up[0] == down[0] {
		t.Errorf("empty answers by calls: upwards %q, downwards %q", up, down)
	}
}
