package browser_test

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// known are the calls that the real store is filled with, by tool, client and
// slice: every figure of the pages can be told from them.
var known = []struct {
	tool, client string
	slices       [5]int // ok, empty, bad args, tool error, crashed
}{
	{"search_orders", "cursor", [5]int{700, 41, 89, 12, 3}},
	{"search_orders", "claude-code", [5]int{350, 0, 11, 0, 0}},
	{"refund_order", "cursor", [5]int{60, 0, 0, 22, 14}},
	{"files/read", "claude-code", [5]int{1, 0, 0, 0, 0}},
}

// filled is a DuckDB store with the known calls, and two tools listed, one of
// which nobody called.
func filled(t *testing.T) store.Store {
	t.Helper()
	ctx := context.Background()
	db, err := duckdb.Open(ctx, filepath.Join(t.TempDir(), "events.duckdb"), duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	var batch []store.Entry
	add := func(e umpire.Event) {
		e.ID, e.Server = umpire.NewID(), umpire.Peer{Name: "orders", Version: "1.0.0"}
		batch = append(batch, store.Entry{Seq: uint64(len(batch) + 1), Project: 1, ReceivedAt: webtest.Now, Event: e})
	}
	add(umpire.Event{Kind: "catalog", StartedAt: webtest.Now.Add(-50 * time.Hour), Tools: []umpire.ToolDefinition{
		{Name: "search_orders", Title: "Search orders", Bytes: 812, Definition: "9f3a1c20b7d84e55"}, {Name: "export_csv", Bytes: 90, Definition: "51c09be7a2f04d18"},
	}})
	for _, k := range known {
		for i, n := range k.slices {
			for j := range n {
				us := int64(1000 * (i + 1) * (j%50 + 1))
				c := umpire.Call{Tool: k.tool, Outcome: umpire.OK, Empty: i == 1, DurationUS: &us}
				if i == 1 && j%3 > 0 {
					c.EmptyRule = []string{"no_content", "zero_count"}[j%3-1]
				}
				if i == 0 && j%50 == 0 {
					c.Suspects = []string{"error_text", "all_failed"}[:1+j%100/50]
				}
				if i >= 2 {
					c.Outcome = umpire.Outcome(umpire.Slices()[i])
					c.Cause, c.ErrorMessage, c.Fingerprint = "returned", "it said no", fmt.Sprint(k.tool, i)
				}
				add(umpire.Event{
					Kind: "call", StartedAt: webtest.Now.Add(-time.Duration(1+j%140) * time.Hour), Call: c,
					Client: umpire.Peer{Name: k.client, Version: "1.0.0"}, Session: fmt.Sprint(k.client, j%7),
				})
			}
		}
	}
	if err := db.Apply(ctx, batch); err != nil {
		t.Fatal(err)
	}
	return db
}

// cells reads the table under a heading, row by row; the mix is left out.
const cells = `[...document.querySelectorAll("section[aria-labelledby=%s] tbody tr")].map(r =>
	[...r.children].slice(0, -1).map(c => (c.querySelector("code,bdi,a") || c).textContent.trim()).join(" "))`

// The pages show what the questions answer, and the questions what was stored.
func TestFigures(t *testing.T) {
	t.Parallel()
	db := filled(t)
	params, err := query.Parse(url.Values{}, webtest.Now)
	if err != nil {
		t.Fatal(err)
	}
	params.Filter.Project = 1
	tools, err := query.Tools(context.Background(), db, params)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, l := range tools.Tools {
		if l.Calls == 0 {
			want = append(want, l.Tool+" 0 – – – – – –")
			continue
		}
		row := []string{l.Tool, format.Count(l.Calls)}
		for _, n := range []*int64{l.BadArgs, l.ToolError, l.Crashed, l.Empty} {
			row = append(row, format.Count(*n))
		}
		row = append(row, format.Duration(*l.P95US), format.Rate(*l.FirstCallSuccess.Rate))
		want = append(want, strings.Join(row, " "))
	}
	if !strings.HasPrefix(want[0], "search_orders 1,206 100 12 3 41 ") || len(want) != 4 {
		t.Fatalf("the questions answer %q", want)
	}
	tb := open(t, look{width: 1280}, serve(t, db, webtest.Orders, web.Options{})+"/p/orders-mcp/")
	if diff := cmp.Diff(want, eval[[]string](tb, fmt.Sprintf(cells, "tools"))); diff != "" {
		t.Errorf("the tools table (-question +page):\n%s", diff)
	}
	total, failed, empty := 0, 0, 0
	for _, k := range known {
		for i, n := range k.slices {
			total += n
			if i == 1 {
				empty += n
			}
			if i > 1 {
				failed += n
			}
		}
	}
	figures := eval[[]string](tb, `[...document.querySelectorAll(".figure")].map(f => f.textContent.trim())`)
	if figures[0] != format.Count(int64(total)) || figures[3] != "14" {
		t.Errorf("cards %q", figures)
	}
	caption := eval[string](tb, `document.querySelector("#h-outcomes .caption").textContent`)
	if want := format.RateOf(int64(failed), int64(total)) + " failed · " + format.RateOf(int64(empty), int64(total)) + " empty"; caption != want {
		t.Errorf("caption %q, want %q", caption, want)
	}
	// The bars, their table and the breakdown add up to the same.
	bars := eval[int](tb, `[...document.querySelectorAll("section[aria-labelledby=h-calls] .numbers tbody tr")].reduce((n, r) => n + Number(r.children[1].textContent.replaceAll(",", "")), 0)`)
	titles := eval[int](tb, `[...document.querySelectorAll(".bar > title")].filter(t => t.textContent.includes("–") && t.textContent.includes("call")).filter(t => t.closest("section").getAttribute("aria-labelledby") === "h-calls").reduce((n, t) => n + Number(t.textContent.match(/: ([0-9,]+) call/)[1].replaceAll(",", "")), 0)`)
	slices := eval[int](tb, `[...document.querySelectorAll(".breakdown-table tbody tr")].reduce((n, r) => n + Number(r.children[1].textContent.replaceAll(",", "")), 0)`)
	if bars != total || titles != total || slices != total {
		t.Errorf("the bars' table adds up to %d, the bars to %d, the slices to %d, want %d", bars, titles, slices, total)
	}
}

// Links and the form lead to where the figures are, with and without JavaScript.
func TestJourney(t *testing.T) {
	t.Parallel()
	address := serve(t, filled(t), webtest.Orders, web.Options{})
	for _, l := range []look{{width: 1280}, {width: 1280, noScript: true}, {width: 390, noScript: true}} {
		t.Run(l.String(), func(t *testing.T) {
			tb := open(t, l, address+"/")
			at := func(want string) {
				t.Helper()
				got := ""
				for end := time.Now().Add(patience); time.Now().Before(end); { // while it is on its way, nothing can be asked
					here, err := chromedp.Run(tb.ctx, chromedp.Evaluate[string](`(u => {
						u.searchParams.sort(); // in which order the form sends is no matter
						return document.readyState === "complete" ? u.href : "";
					})(new URL(location.href))`))
					if got = strings.TrimPrefix(here, address); err == nil && got == want {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
				t.Fatalf("the browser is at %s, want %s", got, want)
			}
			click := func(selector string) {
				t.Helper()
				do(tb, chromedp.Click(selector, chromedp.NodeReady))
			}
			at("/p/orders-mcp/")
			if l.width > 760 { // narrow, there is no head to click on
				click("section[aria-labelledby=tools] th:nth-child(5) a")
				at("/p/orders-mcp/?sort=-crashed#tools")
				first := eval[[]string](tb, fmt.Sprintf(cells, "tools"))[0]
				if !strings.HasPrefix(first, "refund_order 96 0 22 14 0") {
					t.Errorf("the tool that crashes most is %s", first)
				}
			}
			do(tb, chromedp.Navigate(address+"/p/orders-mcp/"))
			do(tb, chromedp.SetValue("select[name=client]", "cursor")) // with a script, this sends the form
			if l.noScript {
				click(".filters button")
			}
			at("/p/orders-mcp/?client=cursor&last=7d") // without a script, the server leaves the empty fields out
			if got := eval[[]string](tb, fmt.Sprintf(cells, "clients")); len(got) != 1 || !strings.HasPrefix(got[0], "cursor 941 89 34 17 41") {
				t.Errorf("clients under the filter: %q", got)
			}
			if l.width > 760 {
				click(".menu-main a[href*='/tools']")
			} else { // narrow, the pages are in a list that opens
				click(".menu > summary")
				click(".menu-list a[href*='/tools']")
			}
			at("/p/orders-mcp/tools?client=cursor&last=7d")
			click("a[href*='refund_order?'][href*='slice=crashed']")
			at("/p/orders-mcp/tools/refund_order?client=cursor&last=7d&slice=crashed")
			if got := eval[string](tb, `document.querySelector(".figure").textContent`); got != "14" {
				t.Errorf("calls that crashed: %s", got)
			}
			click(".chips a[aria-label*='slice']")
			at("/p/orders-mcp/tools/refund_order?client=cursor&last=7d")
			do(tb, chromedp.Navigate(address+"/p/orders-mcp/tools/files%2Fread"))
			if got := eval[string](tb, `document.querySelector("h1").textContent`); got != "files/read" {
				t.Errorf("the page of %s", got)
			}
			// A bar opens its own range, and holds as many calls as it said.
			bar := eval[[]string](tb, `(b => [b.getAttribute("href"), b.querySelector("title").textContent])(document.querySelector("a.bar"))`)
			do(tb, chromedp.Navigate(address+bar[0]))
			if got := eval[string](tb, `document.querySelector(".figure").textContent`); got != "1" || !strings.Contains(bar[1], ": 1 call – 1 OK") {
				t.Errorf("the bar %q opens a range of %s calls", bar[1], got)
			}
			tb.fits()
		})
	}
}

// What the script adds: times in the viewer's zone, the bar read out, the key.
func TestScript(t *testing.T) {
	t.Parallel()
	tb := open(t, look{width: 1280}, serve(t, webtest.Shop(), webtest.Orders, web.Options{})+"/p/orders-mcp/tools/quote_delivery?last=24h")
	if got := eval[string](tb, `document.querySelector("[data-zone]").textContent`); got != "Europe/Berlin" {
		t.Errorf("times in %s", got)
	}
	stamp := eval[[]string](tb, `(t => [t.getAttribute("datetime"), t.textContent, t.title])(document.querySelector("time"))`)
	if !strings.HasSuffix(stamp[0], "Z") || !strings.HasSuffix(stamp[2], "UTC") || strings.Contains(stamp[1], "UTC") {
		t.Errorf("a time reads %q", stamp)
	}
	eval[bool](tb, `document.querySelector(".bar .hit").dispatchEvent(new PointerEvent("pointerover", {bubbles: true}))`)
	if got := eval[string](tb, `document.querySelector(".readout").textContent`); !strings.Contains(got, "call") || strings.Contains(got, "UTC") {
		t.Errorf("the bar is read out as %q", got)
	}
	do(tb, chromedp.KeyEvent("/"))
	if got := eval[string](tb, "document.activeElement.name"); got != "last" {
		t.Errorf("the key / leads to %q", got)
	}
	eval[bool](tb, `document.activeElement.blur() === undefined`)
	do(tb, chromedp.KeyEvent("?"))
	if !eval[bool](tb, `document.querySelector(".keys").open`) {
		t.Error("the key ? does not list the keys")
	}
	tb.axe()
	do(tb, chromedp.KeyEvent("\x1b"))
	withoutMouse(tb)
}

// withoutMouse sorts a table and sets a filter by key alone, and goes back.
func withoutMouse(tb *tab) {
	tb.t.Helper()
	const sorted = `document.querySelector("#clients") && document.querySelector("th[aria-sort] a").textContent.startsWith("Crashes")`
	eval[bool](tb, `[...document.querySelectorAll("main .rows thead a")].find(a => a.textContent === "Crashes").focus() === undefined`)
	do(tb, chromedp.KeyEvent("\r"))
	tb.waitFor(`document.readyState === "complete" && ` + sorted)
	for range 3 { // from the head's link over those that follow it, none is left out
		do(tb, chromedp.KeyEvent("\t"))
	}
	if !eval[bool](tb, `document.activeElement !== document.body`) {
		tb.t.Error("Tab leads nowhere")
	}
	do(tb, chromedp.KeyEvent("/"))
	do(tb, chromedp.KeyEvent(kb.ArrowDown))
	tb.waitFor(`document.readyState === "complete" && new URL(location.href).searchParams.get("last") === "7d" && ` + sorted)
	do(tb, chromedp.NavigateBack())
	tb.waitFor(`document.readyState === "complete" && new URL(location.href).searchParams.get("last") === "24h" && ` + sorted)
	if got := eval[string](tb, `document.querySelector("select[name=last]").value`); got != "24h" {
		tb.t.Errorf("back, the range is %s", got)
	}
}

// waking is a source without calls until it wakes up.
type waking struct {
	*webtest.Memory
	awake atomic.Bool
}

func (w *waking) Snapshot(_ context.Context, do func(store.Reader) error) error { return do(w) }

func (w *waking) current() *webtest.Memory {
	if w.awake.Load() {
		return webtest.One()
	}
	return w.Memory
}

func (w *waking) Totals(ctx context.Context, f store.Filter) (store.Totals, error) {
	return w.current().Totals(ctx, f)
}

func (w *waking) TotalsApart(ctx context.Context, f store.Filter, at time.Time) (before, since store.Totals, err error) {
	return webtest.Apart(ctx, w, f, at)
}

func (w *waking) ByClient(ctx context.Context, f store.Filter) ([]store.ClientRow, error) {
	return w.current().ByClient(ctx, f)
}

// A new install turns itself on when the first call arrives.
func TestInstallTurnsOn(t *testing.T) {
	t.Parallel()
	src := &waking{Memory: &webtest.Memory{}}
	tb := open(t, look{width: 1280}, serve(t, src, webtest.Orders, web.Options{})+"/p/orders-mcp/")
	if got := eval[bool](tb, `!!document.querySelector("[data-wait]")`); !got {
		t.Fatal("the page does not wait")
	}
	src.awake.Store(true)
	do(tb, chromedp.WaitReady(".cards"))
	if got := eval[string](tb, `document.querySelector(".figure").textContent`); got != "1" {
		t.Errorf("calls: %s", got)
	}
}

// axe is really asked: a page with a known defect does not pass.
func TestAxeFinds(t *testing.T) {
	t.Parallel()
	tb := open(t, look{width: 1280}, serve(t, webtest.One(), webtest.Orders, web.Options{})+"/p/orders-mcp/")
	eval[bool](tb, `document.querySelector("main").append(Object.assign(document.createElement("input"), {type: "text"})) === undefined`)
	if found := tb.violations(); len(found) != 1 || found[0].Rule != "label" {
		t.Errorf("axe finds %v", found)
	}
}
