package browser_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var dashboardLine = regexp.MustCompile(`^Dashboard: (http://\S+)`)

// startDemo runs `umpire demo` as a user does, history and clients and all, and
// returns the dashboard's address.
func startDemo(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "umpire")
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/umpire").CombinedOutput(); err != nil {
		t.Fatalf("cannot build umpire: %v\n%s", err, out)
	}
	demo := exec.Command(binary, "demo", "--listen", "127.0.0.1:0")
	demo.Stderr = os.Stderr
	out, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = demo.Process.Signal(syscall.SIGTERM)
		if err := demo.Wait(); err != nil && !strings.Contains(err.Error(), "exit status 130") {
			t.Errorf("the demo ended with %v", err)
		}
	})
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := dashboardLine.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	}()
	select {
	case address := <-found:
		return address
	case <-time.After(5 * time.Minute):
		t.Fatal("the demo shows no dashboard")
		return ""
	}
}

// The demo's pages, as whoever runs `make demo` sees them: no message in the
// console, nothing for axe to find, nothing cut off.
func TestDemoPages(t *testing.T) {
	t.Parallel()
	address := startDemo(t)
	for _, page := range []struct{ name, path, want string }{
		{"overview", "", "claude-desktop"},
		{"tools", "tools", "export_csv"},
		{"tool", "tools/list_orders", "/status"},
		{"clients", "clients", "cursor-vscode"},
	} {
		t.Run(page.name, func(t *testing.T) {
			tb := open(t, looks[0], address+page.path)
			if page.name == "tool" { // what changed in its definition reads from the left, as text does
				do(tb, chromedp.Click(".versions summary", chromedp.NodeReady))
				if got := eval[string](tb, `[...document.querySelectorAll(".diff .added span:last-child")].map(s => s.textContent + " " + (s.getBoundingClientRect().left - s.closest("ol").getBoundingClientRect().left < 60)).join("|")`); got != "description: A customer's orders, optionally of one status. true" {
					t.Errorf("what changed: %q", got)
				}
			}
			for _, l := range looks {
				tb.turn(l)
				if text := eval[string](tb, "document.body.innerText"); !strings.Contains(text, page.want) {
					t.Errorf("%s: the page does not show %q", l, page.want)
				}
				tb.axe()
				tb.fits()
				tb.shoot("demo-" + page.name + "-" + l.String())
				if page.name == "overview" {
					tb.shootScreen("demo-screen-" + l.String())
				}
			}
		})
	}
}
