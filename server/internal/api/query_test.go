package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/views"
	"github.com/umpire-mcp/umpire/server/internal/views/viewstest"
)

func TestMain(m *testing.M) { viewstest.Main(m) }

// askable answers SQL over the store.
func askable(t testing.TB, s store.Store) *views.Views {
	v := views.New(s.(store.Dumper), views.Options{Command: viewstest.Command})
	t.Cleanup(v.Close)
	return v
}

func statement(text, more string) string {
	return "/api/v1/query?sql=" + url.QueryEscape(text) + more
}

// Counts from the views are those of the overview, and the answer is as described.
func TestQuery(t *testing.T) {
	d, s := describe(t), filled(t)
	opt := options
	opt.Views = askable(t, s)
	h := api.New(s, projects{{ID: 1, Name: "shop"}}, anybody, opt)
	overview := ask(t, h, "/api/v1/overview?last=7d")
	for _, text := range []string{
		"SELECT count(*), count(*) FILTER (WHERE slice = 'crashed'), count(*) FILTER (WHERE slice IN ('bad_args', 'tool_error', 'crashed')) / count(*) FROM calls",
		"SELECT sum(calls), sum(crashed), sum(bad_args + tool_error + crashed) / sum(calls) FROM tool_hours",
	} {
		a := d.check(t, h, "/api/v1/query", statement(text, "&last=7d"), http.StatusOK)
		row := a["rows"].([]any)[0].([]any)
		if row[0] != overview["calls"] || row[1] != overview["slices"].(map[string]any)["crashed"] || row[2] != overview["error_rate"] || row[0] == 0.0 {
			t.Errorf("%s: %v, the overview says %v %v %v", text, row, overview["calls"], overview["slices"], overview["error_rate"])
		}
	}
	a := d.check(t, h, "/api/v1/query", statement("FROM calls", "&last=7d&limit=3"), http.StatusOK)
	if len(a["rows"].([]any)) != 3 || a["more"] != true {
		t.Errorf("%v", a["more"])
	}
	for _, target := range []string{
		"/api/v1/query", "/api/v1/query?sql=", statement("SELECT 1", "&sql=SELECT+2"), statement("SELECT 1", "&tool=find"), statement("SELECT 1", "&limit=0"), statement("SELECT 1", "&last=soon"),
		statement("DROP TABLE calls", ""), statement("SELECT nothing FROM calls", ""), statement("FROM read_text('/etc/passwd')", ""), statement("SELECT '"+strings.Repeat("x", views.MaxStatement)+"'", ""), "/api/v1/query?sql=%zz",
	} {
		d.check(t, h, "/api/v1/query", target, http.StatusBadRequest)
	}
	d.check(t, serve(t), "/api/v1/query", statement("SELECT 1", ""), http.StatusForbidden)
}
