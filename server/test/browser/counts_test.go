package browser_test

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// Without a browser: what a count of a page says, and what its link leads to.
var (
	countLink = regexp.MustCompile(`<(?:td class="n[^"]*"[^>]*|b)><a href="([^"]+)">([0-9,]+)</a>`)
	callsSaid = regexp.MustCompile(`id="calls">Calls <span class="caption">([0-9,]+) calls?`)
	cardSaid  = regexp.MustCompile(`<p class="figure">([0-9,]+)</p>`)
	failSaid  = regexp.MustCompile(`<h1>Errors <span class="muted">([0-9,]+) of`)
	callsRow  = regexp.MustCompile(`(?s)<tr><th scope="row"><a href="[^"]*/calls/`)
	sliceRow  = regexp.MustCompile(`(?s)<table class="breakdown-table">.*?</table>`)
	sliceCell = regexp.MustCompile(`<td class="n(?: zero)?">(?:<a href="[^"]+">)?([0-9,]+)(?:</a>)?</td>`)
)

// followed is about how many of a page's counts are followed.
const followed = 3

// reader gets pages and follows links.
type reader struct {
	t    *testing.T
	site string
}

func (r reader) page(path string) string {
	r.t.Helper()
	res, err := http.Get(r.site + path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		r.t.Fatalf("%s: %d %v", path, res.StatusCode, err)
	}
	return string(body)
}

// said is the count that the page at a link begins with, and how many calls it lists;
// -1 where it lists none.
func (r reader) said(path string) (count string, rows int) {
	r.t.Helper()
	body := r.page(path)
	for _, head := range []*regexp.Regexp{callsSaid, failSaid, cardSaid} {
		if m := head.FindStringSubmatch(body); m != nil {
			rows = -1
			if head == callsSaid {
				rows = len(callsRow.FindAllString(body, -1))
			}
			return m[1], rows
		}
	}
	r.t.Fatalf("%s says no count", path)
	return "", 0
}

// A count that is a link, on each kind of page and under filters, leads to as many
// calls as it says; and the slices add up to the calls.
func TestCountsLeadToAsMany(t *testing.T) {
	t.Parallel()
	known := reader{t, serve(t, filled(t), webtest.Orders, web.Options{})}
	db, _ := listed(t)
	people := reader{t, serve(t, db, webtest.Orders, web.Options{})}
	broken := reader{t, serve(t, failures(t), webtest.Orders, web.Options{})}
	for _, p := range []struct {
		in    reader
		path  string
		least int // counts that are links
	}{
		{known, "?client_version=1.0.0", 8},
		{known, "clients?tool=search_orders", 5},
		{known, "tools/refund_order?client=cursor", 4},
		{known, "errors?client=cursor&last=24h", 6},
		{known, "empty?client=cursor&last=24h", 1},
		{known, "empty", 3},
		{known, "reported", 3},
		{known, "sessions", 7},
		{people, "users", 10},
		{people, "users?client=claude-code&last=24h", 5},
		{people, "sessions?failed=1", 1},
		{broken, "errors?error_class=5xx", 2},
		{broken, "tools/find", 4},
	} {
		body := p.in.page("/p/orders-mcp/" + p.path)
		links := countLink.FindAllStringSubmatch(body, -1)
		if len(links) < p.least {
			t.Errorf("%s: %d counts are links, want %d or more", p.path, len(links), p.least)
		}
		for i, link := range links {
			to := html.UnescapeString(link[1])
			if i%max(1, len(links)/followed) != 0 || len(to) > 1000 { // some of many; no address is so long that came through the pipeline
				continue
			}
			count, rows := p.in.said(to)
			if count != link[2] || rows >= 0 && rows != number(count) && rows < 50 {
				t.Errorf("%s: %s leads to %s calls in %d rows: %s", p.path, link[2], count, rows, to)
			}
		}
		if table := sliceRow.FindString(body); strings.Contains(table, "Calls by outcome") {
			sum := 0
			for _, cell := range sliceCell.FindAllStringSubmatch(table, -1) {
				sum += number(cell[1])
			}
			if calls := cardSaid.FindStringSubmatch(body); calls == nil || number(calls[1]) != sum {
				t.Errorf("%s: the slices add up to %d, and the calls are %v", p.path, sum, calls)
			}
		}
	}
}
