package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

func TestFailurePages(t *testing.T) {
	t.Parallel()
	failing := webtest.Shop()
	failing.Fail = map[string]error{"AfterFailures": errors.New("broken"), "BadParams": errors.New("broken")}
	shop := serve(t, webtest.Shop(), webtest.Orders, web.Options{})
	broken := serve(t, failing, webtest.Orders, web.Options{Log: slog.New(slog.DiscardHandler)})
	for name, page := range map[string]struct{ address, want string }{
		"errors":        {shop + "/p/orders-mcp/errors", "payments.RefusedError:409"},
		"errors-narrow": {shop + "/p/orders-mcp/errors?error_class=4xx&client=cursor-vscode", "payments.RefusedError:409"},
		"errors-none":   {shop + "/p/orders-mcp/errors?slice=ok", "No failure in"},
		"errors-broken": {broken + "/p/orders-mcp/errors", "429 from upstream"},
		"tool-failing":  {shop + "/p/orders-mcp/tools/update_address", "not one of 3 allowed"},
		"tool-broken":   {broken + "/p/orders-mcp/tools/update_address", "p95"},
		"docs":          {shop + "/docs/", "exactly one of four"},
		"docs-words":    {shop + "/docs/words", "The handler panicked."},
		"docs-sources":  {shop + "/docs/sources", "lower bound"},
		"docs-alerts":   {shop + "/docs/alerts", "digest of the week"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := open(t, looks[0], page.address)
			if text := eval[string](tb, "document.body.innerText"); !strings.Contains(text, page.want) {
				t.Errorf("the page does not say %q", page.want)
			}
			if n := eval[int](tb, "document.documentElement.outerHTML.length"); n > 200_000 {
				t.Errorf("the page has %d characters", n)
			}
			for i, l := range looks {
				tb.turn(l)
				tb.fits()
				tb.shoot(name + "-" + l.String())
				if i < 2 {
					eval[bool](tb, `document.querySelectorAll("details").forEach(d => d.open = true) === undefined`)
					tb.axe()
					tb.fits()
				}
			}
		})
	}
	tb := open(t, look{width: 1280, noScript: true}, broken+"/p/orders-mcp/tools/update_address")
	failed := eval[[]string](tb, `[...document.querySelectorAll(".failed h2")].map(h => h.textContent)`)
	if !slices.Equal(failed, []string{"Failures", "What the models did next"}) || !eval[bool](tb, `!!document.querySelector(".cards") && !!document.querySelector("#definition")`) {
		t.Errorf("the panels that failed are %q", failed)
	}
}

// failures are a store of failures of which every figure is known, with texts that
// break what is careless.
func failures(t *testing.T) store.Store {
	t.Helper()
	db, err := duckdb.Open(t.Context(), filepath.Join(t.TempDir(), "events.duckdb"), duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	hostile := []string{
		`<script>document.title = "owned"</script><img src=x onerror="document.title='owned'">`, "\u202eevil\u202c שלום", strings.Repeat("long ", 2000),
		"\x1b[31mred\x1b[0m 🧑‍⚖️", `"]]>'); DROP TABLE events; -- {{.}}`,
	}
	var batch []store.Entry
	add := func(minute int, e umpire.Event) {
		e.ID, e.Server, e.StartedAt = umpire.NewID(), umpire.Peer{Name: "orders", Version: "1.0.0"}, webtest.Now.Add(-time.Duration(minute)*time.Minute)
		batch = append(batch, store.Entry{Seq: uint64(len(batch) + 1), Project: 1, ReceivedAt: webtest.Now, Event: e})
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{
		"status": map[string]any{"enum": []string{"open", "packed", hostile[0]}},
	}})
	add(6000, umpire.Event{Kind: "catalog", Tools: []umpire.ToolDefinition{
		{Name: "find", Description: hostile[0] + hostile[2], Definition: "d1", Bytes: 100, InputSchema: schema},
	}})
	for i, text := range append(hostile, "plain") {
		for j := range i + 1 {
			e := umpire.Event{Kind: "call", Session: fmt.Sprint("s", i, j), Client: umpire.Peer{Name: "cursor"}}
			e.Call = umpire.Call{Tool: "find", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "shop.Closed:503", ErrorStatus: 503, ErrorMessage: text, Fingerprint: fmt.Sprint("f", i)}
			add(300+10*i+j, e)
			if i == 5 { // and then it went well, with other arguments
				e.Outcome, e.Cause, e.ErrorType, e.ErrorStatus, e.ErrorMessage, e.Fingerprint, e.ArgsHash = umpire.OK, "", "", 0, "", "", "b"
				add(299+10*i+j, e)
			}
		}
	}
	for i := range 4 {
		e := umpire.Event{Kind: "call", Session: fmt.Sprint("b", i), Client: umpire.Peer{Name: hostile[0]}}
		e.Call = umpire.Call{Tool: "find", Outcome: umpire.BadArgs, Cause: "schema", Fingerprint: "args", BadParams: []umpire.BadParam{{Path: "/status", Rule: "enum", Near: hostile[0]}}}
		add(100+i, e)
	}
	ok := umpire.Event{Kind: "call", Session: "o"}
	ok.Call = umpire.Call{Tool: "find", Outcome: umpire.OK, Suspects: []string{"error_text", hostile[0]}}
	add(50, ok)
	if err := db.Apply(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	return db
}

// Counts lead to lists that hold as many calls, and texts from outside stay texts.
func TestFailureCounts(t *testing.T) {
	t.Parallel()
	address := serve(t, failures(t), webtest.Orders, web.Options{})
	for _, l := range []look{{width: 1280, noScript: true}, {width: 390, dark: true}} {
		t.Run(l.String(), func(t *testing.T) {
			tb := open(t, l, address+"/p/orders-mcp/errors")
			type link struct{ Text, Href string }
			read := func(selector string) (out []link) {
				text := eval[string](tb, `JSON.stringify([...document.querySelectorAll("`+selector+`")].map(a => ({Text: a.textContent, Href: a.href})))`)
				if err := json.Unmarshal([]byte(text), &out); err != nil {
					t.Fatal(err)
				}
				return out
			}
			groups, types, classes := read(".failures td.n a"), read(".types td.n a"), read("section[aria-labelledby=h-classes] td a")
			if len(groups) != 7 || len(types) != 2 || len(classes) != 2 {
				t.Fatalf("%d groups, %d types, %d classes", len(groups), len(types), len(classes))
			}
			total := eval[string](tb, `document.querySelector("h1").textContent`)
			if !strings.Contains(total, "25 of 32 calls failed") {
				t.Errorf("the heading is %q", total)
			}
			inert(tb)
			tb.fits()
			for _, g := range append(groups[:3], types...) {
				do(tb, chromedp.Navigate(g.Href))
				if got := eval[int](tb, `document.querySelectorAll(".calls tbody tr").length`); fmt.Sprint(got) != g.Text {
					t.Errorf("%s leads to %d calls, and says %s", g.Href, got, g.Text)
				}
			}
			do(tb, chromedp.Navigate(classes[0].Href))
			if got := eval[string](tb, `document.querySelector("h1").textContent`); !strings.Contains(got, classes[0].Text+" of "+classes[0].Text+" calls failed") {
				t.Errorf("the class of %s calls leads to %q", classes[0].Text, got)
			}
			do(tb, chromedp.Navigate(address+"/p/orders-mcp/tools/find"))
			inert(tb)
			tb.fits()
			text := eval[string](tb, `document.body.innerText`)
			for _, want := range []string{"not one of 3 allowed", "allowed values are not in the description: open, packed", "corrected itself 6"} {
				if !strings.Contains(text, want) {
					t.Errorf("the tool's page does not say %q", want)
				}
			}
			report := eval[string](tb, `document.querySelector(".context pre").textContent`)
			if !strings.Contains(report, "fingerprint:") || !strings.Contains(report, "sample calls:") {
				t.Errorf("the report of a bug is %q", report)
			}
		})
	}
}

// inert fails the test when a text from outside became a part of the page.
func inert(tb *tab) {
	tb.t.Helper()
	if title := eval[string](tb, "document.title"); strings.Contains(title, "owned") {
		tb.t.Errorf("a text ran: the title is %q", title)
	}
	if n := eval[int](tb, `document.querySelectorAll("main script, main img, main [onerror]").length`); n > 0 {
		tb.t.Errorf("%d elements are not ours", n)
	}
	if strings.ContainsAny(eval[string](tb, "document.body.innerText"), "\x1b\u202e") {
		tb.t.Error("a control character is shown as it came")
	}
}

// A word leads to what it means, without a script.
func TestWordsLeadToDocs(t *testing.T) {
	t.Parallel()
	address := serve(t, webtest.Shop(), webtest.Orders, web.Options{})
	tb := open(t, look{width: 1280, noScript: true}, address+"/p/orders-mcp/errors")
	href := eval[string](tb, `document.querySelector(".failures .word[href*=cause]").href`)
	do(tb, chromedp.Navigate(href))
	if got := eval[string](tb, `document.querySelector(":target h3").textContent`); got == "" {
		t.Errorf("%s explains nothing", href)
	}
	for _, page := range eval[[]string](tb, `[...document.querySelectorAll(".docs-nav a")].map(a => a.href)`) {
		do(tb, chromedp.Navigate(page))
		if n := eval[int](tb, `document.querySelectorAll(".prose p").length`); n == 0 {
			t.Errorf("%s is empty", page)
		}
		for _, to := range eval[[]string](tb, `[...document.querySelectorAll(".prose a")].map(a => a.href)`) {
			at, anchor, _ := strings.Cut(to, "#")
			if !strings.HasPrefix(at, address+"/docs/") {
				t.Errorf("%s leads away: %s", page, to)
			}
			if anchor != "" {
				do(tb, chromedp.Navigate(to))
				if !eval[bool](tb, `!!document.querySelector(":target")`) {
					t.Errorf("%s: %s leads nowhere", page, to)
				}
				do(tb, chromedp.Navigate(page))
			}
		}
	}
}
