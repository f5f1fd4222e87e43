package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/live"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// hostile are texts that whoever calls chooses.
var hostile = []string{
	`<script>document.title="broken"</script>`, "\u202eevil\u202c", "\x1b[31mred\x1b[0m", "👩‍👩‍👧‍👦 🧪", `"><img src=x onerror=alert(1)>`, strings.Repeat("long ", 2000),
}

// looped is a session that asks the same four times, and fails and retries.
const looped = "4f1d0c2b9a8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a392817060001"

// listed is a store with what the lists show, and how many calls it holds.
func listed(t *testing.T) (store.Store, int) {
	t.Helper()
	db, err := duckdb.Open(t.Context(), "", duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var batch []store.Entry
	calls := 0
	add := func(before time.Duration, kind, tool, session string, edit func(*umpire.Event)) {
		us := before.Microseconds()%900_000 + 400
		e := umpire.Event{
			ID: umpire.NewID(), Kind: kind, StartedAt: webtest.Now.Add(-before), Session: session, SeenBy: "sdk", Server: umpire.Peer{Name: "orders", Version: "1.4.0", Env: "prod"},
			Client: umpire.Peer{Name: "claude-code", Version: "2.0.64"}, Platform: "claude-code", SDK: umpire.Peer{Name: "umpire-go", Version: "0.1.0"}, Rules: 1, Protocol: "2025-11-25", Transport: "stdio",
		}
		e.Tool, e.Outcome, e.Evidence, e.HandlerRan, e.DurationUS = tool, umpire.OK, "observed", "yes", &us
		if edit != nil {
			edit(&e)
		}
		if kind == "call" {
			calls++
		}
		batch = append(batch, store.Entry{Seq: uint64(len(batch) + 1), Project: 1, ReceivedAt: webtest.Now, Event: e})
	}
	for i := range 230 {
		add(time.Duration(3+i*17)*time.Minute, "call", "search_orders", fmt.Sprintf("derived-%060d", i%9), func(e *umpire.Event) {
			e.User = fmt.Sprint("user-", i%13)
			if i%4 == 0 {
				e.Intent = "Find the newest order of a customer who waits for a refund"
			}
		})
	}
	for i, text := range hostile {
		add(time.Duration(200+i)*time.Minute, "call", text, "s-odd", func(e *umpire.Event) {
			e.Outcome, e.Cause, e.ErrorType, e.ErrorMessage, e.Intent, e.User = umpire.ToolError, "returned", "odd.Error", text, text, text
			e.Client.Name, e.Fingerprint, e.Meta, e.Input = text, "f", map[string]any{text: text}, []byte(`{"a":"<script>"}`)
		})
		for _, kind := range []string{"resource", "prompt"} {
			add(time.Duration(100+i)*time.Minute, kind, text, "", nil)
		}
		add(time.Duration(90+i)*time.Minute, "custom", "", "s-odd", func(e *umpire.Event) {
			e.Intent, e.Meta = text, map[string]any{"umpire.event": "umpire.missing_tool"}
		})
	}
	for i := range 4 { // a loop, then a refused call and its retry
		add(20*time.Minute-time.Duration(i)*4*time.Second, "call", "get_order", looped, func(e *umpire.Event) { e.ArgsHash, e.AskHash = "aaaaaaaaaaaa", "aaaaaaaaaaaa" })
	}
	add(18*time.Minute, "call", "refund_order", looped, func(e *umpire.Event) {
		e.Outcome, e.Cause, e.HandlerRan, e.ArgsHash, e.AskHash = umpire.BadArgs, "schema", "no", "bbbbbbbbbbbb", "bbbbbbbbbbbb"
		e.BadParams, e.ErrorMessage = []umpire.BadParam{{Path: "/reason", Rule: "enum", Near: "damaged"}}, `validating "arguments": validating /properties/reason: enum: broken does not equal any of: [damaged late]`
	})
	add(18*time.Minute-4*time.Second, "call", "get_order", looped, nil)
	add(18*time.Minute-8*time.Second, "call", "refund_order", looped, func(e *umpire.Event) { e.ArgsHash, e.AskHash = "cccccccccccc", "cccccccccccc" })
	for i := range 40 {
		add(time.Duration(i)*time.Hour, "resource", "orders://{id}", "", func(e *umpire.Event) {
			if i%11 == 0 {
				e.Outcome = umpire.Crashed
			}
		})
		add(time.Duration(i)*time.Hour, "prompt", "refund_letter", "", nil)
	}
	if err := db.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return db, calls
}

// lists is one server for the pages and the read API over listed, as umpire serve
// has them under one address.
var lists struct {
	address string
	hub     *live.Hub
	calls   int
}

func serveLists(t *testing.T) string {
	t.Helper()
	db, calls := listed(t)
	lists.calls, lists.hub = calls, live.New()
	pages, err := web.New(db, webtest.Orders, web.Options{Now: func() time.Time { return webtest.Now }, PanelTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.Handle("/api/v1/", api.New(db, apiOrders{}, func(*http.Request) (api.Grant, error) { return api.Grant{}, nil }, api.Options{
		Now: func() time.Time { return webtest.Now }, Live: lists.hub,
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/p/orders-mcp/"
}

type apiOrders struct{}

func (apiOrders) List(context.Context) ([]api.Project, error) {
	return []api.Project{{ID: 1, Name: "orders-mcp"}}, nil
}

func (apiOrders) ByName(context.Context, string) (api.Project, error) {
	return api.Project{ID: 1, Name: "orders-mcp"}, nil
}

// TestLists looks at the lists and at what their rows lead to, walks through them,
// and watches events come in.
func TestLists(t *testing.T) {
	t.Parallel()
	root := serveLists(t)
	for _, page := range []struct{ name, path string }{
		{"calls", "calls?slice=bad_args&slice=tool_error"},
		{"sessions", "sessions"},
		{"session", "sessions/" + looped},
		{"session-odd", "sessions/s-odd"},
		{"users", "users"},
		{"intents", "intents"},
		{"resources", "resources"},
		{"live", "live"},
	} {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			tb := open(t, looks[0], root+page.path)
			for i, l := range looks {
				tb.turn(l)
				tb.fits()
				tb.shootScreen("list-" + page.name + "-" + l.String())
				if i < 2 {
					tb.axe()
				}
			}
			if title := eval[string](tb, "document.title"); strings.Contains(title, "broken") {
				t.Error("a text of an event ran as a script")
			}
			if n := eval[int](tb, "document.documentElement.outerHTML.length"); n > 200_000 {
				t.Errorf("the page is %d bytes long", n)
			}
		})
	}
	t.Run("a call", func(t *testing.T) { oneCall(t, root) })
	t.Run("walk", func(t *testing.T) { walkLists(t, root) })
	t.Run("watch", func(t *testing.T) { watchLive(t, root) })
}

// oneCall comes to a call from its row, and back.
func oneCall(t *testing.T, root string) {
	tb := open(t, looks[0], root+"calls?slice=tool_error")
	do(tb, chromedp.Click("table.calls tbody tr:last-child th a"))
	tb.waitFor(`document.querySelector("#why") !== null`)
	for i, l := range looks {
		tb.turn(l)
		tb.fits()
		tb.shoot("list-call-" + l.String())
		if i < 2 {
			tb.axe()
		}
	}
	if text := eval[string](tb, "document.body.innerText"); !strings.Contains(text, "Rule 2.5 of outcomes.md") || !strings.Contains(text, "odd.Error") {
		t.Errorf("the call does not say why it is judged so:\n%s", text)
	}
	do(tb, chromedp.NavigateBack())
	tb.waitFor(`document.querySelector("table.calls") !== null`)
}

// patience is how long a test waits for what takes a moment before it takes it for
// what never happens: a machine may be busy with other tests for a while.
const patience = 2 * time.Minute

// waitFor waits until the expression is true. While the page is on its way to
// another, nothing can be asked.
func (tb *tab) waitFor(expression string) {
	tb.t.Helper()
	var last error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var is bool
		if is, last = chromedp.Run(tb.ctx, chromedp.Evaluate[bool](expression, chromedp.EvalAwaitPromise)); last == nil && is {
			return
		}
	}
	tb.t.Fatalf("never true: %s (%v)", expression, last)
}

// walkLists: without scripts, the parts of the list of calls together have as many
// rows as its head says, and a session as many as its row says.
func walkLists(t *testing.T, root string) {
	tb := open(t, look{width: 1280, noScript: true}, root+"calls")
	if head := eval[string](tb, `document.querySelector("#calls").innerText`); !strings.Contains(head, fmt.Sprintf("%d calls", lists.calls)) {
		t.Errorf("the head says %q, and there are %d calls", head, lists.calls)
	}
	rows := 0
	for range 20 {
		rows += eval[int](tb, `document.querySelectorAll("table.calls tbody tr").length`)
		next := eval[string](tb, `(document.querySelector("a[rel=next]") || {href: ""}).href`)
		if next == "" {
			break
		}
		do(tb, chromedp.Navigate(next))
	}
	if rows != lists.calls {
		t.Errorf("%d rows in all parts, want %d", rows, lists.calls)
	}
	do(tb, chromedp.Navigate(root+"sessions?loops=1"))
	const firstRow = `[...document.querySelectorAll("table.sessions tbody tr:first-child > *")].map(c => c.innerText.trim())`
	row := eval[[]string](tb, firstRow)
	if len(row) < 3 || row[2] != "7" || !strings.Contains(row[1], "loop") || !strings.Contains(row[1], "1 retry") {
		t.Errorf("the session that goes round is %q", row)
	}
	do(tb, chromedp.Navigate(eval[string](tb, `document.querySelector("table.sessions tbody th a").href`)))
	if n := eval[int](tb, `document.querySelectorAll("table.timeline tbody tr").length`); n != 7 {
		t.Errorf("its timeline has %d calls, want 7", n)
	}
	if n := eval[int](tb, `document.querySelectorAll("table.timeline tr.brace").length`); n != 3 {
		t.Errorf("%d rows are braced, want the refused call, the one between and the retry", n)
	}
	do(tb, chromedp.Navigate(root+"sessions"))
	do(tb, chromedp.Navigate(eval[string](tb, `[...document.querySelectorAll("table.sessions td.n a")][1].href`)))
	want := eval[string](tb, `document.querySelector("#calls").innerText`)
	if n := eval[int](tb, `document.querySelectorAll("table.calls tbody tr").length`); !strings.Contains(want, fmt.Sprintf("%d call", n)) {
		t.Errorf("a session's count leads to %d rows under %q", n, want)
	}
}

// watchLive: what is stored appears at once, also what is hostile; while paused it
// waits.
func watchLive(t *testing.T, root string) {
	tb := open(t, looks[0], root+"live")
	tb.waitFor(`document.querySelector(".live-status").textContent.startsWith("Connected")`)
	send := func(tool string) {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: webtest.Now, Client: umpire.Peer{Name: tool}}
		e.Tool, e.Outcome, e.ErrorMessage, e.ErrorType = tool, umpire.Crashed, tool, "a.B"
		lists.hub.Applied([]store.Entry{{Project: 1, Event: e}, {Project: 2, Event: umpire.Event{ID: umpire.NewID(), Kind: "call", Call: umpire.Call{Tool: "not ours"}}}})
	}
	first := func(tool string) string {
		return fmt.Sprintf(`document.querySelector("table.live tbody tr code").textContent === %q`, tool)
	}
	send("create_label")
	tb.waitFor(first("create_label"))
	send(hostile[0])
	tb.waitFor(first(hostile[0]))
	tb.axe()
	tb.shootScreen("list-live-coming")
	do(tb, chromedp.Click(".pause"))
	send("while_paused")
	time.Sleep(600 * time.Millisecond)
	if !eval[bool](tb, first(hostile[0])) {
		t.Error("a row appears while the page is paused")
	}
	do(tb, chromedp.Click(".pause"))
	tb.waitFor(first("while_paused"))
	if text := eval[string](tb, "document.body.innerText"); strings.Contains(text, "not ours") {
		t.Error("another project's event is shown")
	}
	if title := eval[string](tb, "document.title"); strings.Contains(title, "broken") {
		t.Error("a text of an event ran as a script")
	}
}
