package web_test

import (
	"context"
	"errors"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

func pages(t *testing.T, src query.Source, projects web.Projects, opt web.Options) http.Handler {
	t.Helper()
	opt.Now = func() time.Time { return webtest.Now }
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.PanelTimeout == 0 { // a busy machine is no defect of a page
		opt.PanelTimeout = time.Minute
	}
	h, err := web.New(src, projects, opt)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// get returns a page, and checks what every answer has.
func get(t *testing.T, h http.Handler, path string) (int, string, http.Header) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "127.0.0.1:8787"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	header := w.Result().Header
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
	if got := header.Get("Content-Security-Policy"); !strings.HasPrefix(got, policy+";") || strings.Contains(got, "unsafe") {
		t.Errorf("%s: Content-Security-Policy %q", path, got)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %s %q, want %q", path, name, got, want)
		}
	}
	body := w.Body.String()
	for _, tag := range opening.FindAllString(body, -1) {
		if forbidden.MatchString(quoted.ReplaceAllString(tag, `""`)) || strings.Contains(tag, `href="javascript:`) {
			t.Errorf("%s: %s", path, tag)
		}
	}
	return w.Code, body, header
}

// page is get of a page that is there.
func page(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	code, body, header := get(t, h, path)
	if code != http.StatusOK {
		t.Fatalf("%s: status %d %s", path, code, header.Get("Location"))
	}
	return body
}

func has(t *testing.T, body string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func lacks(t *testing.T, body string, nots ...string) {
	t.Helper()
	for _, not := range nots {
		if strings.Contains(body, not) {
			t.Errorf("the page has %q", not)
		}
	}
}

var (
	// opening is a tag with its attributes; forbidden are those that the policy
	// does not allow.
	opening   = regexp.MustCompile(`<[a-zA-Z](?:[^"<>]|"[^"]*")*>`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
	forbidden = regexp.MustCompile(`\s(?:style|on\w+)=`)

	tagged = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
	rows   = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
)

// text is what of a piece of a page is read.
func text(piece string) string {
	return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(tagged.ReplaceAllString(piece, " ")), " "))
}

// section is the part of a page from a heading with an id to the end of its section.
func section(t *testing.T, body, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(body, `id="`+id+`"`)
	if !found {
		t.Fatalf("the page has no section %q", id)
	}
	part, _, _ := strings.Cut(rest, "</section>")
	return part
}

// names are the first cells of a section's rows.
func names(t *testing.T, body, id string) []string {
	t.Helper()
	var out []string
	for _, m := range rows.FindAllStringSubmatch(section(t, body, id), -1) {
		if cell, _, found := strings.Cut(m[1], "</th>"); found && strings.Contains(cell, `scope="row"`) {
			out = append(out, text(cell))
		}
	}
	return out
}

// one is a source of exactly 1,000 calls of one tool: 860 ok, 6 empty, 100 bad
// args, 30 tool errors, 4 crashes.
func one() *webtest.Memory {
	m := &webtest.Memory{}
	for slice, n := range map[string]int{"ok": 860, "empty": 6, "bad_args": 100, "tool_error": 30, "crashed": 4} {
		for range n {
			m.Calls = append(m.Calls, webtest.Call{At: webtest.Now.Add(-time.Hour), Tool: "get_order", Client: "cursor", Slice: slice, US: 88000, Session: "s", Cause: "schema", Fingerprint: slice})
		}
	}
	m.Listed = []store.CatalogRow{{Tool: "get_order", FirstSeen: webtest.Now, LastSeen: webtest.Now}, {Tool: "export_csv", FirstSeen: webtest.Now, LastSeen: webtest.Now}}
	return m
}

// The overview and the tool's page show the same breakdown, with its caption.
func TestBreakdown(t *testing.T) {
	h := pages(t, one(), webtest.Orders, web.Options{})
	overview := section(t, page(t, h, "/p/orders-mcp/"), "h-outcomes")
	tool := section(t, page(t, h, "/p/orders-mcp/tools/get_order"), "h-outcomes")
	const want = `Outcomes 13.4% failed · 0.6% empty Calls by outcome Outcome Calls Share OK 860 86.0% Empty 6 0.6% Bad args 100 10.0% Tool error 30 3.0% Crashed 4 0.4%`
	for name, got := range map[string]string{"overview": overview, "tool": tool} {
		if got = strings.TrimPrefix(text("<h2 "+got), "> "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	if cut := regexp.MustCompile(`href="[^"]*"`); cut.ReplaceAllString(overview, "") != cut.ReplaceAllString(tool, "") {
		t.Error("the two breakdowns differ in more than their links")
	}
}

func TestTables(t *testing.T) {
	body := page(t, pages(t, one(), webtest.Orders, web.Options{}), "/p/orders-mcp/")
	tools := section(t, body, "tools")
	var read []string
	for _, m := range rows.FindAllStringSubmatch(tools, -1) {
		read = append(read, text(m[1]))
	}
	want := []string{
		"Tool Calls ↓ Bad args Tool errors Crashes Empty p95 First-call success Outcome mix",
		"get_order 1,000 100 30 4 6 87 ms 86.0%",
		"export_csv 0 – – – – – – –",
	}
	if !slices.Equal(read, want) {
		t.Errorf("the tools table reads\n%s\nwant\n%s", strings.Join(read, "\n"), strings.Join(want, "\n"))
	}
	if n := strings.Count(tools, `role="img" aria-label="no calls"`); n != 7 {
		t.Errorf("%d dashes say \"no calls\", want 7", n)
	}
	has(t, tools, `aria-sort="descending"`, `scope="col"`, `<caption`, `class="n zero" data-l="Calls">0<`,
		`href="/p/orders-mcp/tools/get_order?slice=crashed"`, `href="/p/orders-mcp/?sort=-crashed#tools"`)
	clients := section(t, body, "clients")
	has(t, clients, `href="/p/orders-mcp/?client=cursor&amp;slice=bad_args"`)
	has(t, text(clients), "Client Calls ↓ Bad args Tool errors Crashes Empty p95 Sessions Outcome mix cursor 1,000 100 30 4 6 87 ms 1")
}

func TestSort(t *testing.T) {
	m := &webtest.Memory{Listed: []store.CatalogRow{{Tool: "never", FirstSeen: webtest.Now}}} // too new to be told never to be called
	for _, c := range []struct {
		tool    string
		crashed int
		ok      int
	}{{"b", 1, 5}, {"a", 1, 5}, {"c", 3, 1}, {"d", 0, 9}} {
		for i := range c.crashed + c.ok {
			slice := "ok"
			if i < c.crashed {
				slice = "crashed"
			}
			m.Calls = append(m.Calls, webtest.Call{At: webtest.Now.Add(-time.Hour), Tool: c.tool, Client: "x", Slice: slice, US: int64(c.crashed + 1)})
		}
	}
	h := pages(t, m, webtest.Orders, web.Options{})
	for key, want := range map[string]string{
		"": "d a b c never", "-calls": "d a b c never", "calls": "never c a b d", "-crashed": "c a b d never", "crashed": "d a b c never",
		"tool": "a b c d never", "-tool": "never d c b a", "-failed": "c a b d never", "failed": "d a b c never", "-p95": "c a b d never",
		"nonsense": "d a b c never", "-first_call": "d a b c never",
	} {
		path := "/p/orders-mcp/tools"
		if key != "" {
			path += "?sort=" + key
		}
		if got := strings.ReplaceAll(strings.Join(names(t, page(t, h, path), "tools"), " "), " not listed", ""); got != want {
			t.Errorf("sort=%s: %s, want %s", key, got, want)
		}
	}
	// The link of the sorted column turns the order, the others start at the worst.
	body := page(t, h, "/p/orders-mcp/tools?client=x&sort=-crashed")
	has(t, body, `href="/p/orders-mcp/tools?client=x&amp;sort=crashed#tools"`, `href="/p/orders-mcp/tools?client=x&amp;sort=-calls#tools"`, `href="/p/orders-mcp/tools?client=x&amp;sort=tool#tools"`)
	if n := strings.Count(body, "aria-sort"); n != 1 {
		t.Errorf("%d columns are sorted", n)
	}
}

// Filters live in the URL, go along from page to page, and can be taken off.
func TestFilters(t *testing.T) {
	h := pages(t, webtest.Shop(), webtest.Orders, web.Options{})
	body := page(t, h, "/p/orders-mcp/?client=cursor-vscode&last=24h&slice=bad_args&sort=-crashed")
	has(t, body,
		`href="/p/orders-mcp/clients?client=cursor-vscode&amp;last=24h&amp;slice=bad_args"`, // sort stays here
		`<option value="24h" selected>`, `<option value="cursor-vscode" selected>`,
		`<input type="hidden" name="slice" value="bad_args">`, `<input type="hidden" name="sort" value="-crashed">`,
		`href="/p/orders-mcp/?client=cursor-vscode&amp;last=24h" aria-label="Remove the filter slice Bad args"`,
		`href="/p/orders-mcp/?last=24h&amp;slice=bad_args" aria-label="Remove the filter client cursor-vscode"`,
		"vs previous 24 hours")
	lacks(t, body, `type="hidden" name="client"`)
	if got := strings.Join(names(t, body, "clients"), " "); !strings.HasPrefix(got, "cursor-vscode") {
		t.Errorf("clients: %s", got)
	}

	// A value that no call has can still be seen and taken off.
	has(t, page(t, h, "/p/orders-mcp/?client=nobody"), `<option value="nobody" selected>`, "No calls match these filters.", `<a href="/p/orders-mcp/">Take all filters off</a>`)
	// Several values: the form keeps them.
	has(t, page(t, h, "/p/orders-mcp/?client=chatgpt&client=claude-code"), `>Several<`, `name="client" value="chatgpt"`, `name="client" value="claude-code"`)
	// A range of one's own.
	body = page(t, h, "/p/orders-mcp/?from=2026-11-20T00%3A00%3A00Z&to=2026-11-21T00%3A00%3A00Z")
	has(t, body, ">Custom<", "20 Nov 2026, UTC", `name="from" value="2026-11-20T00:00:00Z"`)
	// Under a tool's filter the other tools are out of sight, called or not.
	if got := names(t, page(t, h, "/p/orders-mcp/?tool=get_order"), "tools"); !slices.Equal(got, []string{"get_order"}) {
		t.Errorf("tools under the filter: %q", got)
	}
	// A tool's page has no filter of that name.
	lacks(t, page(t, h, "/p/orders-mcp/tools/get_order"), `name="tool"`)
}

// What says the same in fewer words is where a reader is sent.
func TestShortURLs(t *testing.T) {
	h := pages(t, one(), webtest.Orders, web.Options{})
	for path, want := range map[string]string{
		"/p/orders-mcp/?tool=&client=&last=24h":                         "/p/orders-mcp/?last=24h",
		"/p/orders-mcp/?last=&client=cursor":                            "/p/orders-mcp/?client=cursor",
		"/p/orders-mcp/?client=cursor&client=cursor":                    "/p/orders-mcp/?client=cursor",
		"/p/orders-mcp/?last=7d&from=2026-11-20&to=2026-11-21&sort=p95": "/p/orders-mcp/?last=7d&sort=p95",
		"/p/orders-mcp/tools/get_order?tool=x":                          "/p/orders-mcp/tools/get_order",
		"/p/orders-mcp":                                                 "/p/orders-mcp/",
		"/":                                                             "/p/orders-mcp/",
	} {
		code, _, header := get(t, h, path)
		if got := header.Get("Location"); code/100 != 3 || got != want {
			t.Errorf("%s: %d %s, want %s", path, code, got, want)
		}
	}
}

// Each bar leads to its own range; a bucket that is not over says so.
func TestBars(t *testing.T) {
	body := page(t, pages(t, one(), webtest.Orders, web.Options{}), "/p/orders-mcp/?client=cursor&last=24h")
	has(t, body, `href="/p/orders-mcp/?client=cursor&amp;from=2026-11-30T13%3A00%3A00Z&amp;to=2026-11-30T14%3A00%3A00Z"`,
		"Mon 30 Nov 13:00–14:00 UTC: 1,000 calls – 860 OK, 6 empty, 100 bad args, 30 tool error, 4 crashed", "Calls per hour by outcome")
	body = page(t, pages(t, one(), webtest.Orders, web.Options{}), "/p/orders-mcp/")
	has(t, body, "(so far): 1,000 calls", `url(#part)`)
	// The last range reaches no further than the page's own.
	has(t, body, "from=2026-11-30T12%3A00%3A00Z&amp;to=2026-11-30T15%3A00%3A00Z")
}

func TestBigNumbers(t *testing.T) {
	body := page(t, pages(t, webtest.Big{Memory: one(), Times: 1240}, webtest.Orders, web.Options{}), "/p/orders-mcp/")
	has(t, body, `<span title="1,240,000">1.24M</span><span class="sr"> (1,240,000)</span>`)
	has(t, section(t, body, "h-outcomes"), "1,066,400") // exact in tables
}

func TestPending(t *testing.T) {
	open := func(calls int64, known bool) web.Options {
		return web.Options{Pending: func(uint32) (int64, bool) { return calls, known }}
	}
	has(t, page(t, pages(t, one(), webtest.Orders, open(3, true)), "/p/orders-mcp/"), "3 still open")
	lacks(t, page(t, pages(t, one(), webtest.Orders, open(3, true)), "/p/orders-mcp/?client=cursor"), "still open")
	lacks(t, page(t, pages(t, one(), webtest.Orders, open(0, false)), "/p/orders-mcp/"), "still open")
}

func TestNotes(t *testing.T) {
	m := one()
	m.Outside = 12
	m.Cancelled, m.SetAside, m.OtherKinds = 41, 1, map[string]int64{"<b>future</b>": 7}
	m.Calls[0].Session = ""
	m.Unknown = []store.UnknownToolRow{{Name: "getOrder", Calls: 17, Nearest: []string{"get_order"}, Clients: 2}}
	body := page(t, pages(t, m, webtest.Orders, web.Options{}), "/p/orders-mcp/")
	notes := text(section(t, body, "h-notes"))
	has(t, notes, "1 call is in no session", "12 calls were seen from outside", "41 requests were cancelled", "1 event was set aside", "7 events of the kind “<b>future</b>”")
	has(t, text(section(t, body, "unknown")), "getOrder get_order 17 2")
}

// A panel whose question fails says so; the others stay.
func TestFailedPanel(t *testing.T) {
	for method, stays := range map[string][2]string{"ByClient": {`id="tools"`, "h-outcomes"}, "ByTool": {`id="clients"`, "h-outcomes"}, "Series": {`id="tools"`, `id="clients"`}, "Facets": {`id="tools"`, "h-outcomes"}} {
		t.Run(method, func(t *testing.T) {
			m := one()
			m.Fail = map[string]error{method: errors.New("the disk is on fire at /secret/path")}
			h := pages(t, m, webtest.Orders, web.Options{})
			body := page(t, h, "/p/orders-mcp/")
			has(t, body, stays[0], stays[1])
			lacks(t, body, "secret")
			if method != "Facets" { // the filters have no panel
				has(t, body, "Something went wrong inside Umpire.", "The server&#39;s log has the details.")
			}
		})
	}
}

// slow answers one question never.
type slow struct {
	*webtest.Memory
	until chan struct{}
}

func (s slow) Snapshot(_ context.Context, do func(store.Reader) error) error { return do(s) }

func (s slow) ByClient(ctx context.Context, _ store.Filter) ([]store.ClientRow, error) {
	<-s.until // it does not even look at its context
	return nil, nil
}

// broken panics.
type broken struct{ *webtest.Memory }

func (b broken) Snapshot(_ context.Context, do func(store.Reader) error) error { return do(b) }

func (broken) ByClient(context.Context, store.Filter) ([]store.ClientRow, error) {
	panic("BUG: broken")
}

func TestSlowAndBrokenPanel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := slow{one(), make(chan struct{})}
		defer close(src.until)
		body := page(t, pages(t, src, webtest.Orders, web.Options{PanelTimeout: 500 * time.Millisecond}), "/p/orders-mcp/")
		has(t, body, "This took too long.", `id="tools"`)
	})
	body := page(t, pages(t, broken{one()}, webtest.Orders, web.Options{}), "/p/orders-mcp/")
	has(t, body, "Something went wrong inside Umpire.", `id="tools"`)
}

func TestErrorPages(t *testing.T) {
	h := pages(t, one(), webtest.Orders, web.Options{})
	for path, want := range map[string]struct {
		code int
		says string
	}{
		"/nowhere":                          {404, "there is no page at this address"},
		"/p/nobody/":                        {404, "there is no project of this name"},
		"/p/orders-mcp/nowhere":             {404, "there is no page at this address"},
		"/p/orders-mcp/tools/get_ordre":     {404, "the nearest are get_order"},
		"/p/orders-mcp/?clinet=x":           {400, "did you mean client?"},
		"/p/orders-mcp/?last=yesterday":     {400, "last cannot be"},
		"/p/orders-mcp/?slice=%3Cscript%3E": {400, "slice cannot be"},
		"/p/orders-mcp/?a=%zz":              {400, "cannot be read"},
		"/static/app.css":                   {404, "there is no such file"},
		"/login":                            {404, "there is no page"},
	} {
		code, body, _ := get(t, h, path)
		if code != want.code || !strings.Contains(strings.ToLower(text(body)), want.says) {
			t.Errorf("%s: %d, want %d and %q", path, code, want.code, want.says)
		}
		lacks(t, body, "<script>")
	}
}

// visible is how a name with marks that turn the writing around is shown.
var visible = strings.NewReplacer("\u202e", "\ufffd", "\u202c", "\ufffd", "\u200f", "\ufffd")

// Names come from outside. They are text, and the links to them lead to them.
func TestOddNames(t *testing.T) {
	h := pages(t, webtest.OddNames(), webtest.Orders, web.Options{})
	for _, path := range []string{"/p/orders-mcp/", "/p/orders-mcp/tools", "/p/orders-mcp/clients"} {
		lacks(t, page(t, h, path), "<script>alert", "<img")
	}
	links := regexp.MustCompile(`<a href="(/p/orders-mcp/tools/[^"?]+)"><code>`).FindAllStringSubmatch(section(t, page(t, h, "/p/orders-mcp/tools"), "tools"), -1)
	if len(links) != len(webtest.Odd)-2 { // . and .. have no page
		t.Errorf("%d links to tools, want %d", len(links), len(webtest.Odd)-2)
	}
	var reached []string
	for _, m := range links {
		body := page(t, h, html.UnescapeString(m[1]))
		lacks(t, body, "<script>alert", "<img")
		_, rest, _ := strings.Cut(body, "<h1><code><bdi>")
		name, _, _ := strings.Cut(rest, "</bdi>")
		reached = append(reached, html.UnescapeString(name))
	}
	for _, name := range webtest.Odd {
		if strings.Trim(name, ".") != "" && !slices.Contains(reached, visible.Replace(name)) {
			t.Errorf("no link leads to the tool %q", name)
		}
	}
	has(t, page(t, h, "/p/orders-mcp/tools"), `href="/p/orders-mcp/?tool=.."`)
}

func TestManyTools(t *testing.T) {
	const limit = 200 << 10
	h := pages(t, webtest.Many(200), webtest.Orders, web.Options{})
	overview := page(t, h, "/p/orders-mcp/")
	has(t, overview, "All 200 tools", "All 200 clients")
	first, second := page(t, h, "/p/orders-mcp/tools?sort=tool"), page(t, h, "/p/orders-mcp/tools?page=2&sort=tool")
	has(t, first, `href="/p/orders-mcp/tools?page=2&amp;sort=tool"`)
	all := append(names(t, first, "tools"), names(t, second, "tools")...)
	if len(slices.Compact(slices.Sorted(slices.Values(all)))) != 200 {
		t.Errorf("the two pages have %d tools", len(all))
	}
	odd := pages(t, webtest.OddNames(), webtest.Orders, web.Options{})
	for name, body := range map[string]string{
		"overview": overview, "tools": first, "clients": page(t, h, "/p/orders-mcp/clients"),
		"shop": page(t, pages(t, webtest.Shop(), webtest.Orders, web.Options{}), "/p/orders-mcp/?last=30d"), "odd": page(t, odd, "/p/orders-mcp/"), "odd tools": page(t, odd, "/p/orders-mcp/tools"),
	} {
		if len(body) > limit {
			t.Errorf("%s: %d bytes, the limit is %d", name, len(body), limit)
		}
	}
}

func TestQuiet(t *testing.T) {
	old := &webtest.Memory{Calls: []webtest.Call{{At: webtest.Now.Add(-40 * 24 * time.Hour), Tool: "x", Client: "y", Slice: "ok", US: 1}}}
	body := page(t, pages(t, old, webtest.Orders, web.Options{}), "/p/orders-mcp/")
	has(t, body, "No calls in this range.", `<time datetime="2026-10-21T14:22:31Z">`, `role="img" aria-label="no calls"`, "show that week")
	lacks(t, body, "data-wait", "∞", "NaN")
	_, link, _ := strings.Cut(body, `</time>: <a href="`)
	link, _, _ = strings.Cut(link, `"`)
	has(t, page(t, pages(t, old, webtest.Orders, web.Options{}), html.UnescapeString(link)), `<p class="figure">1</p>`)
}

func TestNewInstall(t *testing.T) {
	empty := &webtest.Memory{}
	public, err := url.Parse("https://umpire.example/u/")
	if err != nil {
		t.Fatal(err)
	}
	project := webtest.Projects{{ID: 1, Name: "max's server"}}
	body := page(t, pages(t, empty, project, web.Options{DataDir: "/var/lib/umpire"}), "/p/max%27s%20server/")
	has(t, html.UnescapeString(body), "data-wait", `umpire key add --data /var/lib/umpire --project 'max'\''s server' --write`, `export UMPIRE_ENDPOINT=http://127.0.0.1:8787`, "gosdk.Watch(server, client)")
	lacks(t, body, "<table", `class="plot"`)
	has(t, page(t, pages(t, empty, project, web.Options{PublicURL: public}), "/p/max%27s%20server/"), "UMPIRE_ENDPOINT=https://umpire.example/u")
	// No project yet.
	has(t, page(t, pages(t, empty, webtest.Projects{}, web.Options{}), "/"), "data-wait", "--project my-server")
	// Connected, but not called.
	has(t, page(t, pages(t, &webtest.Memory{Listed: []store.CatalogRow{{Tool: "a"}, {Tool: "b"}}}, project, web.Options{}), "/p/max%27s%20server/"), "Connected: 2 tools listed")
	// Events, but no calls: the figures say so.
	lacks(t, page(t, pages(t, &webtest.Memory{Cancelled: 2}, project, web.Options{}), "/p/max%27s%20server/"), "data-wait")
}

func TestHome(t *testing.T) {
	two := webtest.Projects{{ID: 1, Name: "orders-mcp"}, {ID: 2, Name: "demo & more", Demo: true}}
	body := page(t, pages(t, one(), two, web.Options{}), "/")
	has(t, body, `href="/p/orders-mcp/"`, `href="/p/demo%20&amp;%20more/"`, "13.4% failed · 0.6% empty", "86.0%", "demo data")
	has(t, text(body), "orders-mcp 1,000 13.4% failed")
}

func TestPublicPath(t *testing.T) {
	public, err := url.Parse("https://example.com/umpire")
	if err != nil {
		t.Fatal(err)
	}
	h := pages(t, one(), webtest.Orders, web.Options{PublicURL: public})
	for _, path := range []string{"/umpire/p/orders-mcp/", "/p/orders-mcp/"} {
		body := page(t, h, path)
		for _, m := range regexp.MustCompile(`(?:href|src|action)="(/[^"]*)"`).FindAllStringSubmatch(body, -1) {
			if !strings.HasPrefix(m[1], "/umpire/") {
				t.Errorf("%s: a link to %s", path, m[1])
			}
		}
	}
	if _, _, header := get(t, h, "/umpire/"); header.Get("Location") != "/umpire/p/orders-mcp/" {
		t.Errorf("the start page leads to %q", header.Get("Location"))
	}
}

func TestStaticFiles(t *testing.T) {
	h := pages(t, one(), webtest.Orders, web.Options{})
	body := page(t, h, "/p/orders-mcp/")
	files := regexp.MustCompile(`"(/static/[^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(files) != 3 {
		t.Fatalf("files %v", files)
	}
	for _, m := range files {
		code, _, header := get(t, h, m[1])
		if code != 200 || !strings.Contains(header.Get("Cache-Control"), "immutable") || !regexp.MustCompile(`\.[0-9a-f]{8}\.`).MatchString(m[1]) {
			t.Errorf("%s: %d %s", m[1], code, header.Get("Cache-Control"))
		}
	}
}

func TestSignInPages(t *testing.T) {
	gate, err := auth.New(auth.Config{Listen: ":0", Password: "a long pass phrase"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(pages(t, one(), webtest.Orders, web.Options{Gate: gate}))
	defer server.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	read := func(answer *http.Response, err error) (int, string, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, answer.Header.Get("Location"), string(body)
	}
	code, to, _ := read(client.Get(server.URL + "/p/orders-mcp/?last=24h"))
	if code != 303 || to != "/login?next=%2Fp%2Forders-mcp%2F%3Flast%3D24h" {
		t.Fatalf("a stranger: %d %s", code, to)
	}
	code, _, body := read(client.Get(server.URL + to))
	has(t, body, `name="next" value="/p/orders-mcp/?last=24h"`, `type="password"`)
	if code != 200 {
		t.Fatalf("the login page: %d", code)
	}
	code, _, body = read(client.PostForm(server.URL+"/login", url.Values{"password": {"wrong"}, "next": {"//evil.example"}}))
	has(t, body, "That is not the password.", `name="next" value="/"`)
	if code != 401 {
		t.Errorf("a wrong password: %d", code)
	}
	code, to, _ = read(client.PostForm(server.URL+"/login", url.Values{"password": {"a long pass phrase"}, "next": {"https://evil.example"}}))
	if code != 303 || to != "/" {
		t.Errorf("a planted target: %d %s", code, to)
	}
	// The style sheet of the login page needs no sign-in.
	_, css, _ := strings.Cut(body, `rel="stylesheet" href="`)
	css, _, _ = strings.Cut(css, `"`)
	if code, _, _ = read(client.Get(server.URL + css)); code != 200 {
		t.Errorf("the style sheet: %d", code)
	}
}
