package mcpserver_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/views"
	"github.com/umpire-mcp/umpire/server/internal/views/viewstest"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

func TestMain(m *testing.M) { viewstest.Main(m) }

// shopViews answers SQL over 40 calls of project 1 and one of project 2, the same for all tests. The
// process behind it ends with this one.
var shopViews = sync.OnceValue(func() *views.Views {
	s, err := duckdb.Open(context.Background(), "", duckdb.Options{Threads: 1})
	if err != nil {
		panic(err)
	}
	var batch []store.Entry
	for i := range 41 {
		e := umpire.Event{ID: umpire.ID{0: 1, 6: 0x70, 8: 0x80, 15: byte(i)}, Kind: "call", StartedAt: webtest.Now.Add(-time.Duration(i+1) * time.Minute)}
		e.Call = umpire.Call{Tool: "refund_order", Outcome: umpire.OK, ErrorMessage: strings.Repeat("long ", 300)}
		project := uint32(1)
		if i == 40 {
			project, e.Tool = 2, "of-another"
		}
		batch = append(batch, store.Entry{Seq: uint64(i + 1), Project: project, ReceivedAt: e.StartedAt, Event: e})
	}
	if err := s.Apply(context.Background(), batch); err != nil {
		panic(err)
	}
	return views.New(s.(store.Dumper), views.Options{Time: time.Second, Command: viewstest.Command})
})

// What SQL answers is small, and the key's project alone.
func TestSQL(t *testing.T) {
	c := session(t, "of-shop")
	got, said, failed := ask(t, c, "run_query", map[string]any{"sql": "SELECT tool, count(*) AS n FROM calls GROUP BY ALL"})
	if list, _ := got["rows"].([]any); failed || len(list) != 1 || !strings.Contains(said, "tool | n\nrefund_order | 40\n(1 row)") {
		t.Errorf("%s", said)
	}
	got, said, _ = ask(t, c, "run_query", map[string]any{"sql": "SELECT repeat(error_message, 3) FROM calls", "limit": 3})
	if list, _ := got["rows"].([]any); len(list) != 3 || got["more"] != true || len(list[0].([]any)[0].(string)) > 510 || !strings.Contains(said, "More: a higher limit") {
		t.Errorf("%s", said)
	}
	got, said, _ = ask(t, c, "run_query", map[string]any{"sql": "SELECT error_message AS a, error_message AS b, * FROM calls", "limit": 100})
	if list, _ := got["rows"].([]any); len(list) < 10 || len(list) == 40 || got["more"] != true || len(said) > 40<<10 {
		t.Errorf("%d rows, %d bytes of text", len(list), len(said))
	}
	if list := tools(t, session(t, "")); list[len(list)-1].Name != "explain_outcomes" && list[len(list)-1].Name != "run_query" {
		t.Errorf("the last tool is %s", list[len(list)-1].Name)
	}
}
