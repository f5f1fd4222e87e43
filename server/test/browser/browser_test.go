package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser starts Chromium once for all tests of the package. A machine without
// it fails, and says what to install.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range []string{os.Getenv("UMPIRE_TEST_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		return nil, fmt.Errorf("these tests open the pages in Chromium, which is not installed: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("lang", "en-GB"), chromedp.Flag("disable-dev-shm-usage", true),
	)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancelBrowser := chromedp.NewContext(ctx)
	stopBrowser = func() { cancelBrowser(); cancel() }
	return ctx, chromedp.Do(ctx)
})

var stopBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stopBrowser()
	os.Exit(code)
}

// axeSource is axe-core, at the version of package-lock.json.
var axeSource = sync.OnceValues(func() (string, error) {
	file := filepath.Join("node_modules", "axe-core", "axe.min.js")
	source, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		if out, err := npm.CombinedOutput(); err != nil {
			return "", fmt.Errorf("these tests need axe-core: run npm ci in server/test/browser: %w\n%s", err, out)
		}
		source, err = os.ReadFile(file)
	}
	return string(source), err
})

// look is how a page is looked at.
type look struct {
	width    int64
	dark     bool
	noScript bool
}

func (l look) String() string {
	name := fmt.Sprintf("%d-light", l.width)
	if l.dark {
		name = fmt.Sprintf("%d-dark", l.width)
	}
	if l.noScript {
		name += "-noscript"
	}
	return name
}

// tab is a page that is open in the browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	said []string // console messages, exceptions, violations of the policy
}

// open opens an address and fails the test when the browser says anything, which
// includes what the Content-Security-Policy forbids.
func open(t *testing.T, l look, address string) *tab {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	ctx, cancelTime := context.WithTimeout(ctx, 8*time.Minute)
	tb := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, tb.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		for _, s := range tb.said {
			t.Errorf("%s: the browser says: %s", address, s)
		}
		cancelTime()
		cancel()
	})
	command(tb, log.Enable, cdp.Empty{})
	command(tb, runtime.Enable, cdp.Empty{})
	command(tb, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript})
	command(tb, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Berlin"})
	tb.turn(l)
	do(tb, chromedp.Navigate(address))
	return tb
}

// turn changes how the open page is looked at.
func (tb *tab) turn(l look) {
	tb.t.Helper()
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	command(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	do(tb, chromedp.EmulateViewport(l.width, 900))
}

func (tb *tab) listen(event any) {
	say := func(format string, args ...any) {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		tb.said = append(tb.said, fmt.Sprintf(format, args...))
	}
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		say("console.%s %s", e.Type, e.Args[0].Value)
	case *runtime.EventExceptionThrown:
		say("exception %s", e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		say("%s %s: %s (%s)", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
	}
}

// do runs an action and returns what it gave.
func do[T any](tb *tab, action chromedp.Action[T]) T {
	tb.t.Helper()
	out, err := chromedp.Run(tb.ctx, action)
	if err != nil {
		tb.t.Fatal(err)
	}
	return out
}

// command sends a command of the protocol.
func command[P, R any](tb *tab, c cdp.Command[P, R], params P) {
	tb.t.Helper()
	if _, err := chromedp.Call(tb.ctx, c, params); err != nil {
		tb.t.Fatal(err)
	}
}

// eval runs an expression, also where the page's own scripts are switched off.
func eval[T any](tb *tab, expression string) T {
	tb.t.Helper()
	return do(tb, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// violation is something that axe finds.
type violation struct {
	Rule, Help string
	Nodes      []string
}

// axe fails the test for everything that axe finds.
func (tb *tab) axe() {
	tb.t.Helper()
	for _, v := range tb.violations() {
		tb.t.Errorf("axe: %s: %s\n\t%s", v.Rule, v.Help, strings.Join(v.Nodes, "\n\t"))
	}
}

func (tb *tab) violations() []violation {
	tb.t.Helper()
	source, err := axeSource()
	if err != nil {
		tb.t.Fatal(err)
	}
	if !eval[bool](tb, "!!window.axe") { // a page keeps it until it is left
		do(tb, chromedp.Evaluate[chromedp.Void](source))
	}
	found := eval[string](tb, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(
		r.violations.map(v => ({rule: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " :: " + n.failureSummary)}))))`)
	var list []violation
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		tb.t.Fatal(err)
	}
	return list
}

// fits fails the test when the page can be scrolled sideways, and names what
// sticks out.
func (tb *tab) fits() {
	tb.t.Helper()
	wide := eval[string](tb, `(() => {
		const width = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= width) return "";
		const out = [...document.querySelectorAll("main *, header *, footer *")].filter(e => e.getBoundingClientRect().right > width + 0.5 && !e.closest(".scroll, .sr"));
		return document.documentElement.scrollWidth + " > " + width + ": " + out.slice(0, 4).map(e => e.outerHTML.slice(0, 120)).join(" | ");
	})()`)
	if wide != "" {
		tb.t.Errorf("the page is wider than the screen: %s", wide)
	}
}

// shoot writes a picture of the whole page to the folder UMPIRE_SHOTS, if set:
// for people to look at.
func (tb *tab) shoot(name string) {
	tb.t.Helper()
	folder := os.Getenv("UMPIRE_SHOTS")
	if folder == "" {
		return
	}
	png := do(tb, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		tb.t.Fatal(err)
	}
}

// shootScreen is shoot of what fits on the screen.
func (tb *tab) shootScreen(name string) {
	tb.t.Helper()
	folder := os.Getenv("UMPIRE_SHOTS")
	if folder == "" {
		return
	}
	png := do(tb, chromedp.CaptureScreenshot())
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		tb.t.Fatal(err)
	}
}
