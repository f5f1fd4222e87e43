package browser_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// inUse are settings with a bit of everything.
func inUse(t *testing.T) *webtest.Settings {
	t.Helper()
	set := &webtest.Settings{Raw: 90, Price: 3}
	for _, name := range []string{"production", "<script>alert(1)</script>"} {
		if _, err := set.AddKey(t.Context(), 1, "write", name, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := set.RotateKey(t.Context(), 1, 1, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := set.AddRule(t.Context(), 1, "search_orders", "error_text"); err != nil {
		t.Fatal(err)
	}
	now := webtest.Now
	set.Alarms = []web.AlertInfo{
		{Since: &now, AlertAsked: web.AlertAsked{Name: "checkout-errors", Kind: "error_rate", Limit: "5%", Window: "1h", MinCalls: 20, Tool: "search_orders", To: []string{"slack+https://hooks.slack.com/…", "mailto:ops@example.com"}}},
		{OfFile: true, AlertAsked: web.AlertAsked{Name: "<script>alert(1)</script>", Kind: "crash", Window: "1h", MinCalls: 20, To: []string{"webhook+https://example.com/…"}}},
		{Muted: &now, AlertAsked: web.AlertAsked{Name: "week", Kind: "digest", Window: "1h", To: []string{"mailto:ops@example.com"}}},
	}
	return set
}

// TestReports looks at the pages over versions and reasons, and at the settings; the
// second half with names that try to be more than names.
func TestReports(t *testing.T) {
	t.Parallel()
	set := inUse(t)
	opt := web.Options{Settings: set, Alerts: set, Prefs: set.Prefs}
	shop := serve(t, webtest.Shop(), webtest.Orders, opt) + "/p/orders-mcp/"
	odd := serve(t, webtest.OddNames(), webtest.Orders, opt) + "/p/orders-mcp/"
	for name, address := range map[string]string{
		"empty": shop + "empty", "reported": shop + "reported", "unknown": shop + "unknown-tools", "never": shop + "never-called",
		"releases": shop + "releases?last=14d", "settings": shop + "settings",
		"odd-empty": odd + "empty", "odd-releases": odd + "releases",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := open(t, looks[0], address)
			for i, l := range looks {
				tb.turn(l)
				tb.fits()
				tb.shoot(name + "-" + l.String())
				if i < 2 {
					tb.axe()
				}
			}
		})
	}
}

// TestMute: a button of a page does what it says and comes back to it, with and without
// JavaScript; the menu opens by key and closes.
func TestMute(t *testing.T) {
	t.Parallel()
	for _, l := range []look{{width: 1280}, {width: 390, noScript: true}} {
		t.Run(l.String(), func(t *testing.T) {
			set := &webtest.Settings{}
			tb := open(t, l, serve(t, webtest.Shop(), webtest.Orders, web.Options{Settings: set, Prefs: set.Prefs})+"/p/orders-mcp/empty?last=24h")
			do(tb, chromedp.Click(".act-form button", chromedp.NodeReady))
			do(tb, chromedp.WaitReady(".done"))
			if got := eval[string](tb, `document.querySelector(".said").textContent + " " + new URL(location.href).searchParams.get("last")`); got != "muted 24h" || len(set.Muted) != 1 {
				t.Errorf("after the button: %q, %v", got, set.Muted)
			}
			if l.noScript {
				return
			}
			eval[bool](tb, `document.querySelector(".menu > summary").focus() === undefined`)
			do(tb, chromedp.KeyEvent("\r"))
			if !eval[bool](tb, `document.querySelector(".menu").open`) {
				t.Error("the menu does not open by key")
			}
			do(tb, chromedp.KeyEvent("\x1b"))
			if eval[bool](tb, `document.querySelector(".menu").open`) {
				t.Error("Esc does not close the menu")
			}
		})
	}
}

// TestReportsByKey sorts each report by key alone, both ways, and opens the list of its
// files: Tab leads from the head's link to what follows it, and Esc closes the list.
func TestReportsByKey(t *testing.T) {
	t.Parallel()
	src := webtest.Shop()
	address := serve(t, src, webtest.Orders, web.Options{}) + "/p/orders-mcp/"
	tb := open(t, look{width: 1280}, address+"empty")
	focus := func(find string) {
		t.Helper()
		eval[bool](tb, find+`.focus() === undefined`)
	}
	for page, column := range map[string]string{"empty": "Clients", "reported": "Tool", "unknown-tools": "Asked for", "never-called": "Definition", "clients": "Crashes", "tools": "p95"} {
		do(tb, chromedp.Navigate(address+page+"?last=7d"))
		head := fmt.Sprintf(`[...document.querySelectorAll("main thead a")].find(a => a.textContent.startsWith(%q))`, column)
		var order []string
		for len(order) < 2 {
			was := eval[string](tb, `location.search`)
			focus(head)
			do(tb, chromedp.KeyEvent("\r"))
			tb.waitFor(fmt.Sprintf(`document.readyState === "complete" && location.search !== %q && !!%s?.closest("th").ariaSort`, was, head))
			order = append(order, eval[string](tb, head+`.closest("th").ariaSort`))
			if got := eval[string](tb, `new URL(location.href).searchParams.get("last")`); got != "7d" {
				t.Errorf("%s: sorting forgets the range: %s", page, got)
			}
		}
		if order[0] == order[1] {
			t.Errorf("%s by %s: %q", page, column, order)
		}
		focus(`document.querySelector(".downloads > summary")`)
		do(tb, chromedp.KeyEvent("\r"))
		do(tb, chromedp.KeyEvent("\t"))
		if got := eval[string](tb, `document.querySelector(".downloads").open + " " + document.activeElement.textContent`); got != "true CSV" {
			t.Errorf("%s: the list of files by key: %s", page, got)
		}
		do(tb, chromedp.KeyEvent("\x1b"))
		if got := eval[string](tb, `document.querySelector(".downloads").open + " " + document.activeElement.textContent`); got != "false Download" {
			t.Errorf("%s: Esc leaves %s", page, got)
		}
	}
}

// number reads a count that a page shows.
func number(text string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(strings.Fields(text + " x")[0], ",", ""))
	if err != nil {
		return -1
	}
	return n
}

// TestSlicesAreTheirCalls: under every filter the slices add up to the calls, and each
// leads to a list of as many.
func TestSlicesAreTheirCalls(t *testing.T) {
	t.Parallel()
	address := serve(t, filled(t), webtest.Orders, web.Options{})
	tb := open(t, look{width: 1280}, address+"/p/orders-mcp/")
	rows := `[...document.querySelector(".breakdown-table").querySelectorAll("tbody tr")].map(r => [r.children[1].textContent, r.children[1].querySelector("a")?.getAttribute("href") ?? ""])`
	for _, path := range []string{
		"?last=7d", "?client=cursor", "?tool=refund_order", "?version=1.0.0&server=orders", "?cause=returned", "?fingerprint=search_orders3",
		"?session=cursor3", "?outcome=ok", "tools/search_orders?client=claude-code", "tools/" + url.PathEscape("files/read") + "?last=14d",
	} {
		do(tb, chromedp.Navigate(address+"/p/orders-mcp/"+path))
		calls := number(eval[string](tb, `document.querySelector(".figure").textContent`))
		sum := 0
		for _, row := range eval[[][]string](tb, rows) {
			n := number(row[0])
			sum += n
			if n == 0 {
				continue
			}
			// What the list says that it holds, and how many rows it has in all its parts.
			got := eval[[]int](tb, fmt.Sprintf(`(async () => {
				let at = %q, rows = 0, said = -1;
				for (let parts = 0; at && parts < 30; parts++) {
					const page = new DOMParser().parseFromString(await (await fetch(at)).text(), "text/html");
					if (said < 0) said = Number(page.querySelector("#calls .caption").textContent.split(" ")[0].replaceAll(",", ""));
					rows += page.querySelectorAll("table.calls tbody tr").length;
					const older = page.querySelector("a[rel=next]");
					at = older && rows < 300 ? older.getAttribute("href") : "";
				}
				return [said, rows];
			})()`, row[1]))
			if got[0] != n || got[1] != n && got[1] < 300 {
				t.Errorf("%s: %s leads to a list of %d calls with %d rows: %s", path, row[0], got[0], got[1], row[1])
			}
		}
		if sum != calls || calls <= 0 {
			t.Errorf("%s: the slices add up to %d, the calls are %d", path, sum, calls)
		}
	}
	// Once by hand, and back.
	do(tb, chromedp.Navigate(address+"/p/orders-mcp/?client=cursor"))
	do(tb, chromedp.Click(".breakdown-table a[href*='slice=crashed']", chromedp.NodeReady))
	do(tb, chromedp.WaitReady("table.calls"))
	if got := eval[string](tb, `document.querySelector("#calls .caption").textContent`); number(got) != 17 {
		t.Errorf("the link leads to %q, want 17 calls", got)
	}
	do(tb, chromedp.NavigateBack())
	do(tb, chromedp.WaitReady(".cards"))
	if got := eval[string](tb, `location.search`); got != "?client=cursor" {
		t.Errorf("back leads to %s", got)
	}
}
