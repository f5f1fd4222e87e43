package browser_test

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// serve starts the pages on a source.
func serve(t *testing.T, src query.Source, list web.Projects, opt web.Options) string {
	t.Helper()
	opt.Now = func() time.Time { return webtest.Now }
	opt.PanelTimeout = cmp.Or(opt.PanelTimeout, time.Minute) // a busy machine is no defect of a page
	h, err := web.New(src, list, opt)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// looks are the ways to look at a page. axe is asked in the first two, and about
// the pages of everyLook in all.
var everyLook = []string{"overview", "tools", "tool", "clients"}

var looks = []look{{width: 1280}, {width: 390, dark: true}, {width: 1280, dark: true}, {width: 390}}

func TestPages(t *testing.T) {
	t.Parallel()
	two := webtest.Projects{{ID: 1, Name: "orders-mcp"}, {ID: 2, Name: "demo", Demo: true}}
	failing := webtest.Shop()
	failing.Fail = map[string]error{"ByTool": errors.New("broken")}
	told := webtest.Shop()
	told.Told = []store.SenderRow{{SeenBy: "otlp", SDK: "shinzo", Calls: 5000}, {SeenBy: "mcpulse", SDK: "mcpulse", Calls: 335}}
	gate, err := auth.New(auth.Config{Listen: ":0", Password: "a long pass phrase"})
	if err != nil {
		t.Fatal(err)
	}
	shop := serve(t, webtest.Shop(), webtest.Orders, web.Options{Version: "0.1.0"})
	odd := serve(t, webtest.OddNames(), webtest.Orders, web.Options{})
	for name, address := range map[string]string{
		"overview":   shop + "/p/orders-mcp/",
		"tools":      shop + "/p/orders-mcp/tools?sort=-crashed",
		"tool":       shop + "/p/orders-mcp/tools/quote_delivery",
		"clients":    shop + "/p/orders-mcp/clients",
		"filtered":   shop + "/p/orders-mcp/?client=cursor-vscode&slice=bad_args&last=24h",
		"told":       serve(t, told, webtest.Orders, web.Options{}) + "/p/orders-mcp/",
		"quiet":      shop + "/p/orders-mcp/?from=2026-10-01&to=2026-10-08",
		"odd":        odd + "/p/orders-mcp/",
		"odd-tool":   odd + "/p/orders-mcp/tools/" + url.PathEscape(webtest.Odd[0]),
		"odd-filter": odd + "/p/orders-mcp/?client=" + url.QueryEscape(webtest.Odd[len(webtest.Odd)-1]),
		"many":       serve(t, webtest.Many(200), webtest.Orders, web.Options{}) + "/p/orders-mcp/tools",
		"one":        serve(t, webtest.One(), webtest.Orders, web.Options{}) + "/p/orders-mcp/",
		"big":        serve(t, webtest.Big{Memory: webtest.Shop(), Times: 4321}, webtest.Orders, web.Options{}) + "/p/orders-mcp/",
		"failed":     serve(t, failing, webtest.Orders, web.Options{Log: slog.New(slog.DiscardHandler)}) + "/p/orders-mcp/",
		"home":       serve(t, webtest.Shop(), two, web.Options{}) + "/",
		"install":    serve(t, &webtest.Memory{}, webtest.Orders, web.Options{DataDir: "/var/lib/umpire"}) + "/p/orders-mcp/",
		"login":      serve(t, webtest.Shop(), webtest.Orders, web.Options{Gate: gate}) + "/",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := open(t, looks[0], address)
			for i, l := range looks {
				tb.turn(l)
				tb.fits()
				tb.shoot(name + "-" + l.String())
				if i < 2 || slices.Contains(everyLook, name) {
					tb.axe()
				}
			}
		})
	}
}
