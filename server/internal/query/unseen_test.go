package query_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// TestNotReported: what nobody in the range can show is null and not zero, also where
// a filter leaves only such senders; every answer says who leaves out what.
func TestNotReported(t *testing.T) {
	told := func(n int, tool, seenBy, sdk, session string, outcome umpire.Outcome) (events []umpire.Event) {
		for range n {
			e := umpire.Event{
				ID: umpire.NewID(), Kind: "call", StartedAt: storetest.Base, SeenBy: seenBy, SDK: umpire.Peer{Name: sdk},
				Session: session, Client: umpire.Peer{Name: "cursor"},
			}
			e.Tool, e.Outcome = tool, outcome
			events = append(events, e)
		}
		return events
	}
	events := append(told(3, "find", "otlp", "opentel-mcp", "", umpire.OK), told(2, "find", "otlp", "shinzo", "s", umpire.OK)...)
	events = append(append(events, told(1, "buy", "sdk", "umpire-go", "t", umpire.OK)...), told(4, "dry", "otlp", "opentel-mcp", "", umpire.ToolError)...)
	s := filled(t, events...)
	ctx := t.Context()

	all, err := query.Overview(ctx, s, params())
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Sender, SDK string
		Calls       int64
	}
	lines := func(list []query.NotReported) (out []line) {
		for _, n := range list {
			out = append(out, line{n.Sender, n.SDK, n.Calls})
		}
		return out
	}
	want := []line{{"otlp", "opentel-mcp", 7}, {"otlp", "shinzo", 2}}
	if d := cmp.Diff(want, lines(all.NotReported)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if all.EmptyRate == nil || all.Sessions == nil {
		t.Errorf("empty rate %v, sessions %v: one sender shows them", all.EmptyRate, all.Sessions)
	}
	find, err := query.Tool(ctx, s, params(), "find")
	if err != nil {
		t.Fatal(err)
	}
	if find.EmptyRate != nil || find.Sessions == nil || find.Calls != 5 || find.Slices.OK != 5 {
		t.Errorf("find: empty rate %v, sessions %v, slices %+v; want null, 1, 5 ok", find.EmptyRate, find.Sessions, find.Slices)
	}
	if d := cmp.Diff([]line{{"otlp", "opentel-mcp", 3}, {"otlp", "shinzo", 2}}, lines(find.NotReported)); d != "" {
		t.Errorf("find (-want +got):\n%s", d)
	}
	dry, err := query.Tool(ctx, s, params(), "dry")
	if err != nil {
		t.Fatal(err)
	}
	if dry.Sessions != nil || dry.CallsPerSession != nil || len(dry.Clients) != 1 || dry.Clients[0].Sessions != nil || *dry.ErrorRate != 1 {
		t.Errorf("dry: %+v", dry)
	}
	clients, err := query.Clients(ctx, s, params(func(f *store.Filter) { f.Tool = []string{"dry"} }))
	if err != nil {
		t.Fatal(err)
	}
	if len(clients.Clients) != 1 || clients.Clients[0].Sessions != nil || len(clients.NotReported) != 1 {
		t.Errorf("clients: %+v", clients)
	}
	tools, err := query.Tools(ctx, s, params())
	if d := cmp.Diff(want, lines(tools.NotReported)); err != nil || d != "" {
		t.Errorf("tools: %v (-want +got):\n%s", err, d)
	}
	own, err := query.Tool(ctx, s, params(), "buy")
	if err != nil || own.NotReported == nil || len(own.NotReported) != 0 || own.EmptyRate == nil {
		t.Errorf("buy: %v %+v", err, own.NotReported)
	}
}
