package web_test

import (
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// A figure that some sender cannot show says so beside it; one that nobody can show
// is no zero.
func TestNotReported(t *testing.T) {
	m := one()
	calls := int64(len(m.Calls))
	m.Told = []store.SenderRow{{SeenBy: "otlp", SDK: "opentel-mcp", SDKVersion: "unknown", Calls: calls}}
	h := pages(t, m, webtest.Orders, web.Options{})
	for _, path := range []string{"/p/orders-mcp/", "/p/orders-mcp/tools/" + m.Calls[0].Tool} {
		body := page(t, h, path)
		outcomes := text(section(t, body, "h-outcomes"))
		has(t, outcomes, "empty not reported", "Empty not reported by OpenTelemetry (opentel-mcp)", "Crashed a lower bound from OpenTelemetry (opentel-mcp)")
		has(t, body, `<small title="Crashes and unknown tools arrive as tool errors`)
		has(t, text(section(t, body, "h-notes")), "reported by OpenTelemetry (opentel-mcp), which never reports empty answers, cancelled requests")
		has(t, body, `aria-label="not reported"`) // sessions
	}
	has(t, text(section(t, page(t, h, "/p/orders-mcp/clients"), "h-notes")), "which never reports")

	m.Told = append(m.Told,
		store.SenderRow{SeenBy: "mcpulse", SDK: "mcpulse", SDKVersion: "unknown", Calls: 1},
		store.SenderRow{SeenBy: "otlp", SDK: "<b>shinzo</b>", SDKVersion: "unknown", Calls: 1},
		store.SenderRow{SeenBy: "otlp", SDK: strings.Repeat("shinzo ", 99), SDKVersion: "unknown", Calls: 1})
	body := page(t, h, "/p/orders-mcp/")
	has(t, text(section(t, body, "h-outcomes")), "Empty not reported by OpenTelemetry (opentel-mcp), OpenTelemetry (<b>shinzo</b>) and 1 other")
	lacks(t, body, "<b>shinzo")

	own := page(t, pages(t, one(), webtest.Orders, web.Options{}), "/p/orders-mcp/")
	lacks(t, own, "not reported", "lower bound")
}
