package browser_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// serve starts the pages on a source.
func serve(t *testing.T, src query.Source, list web.Projects, opt web.Options) string {
	t.Helper()
	opt.Now = func() time.Time { return webtest.Now }
	h, err := web.New(src, list, opt)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

var looks = []look{{width: 1280}, {width: 1280, dark: true}, {width: 390}, {width: 390, dark: true}}

func TestPagesInBrowser(t *testing.T) {
	address := serve(t, webtest.Shop(), webtest.Orders, web.Options{Version: "0.1.0"})
	pages := map[string]string{
		"overview": "/p/orders-mcp/",
		"tools":    "/p/orders-mcp/tools?sort=-crashed",
		"tool":     "/p/orders-mcp/tools/quote_delivery",
		"clients":  "/p/orders-mcp/clients",
		"filtered": "/p/orders-mcp/?client=cursor-vscode&slice=bad_args&last=24h",
		"missing":  "/p/orders-mcp/nowhere",
	}
	for name, path := range pages {
		for _, l := range looks {
			t.Run(name+"/"+l.String(), func(t *testing.T) {
				tb := open(t, l, address+path)
				tb.fits()
				tb.shoot(name + "-" + l.String())
				tb.axe()
			})
		}
	}
}
