package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

type projects []api.Project

func (p projects) List(context.Context) ([]api.Project, error) { return p, nil }

func (p projects) ByName(_ context.Context, name string) (api.Project, error) {
	for _, one := range p {
		if one.Name == name {
			return one, nil
		}
	}
	return api.Project{}, fault.New(fault.NotFound, "there is no such project", "there is shop")
}

func anybody(*http.Request) (api.Grant, error) { return api.Grant{}, nil }

var options = api.Options{
	Settings: &settings{now: api.Settings{Name: "shop"}},
	Now:      func() time.Time { return storetest.Base.Add(storetest.Span - time.Minute) },
	Log:      slog.New(slog.DiscardHandler),

	Rules:  &keptRules{{ID: 1, Tool: "find", Mark: "error_text", CreatedAt: storetest.Base}},
	Keeper: keeperOf{&keeps{}}, Care: caring{},
}

// knownCall is the id of an event in the store of filled.
const knownCall = "0192f0c1-5b2e-7a3d-9c4e-112233445566"

// filled is a real store with all kinds of events in project 1.
func filled(t testing.TB) store.Store {
	t.Helper()
	s, err := duckdb.Open(t.Context(), "", duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var batch []store.Entry
	add := func(e umpire.Event) {
		batch = append(batch, store.Entry{Seq: uint64(len(batch) + 1), Project: 1, ReceivedAt: e.StartedAt, Event: e})
	}
	for i := range 200 {
		add(storetest.Event().Example(i))
	}
	for _, tool := range []string{"files/read <all>", "a b?c#d%", "ünï"} {
		e := storetest.Call("s").Example(1)
		e.Tool, e.Outcome = tool, umpire.OK
		add(e)
	}
	for i := range batch {
		if i%3 == 0 {
			batch[i].Event.Intent = "to see"
		}
	}
	if err := batch[0].Event.ID.UnmarshalText([]byte(knownCall)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		add(umpire.Event{ID: umpire.NewID(), Kind: "custom", StartedAt: storetest.Base, Intent: "a tool that weighs", Meta: map[string]any{"umpire.event": "umpire.missing_tool"}})
	}
	add(umpire.Event{ID: umpire.NewID(), Kind: "catalog", StartedAt: storetest.Base, Tools: []umpire.ToolDefinition{{Name: "find", Title: "Find", Bytes: 9}, {Name: "idle"}}})
	if err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return s
}

func serve(t *testing.T) http.Handler {
	t.Helper()
	s, opt := filled(t), options
	opt.Dumper = s.(store.Dumper)
	return api.New(s, projects{{ID: 1, Name: "shop"}}, anybody, opt)
}

// TestAnswersAreAsDescribed asks every question under many filters.
func TestAnswersAreAsDescribed(t *testing.T) {
	d, s := describe(t), filled(t)
	opt := options
	opt.Pending = func(uint32) (int64, bool) { return 2, true }
	h := api.New(s, projects{{ID: 1, Name: "shop"}}, anybody, opt)
	for i, q := range []string{
		"", "?last=24h", "?project=shop&last=30d", "?from=2026-05-04T11:30:00Z&to=2026-05-04T12:00:00Z", "?client=cursor&client=claude",
		"?outcome=bad_args", "?slice=empty&slice=unknown", "?cause=unknown", "?error_status=404", "?session=s1&user=u1", "?client=nobody",
		"?last=24h&granularity=5m", "?from=2020-01-01&to=2020-01-02", "?platform=unknown&server=unknown",
	} {
		for j, path := range d.questions() {
			if strings.Contains(path, "/sessions/") {
				continue // is not there under most of these: TestSessionsAreThoseThatAreCounted
			}
			if i > 0 && (i+j)%3 > 0 && os.Getenv("UMPIRE_TEST_FULL") == "" {
				continue // a question takes a tenth of a second under the race detector
			}
			target := strings.NewReplacer("{tool}", "find", "{id}", knownCall).Replace(path)
			d.check(t, h, path, target+q, http.StatusOK)
		}
	}
	d.check(t, h, "/api/v1/projects", "/api/v1/projects", http.StatusOK)
	d.check(t, h, "/api/v1/tools/{tool}", "/api/v1/tools/idle", http.StatusOK)
	d.check(t, h, "/api/v1/overview", "/api/v1/overview?clinet=a", http.StatusBadRequest)
	d.check(t, h, "/api/v1/tools/{tool}", "/api/v1/tools/nonesuch", http.StatusNotFound)
	if got := d.check(t, h, "/api/v1/overview", "/api/v1/overview", http.StatusOK)["pending"]; got != 2.0 {
		t.Errorf("pending = %v, want 2", got)
	}
	if got := d.check(t, h, "/api/v1/overview", "/api/v1/overview?tool=find", http.StatusOK); got["pending"] != nil || got["not_filtered"] == nil {
		t.Errorf("pending under a filter = %v, not_filtered %v", got["pending"], got["not_filtered"])
	}
}

// TestSchemasAreStrict: the check of the answers can fail.
func TestSchemasAreStrict(t *testing.T) {
	d, h := describe(t), serve(t)
	schema := d.schema(t, "/api/v1/overview", "get", "200")
	for name, spoil := range map[string]func(map[string]any){
		"a field that is not described": func(a map[string]any) { a["extra"] = 1 },
		"a field that is missing":       func(a map[string]any) { delete(a, "previous") },
		"a number as a text":            func(a map[string]any) { a["calls"] = "12" },
		"a slice too many":              func(a map[string]any) { a["slices"].(map[string]any)["other"] = 1 },
		"null for a list":               func(a map[string]any) { a["series"] = nil },
		"a rate above 1":                func(a map[string]any) { a["error_rate"] = 1.5 },
	} {
		answer := d.check(t, h, "/api/v1/overview", "/api/v1/overview", http.StatusOK)
		spoil(answer)
		if schema.Validate(answer) == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestToolNames(t *testing.T) {
	h := serve(t)
	for _, c := range []struct{ path, tool string }{
		{"find", "find"},
		{url.PathEscape("files/read <all>"), "files/read <all>"},
		{"files/read%20%3Call%3E", "files/read <all>"}, // as a proxy may send it on
		{url.PathEscape("a b?c#d%"), "a b?c#d%"},
		{"%C3%BCn%C3%AF", "ünï"},
	} {
		w := get(h, "/api/v1/tools/"+c.path)
		var answer query.ToolAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Tool != c.tool || answer.Calls == 0 {
			t.Errorf("%s: %d, tool %q with %d calls, %v; want %q", c.path, w.Code, answer.Tool, answer.Calls, err, c.tool)
		}
	}
	if w := get(h, "/api/v1/tools"); !strings.Contains(w.Body.String(), `"files/read <all>"`) {
		t.Errorf("names are not as they are: %s", w.Body)
	}
}

func TestWhoMayReadWhat(t *testing.T) {
	s := filled(t)
	shop, other := api.Project{ID: 1, Name: "shop"}, api.Project{ID: 2, Name: "other"}
	two, one, none := projects{shop, other}, projects{shop}, projects{}
	key := func(*http.Request) (api.Grant, error) { return api.Grant{Project: &shop}, nil }
	nobody := func(*http.Request) (api.Grant, error) {
		return api.Grant{}, fault.New(fault.Unauthorized, "who asks?", "send a key")
	}
	broken := func(*http.Request) (api.Grant, error) { return api.Grant{}, errors.New("the disk is on fire") }
	for _, c := range []struct {
		name      string
		projects  projects
		authorize api.Authorize
		target    string
		status    int
		want      string
	}{
		{"a key's project", two, key, "overview", 200, `"project":["shop"]`},
		{"a key that names its project", two, key, "overview?project=shop", 200, `"project":["shop"]`},
		{"a key that names another", two, key, "overview?project=other", 403, `"forbidden"`},
		{"a key that names none that is", two, key, "overview?project=nonesuch", 403, `"forbidden"`},
		{"a key sees its project only", two, key, "projects", 200, `{"projects":[{"name":"shop"}]}`},
		{"everything, by name", two, anybody, "overview?project=other", 200, `"project":["other"]`},
		{"everything, no name", two, anybody, "overview", 400, `shop, other`},
		{"everything, no name, only one", one, anybody, "overview", 200, `"project":["shop"]`},
		{"everything, nothing there", none, anybody, "overview", 404, `umpire key add`},
		{"everything lists all", two, anybody, "projects", 200, `{"projects":[{"name":"shop"},{"name":"other"}]}`},
		{"no such project", two, anybody, "overview?project=nonesuch", 404, `"not_found"`},
		{"nobody", two, nobody, "overview", 401, `"unauthorized"`},
		{"nobody lists", two, nobody, "projects", 401, `"unauthorized"`},
		{"nobody, of the unknown", two, nobody, "nonesuch", 404, `"not_found"`},
		{"anybody reads the description", two, nobody, "openapi.json", 200, `"openapi"`},
		{"something broke", two, broken, "overview", 500, `"internal"`},
	} {
		w := get(api.New(s, c.projects, c.authorize, options), "/api/v1/"+c.target)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d with %s", c.name, w.Code, w.Body, c.status, c.want)
		}
		if strings.Contains(w.Body.String(), "fire") {
			t.Errorf("%s: the cause is shown: %s", c.name, w.Body)
		}
		if challenge := w.Header().Get("WWW-Authenticate"); (challenge != "") != (w.Code == 401) {
			t.Errorf("%s: WWW-Authenticate %q with %d", c.name, challenge, w.Code)
		}
	}
}

func TestMethodsAndHeaders(t *testing.T) {
	h := serve(t)
	for _, c := range []struct {
		method, target string
		status         int
		body           bool
	}{
		{"GET", "/api/v1/overview", 200, true},
		{"HEAD", "/api/v1/overview", 200, false},
		{"POST", "/api/v1/overview", 405, true},
		{"DELETE", "/api/v1/tools/find", 405, true},
		{"OPTIONS", "/api/v1/overview", 405, true},
		{"GET", "/api/v1/nonesuch", 404, true},
		{"GET", "/api/v1/", 404, true},
		{"GET", "/api/v1/tools/", 404, true},
		{"GET", "/api/v1/overview?a=%zz", 400, true},
		{"GET", "/api/v1/tools/find?tool=buy", 400, true},
	} {
		server := httptest.NewServer(h) // a real one: it is what strips the body of HEAD
		r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "https://elsewhere.example")
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if _, err := io.Copy(&text, res.Body); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		server.Close()
		if res.StatusCode != c.status || (text.Len() > 0) != c.body {
			t.Errorf("%s %s: %d with %d bytes, want %d", c.method, c.target, res.StatusCode, text.Len(), c.status)
		}
		if res.StatusCode >= 400 && !strings.HasPrefix(text.String(), `{"error":{"code":`) {
			t.Errorf("%s %s: an error of another shape: %s", c.method, c.target, text.String())
		}
		for name, want := range map[string]string{
			"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", c.method, c.target, name, got, want)
			}
		}
	}
}

func TestSlowQuestions(t *testing.T) {
	opt := options
	opt.Timeout = time.Nanosecond
	h := api.New(filled(t), projects{{ID: 1, Name: "shop"}}, anybody, opt)
	if w := get(h, "/api/v1/overview"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "shorter range") {
		t.Errorf("%d %s, want unavailable with a hint", w.Code, w.Body)
	}
}
