package browser_test

import (
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// TestLists looks at the lists and at what their rows lead to.
func TestLists(t *testing.T) {
	shop := serve(t, webtest.Shop(), webtest.Orders, web.Options{Version: "0.1.0"}) + "/p/orders-mcp/"
	for name, path := range map[string]string{
		"calls":        "calls",
		"calls-failed": "calls?slice=bad_args&slice=crashed&slice=tool_error",
		"call":         "calls/" + webtest.CallID(77).String(),
		"sessions":     "sessions",
		"session":      "sessions/s3849?last=30d",
	} {
		t.Run(name, func(t *testing.T) {
			tb := open(t, looks[0], shop+path)
			for _, l := range looks {
				tb.turn(l)
				tb.fits()
				tb.shootScreen(name + "-" + l.String())
				tb.axe()
			}
		})
	}
}
