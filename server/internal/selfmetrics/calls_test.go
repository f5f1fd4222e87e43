package selfmetrics_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/selfmetrics"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

func call(tool string, outcome umpire.Outcome) store.Entry {
	took := int64(20_000)
	return store.Entry{Project: 1, Event: umpire.Event{
		ID: umpire.NewID(), Kind: "call", Server: umpire.Peer{Name: "books"},
		Call: umpire.Call{Tool: tool, Outcome: outcome, HandlerRan: "yes", DurationUS: &took},
	}}
}

func page(c *selfmetrics.Calls, project string) string {
	w := httptest.NewRecorder()
	selfmetrics.New("1", "all", func() selfmetrics.Figures { return selfmetrics.Figures{} }, c).
		Serve(w, httptest.NewRequest("GET", "/metrics", nil), project)
	return w.Body.String()
}

func TestCalls(t *testing.T) {
	c := selfmetrics.NewCalls(func(id uint32) (string, bool) { return map[uint32]string{1: "shop", 2: "secret"}[id], id < 3 })
	twice := call("find", umpire.OK)
	empty := call("find", umpire.OK)
	empty.Event.Empty = true
	unknown := call("no\nsuch\"tool", umpire.BadArgs)
	unknown.Event.HandlerRan = "no"
	foreign, gone := call("hidden", umpire.OK), call("find", umpire.OK)
	foreign.Project, gone.Project = 2, 3
	session := call("find", umpire.OK)
	session.Event.Kind = "session"
	c.Applied([]store.Entry{twice, empty, unknown, foreign, gone, session, call("a\"b", umpire.Crashed)})
	c.Applied([]store.Entry{twice})

	got := page(c, "shop")
	for _, line := range []string{
		`umpire_calls_total{outcome="ok",project="shop",server="books",tool="find"} 2`,
		`umpire_empty_calls_total{project="shop",server="books",tool="find"} 1`,
		`umpire_calls_total{outcome="bad_args",project="shop",server="books",tool="(other)"} 1`,
		`umpire_calls_total{outcome="crashed",project="shop",server="books",tool="a\"b"} 1`,
		`umpire_call_duration_seconds_count{project="shop",server="books",tool="find"} 2`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%s is missing from\n%s", line, got)
		}
	}
	if strings.Contains(got, "hidden") || strings.Contains(got, "such") {
		t.Errorf("the reader of a project sees another's, or a name that a caller made up:\n%s", got)
	}
	if all := page(c, ""); !strings.Contains(all, "hidden") {
		t.Error("the reader of all does not see all")
	}
}

func TestLabelsAreBounded(t *testing.T) {
	c := selfmetrics.NewCalls(func(uint32) (string, bool) { return "shop", true })
	for i := range 300 {
		c.Applied([]store.Entry{call(fmt.Sprintf("tool%d", i), umpire.OK)})
	}
	got := page(c, "")
	if n := strings.Count(got, "umpire_calls_total{"); n != 101 {
		t.Errorf("%d series, want 100 tools and the others", n)
	}
	if line := `umpire_calls_total{outcome="ok",project="shop",server="books",tool="(other)"} 200`; !strings.Contains(got, line) {
		t.Errorf("%s is missing", line)
	}
}
