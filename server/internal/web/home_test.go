package web_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// released is a project with other servers and versions than a Memory has.
type released struct {
	*webtest.Memory
	rows []store.ReleaseRow
}

func (r released) Snapshot(_ context.Context, do func(store.Reader) error) error { return do(r) }

func (r released) ByRelease(context.Context, store.Filter) ([]store.ReleaseRow, error) {
	return append([]store.ReleaseRow{}, r.rows...), nil
}

func (r released) ByTool(ctx context.Context, f store.Filter) ([]store.ToolRow, error) {
	if len(f.Version) != 1 {
		return r.Memory.ByTool(ctx, f)
	}
	good, bad := store.Counts{Calls: 200, OK: 190, Crashed: 10}, store.Counts{Calls: 200, OK: 120, Crashed: 80}
	if f.Version[0] == "2.0.0" { // one tool gets worse as another gets better
		good, bad = bad, good
	}
	return []store.ToolRow{{Tool: "get_order", Counts: good}, {Tool: "find", Counts: bad}}, nil
}

func version(server, name string, at time.Time, calls, crashed int64) store.ReleaseRow {
	return store.ReleaseRow{Server: server, Version: name, Since: at, LastSeen: at, Counts: store.Counts{Calls: calls, OK: calls - crashed, Crashed: crashed}}
}

// The start page of one project with several servers is the page of its servers; with
// one server there is nothing to choose from, and it leads on.
func TestHomeOfOneProject(t *testing.T) {
	at := webtest.Now.Add(-time.Hour)
	m := released{one(), []store.ReleaseRow{version("orders", "1", at, 100, 3), version("billing", "7", at, 50, 2), version("billing", "8", at, 40, 1)}}
	body := text(page(t, pages(t, m, webtest.Orders, web.Options{}), "/"))
	has(t, body, "orders 1 100 3.0% failed", "billing 8, 7 90 3.3% failed")
	m.rows = m.rows[:1]
	if code, _, header := get(t, pages(t, m, webtest.Orders, web.Options{}), "/"); code != http.StatusSeeOther || header.Get("Location") != "/p/orders-mcp/" {
		t.Errorf("with one server: %d to %q", code, header.Get("Location"))
	}
}

// A version that is as good as the one before, with a tool that is not, says so where it
// says "same": the insight about that tool does not contradict it.
func TestSameReleaseWithAWorseTool(t *testing.T) {
	m := released{one(), []store.ReleaseRow{
		version("orders", "1.0.0", webtest.Now.Add(-50*time.Hour), 400, 90), version("orders", "2.0.0", webtest.Now.Add(-5*time.Hour), 400, 90),
	}}
	body := page(t, pages(t, m, webtest.Orders, web.Options{}), "/p/orders-mcp/releases")
	has(t, text(body), "same but 1 tool worse: see below", "Tools whose error rate is not the same: 2.0.0 against 1.0.0")
	has(t, body, `stand-worse">worse`, `stand-better">better`)
}
