package mcpserver_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/mcpserver"
	"github.com/umpire-mcp/umpire/server/internal/remote"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

type projects []api.Project

func (p projects) List(context.Context) ([]api.Project, error) { return p, nil }

func (p projects) ByName(_ context.Context, name string) (api.Project, error) {
	for _, one := range p {
		if one.Name == name {
			return one, nil
		}
	}
	return api.Project{}, fault.New(fault.NotFound, "there is no such project", "the nearest are shop")
}

// readAPI is a real read API over made-up calls. Whoever comes with the key of
// "shop" reads that project alone.
func readAPI() *http.Client {
	list := projects{{ID: 1, Name: "shop"}, {ID: 2, Name: "umpire", Own: true}}
	authorize := func(r *http.Request) (api.Grant, error) {
		switch r.Header.Get("Authorization") {
		case "":
			return api.Grant{}, nil
		case "Bearer of-shop":
			return api.Grant{Project: &list[0]}, nil
		}
		return api.Grant{}, fault.New(fault.Unauthorized, "the key is unknown", "use another")
	}
	shop := webtest.Shop()
	shop.Cancelled, shop.SetAside = 0, 0 // which it counts whatever the filter
	h := api.New(shop, list, authorize, api.Options{
		Now: func() time.Time { return webtest.Now }, Log: slog.New(slog.DiscardHandler), Views: shopViews(),
	})
	return &http.Client{Transport: remote.InProcess(h)}
}

// session is a client of a server in this process.
func session(t testing.TB, key string) *mcp.ClientSession {
	t.Helper()
	s := mcpserver.New(mcpserver.Options{HTTP: readAPI(), Base: "http://umpire", Key: key, Version: "0", Query: true, Log: slog.New(slog.DiscardHandler)})
	a, b := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), a, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func ask(t testing.TB, c *mcp.ClientSession, tool string, args any) (structured map[string]any, said string, failed bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	for _, c := range res.Content {
		said += c.(*mcp.TextContent).Text
	}
	structured, _ = res.StructuredContent.(map[string]any)
	return structured, said, res.IsError
}

func tools(t testing.TB, c *mcp.ClientSession) []*mcp.Tool {
	t.Helper()
	var list []*mcp.Tool
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tool)
	}
	return list
}

// What stands in the context of every model that has this server is small.
func TestTheToolsAreSmall(t *testing.T) {
	sum := 0
	for _, tool := range tools(t, session(t, "")) {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		sum += len(tool.Name) + len(tool.Description) + len(schema)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || *tool.Annotations.OpenWorldHint || *tool.Annotations.DestructiveHint {
			t.Errorf("%s is not annotated as read-only", tool.Name)
		}
		if text, err := json.Marshal(tool.OutputSchema); err != nil || strings.Contains(string(text), ":true") || strings.Contains(string(text), ":false") {
			t.Errorf("%s: a schema that is true or false is refused by some clients: %s", tool.Name, text)
		}
		if tool.OutputSchema == nil || tool.Title == "" {
			t.Errorf("%s has no output schema or no title", tool.Name)
		}
	}
	if sum > 6<<10 || sum < 1000 {
		t.Errorf("names, descriptions and input schemas are %d bytes, at most %d", sum, 6<<10)
	}
	t.Logf("%d bytes", sum)
}

// examples are arguments with which each tool has something to say.
func examples(t testing.TB) map[string]map[string]any {
	t.Helper()
	var calls struct {
		Calls []struct {
			ID string `json:"id"`
		} `json:"calls"`
	}
	if err := remote.Get(t.Context(), readAPI(), "http://umpire", "", "/api/v1/calls", url.Values{"slice": {"crashed"}}, &calls); err != nil || len(calls.Calls) == 0 {
		t.Fatal("no crashed call", err)
	}
	return map[string]map[string]any{
		"get_overview": {"granularity": "1d"},
		"rank_tools":   {"by": "change"},
		"get_tool":     {"tool": "refund_order"},
		"get_call":     {"id": calls.Calls[0].ID},
		"get_session":  {"session": "s1"},
		"run_query":    {"sql": "SELECT tool, slice, count(*) FROM calls GROUP BY ALL"},
	}
}

// Every tool answers in the form that it promises, names the range and the
// filters, and says the same in words.
func TestEveryToolAnswers(t *testing.T) {
	c, args := session(t, ""), examples(t)
	for _, tool := range tools(t, c) {
		t.Run(tool.Name, func(t *testing.T) {
			got, said, failed := ask(t, c, tool.Name, args[tool.Name])
			if failed || got == nil || said == "" {
				t.Fatalf("failed %t: %s", failed, said)
			}
			raw, err := json.Marshal(tool.OutputSchema)
			if err != nil {
				t.Fatal(err)
			}
			var schema jsonschema.Schema
			if err := json.Unmarshal(raw, &schema); err != nil {
				t.Fatal(err)
			}
			resolved, err := schema.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(got); err != nil {
				t.Errorf("the answer breaks the schema: %v", err)
			}
			if text, err := json.Marshal(got); err != nil || len(said) > 6000 || len(text) > 12_000 {
				t.Errorf("%d bytes of text, %d in the structure: %v", len(said), len(text), err)
			}
			if schema.Properties["range"] == nil {
				return
			}
			if got["range"] == nil || got["filters"] == nil || !strings.Contains(said, "project=shop") || !strings.Contains(said, " UTC") {
				t.Errorf("range and filters are not named: %v\n%s", got["filters"], said)
			}
		})
	}
}

// The tools say what the read API says, under the same names.
func TestTheFiguresAreThoseOfTheReadAPI(t *testing.T) {
	c, client := session(t, ""), readAPI()
	for tool, path := range map[string]string{"get_overview": "overview", "list_clients": "clients"} {
		for _, filter := range []url.Values{{}, {"last": {"24h"}}, {"tool": {"search_orders", "get_order"}, "client": {"chatgpt"}}} {
			args := map[string]any{}
			for name, list := range filter {
				args[name] = list
			}
			var want map[string]any
			if err := remote.Get(t.Context(), client, "http://umpire", "", "/api/v1/"+path, filter, &want); err != nil {
				t.Fatal(err)
			}
			if tool == "list_clients" {
				var versions map[string]any
				if err := remote.Get(t.Context(), client, "http://umpire", "", "/api/v1/clients/versions", filter, &versions); err != nil {
					t.Fatal(err)
				}
				want["by_version"] = versions["versions"]
			}
			got, said, failed := ask(t, c, tool, args)
			if failed {
				t.Fatal(said)
			}
			for name, value := range got {
				if name != "rows" && !cmp.Equal(value, want[name]) {
					t.Errorf("%s %v: %s differs: %s", tool, args, name, cmp.Diff(want[name], value))
				}
			}
		}
	}
}

func TestMetricsNarrowTheOverview(t *testing.T) {
	got, said, _ := ask(t, session(t, ""), "get_overview", map[string]any{"metrics": []string{"latency"}})
	if got["latency_us"] == nil || got["calls"] == nil || got["bytes"] != nil || got["series"] != nil || got["previous"] != nil {
		t.Errorf("%v", got)
	}
	if strings.Contains(said, "bytes") || !strings.Contains(said, "p95") {
		t.Error(said)
	}
}

func TestRowsAreLimited(t *testing.T) {
	c := session(t, "")
	got, said, _ := ask(t, c, "rank_tools", map[string]any{"limit": 2, "by": "crashed"})
	if list := got["tools"].([]any); len(list) != 2 || !strings.Contains(said, "(2 of 10)") || got["note"] == nil {
		t.Errorf("%v\n%s", got, said)
	}
	first := got["tools"].([]any)[0].(map[string]any)
	if first["tool"] != "refund_order" {
		t.Errorf("crashes most: %v", first["tool"])
	}
	if of := got["rows"].(map[string]any)["tools"].(map[string]any)["of"]; of != 10.0 {
		t.Errorf("of %v", of)
	}
}

func TestWhatIsWrongIsRefusedWithWhatIsNear(t *testing.T) {
	c := session(t, "")
	for _, tt := range []struct {
		name, tool string
		args       any
		want       []string
	}{
		{"an argument misspelt", "list_clients", map[string]any{"projekt": "x"}, []string{`no argument "projekt"`, "did you mean project?"}},
		{"a project misspelt", "get_overview", map[string]any{"project": "shpo"}, []string{"no such project", "shop"}},
		{"a tool misspelt", "get_tool", map[string]any{"tool": "serch_orders"}, []string{`no tool "serch_orders"`, "search_orders"}},
		{"a tool misspelt, as a filter", "list_clients", map[string]any{"tool": "serch_orders"}, []string{`no tool "serch_orders"`, "search_orders"}},
		{"a tool left out", "get_tool", nil, []string{"get_tool needs tool", "rank_tools"}},
		{"a word that is none", "rank_tools", map[string]any{"by": "beauty"}, []string{"by cannot be", "crashed"}},
		{"metrics that are none", "get_overview", map[string]any{"metrics": "beauty"}, []string{"no metrics", "latency"}},
		{"a range that is none", "get_overview", map[string]any{"last": "soon"}, []string{"last cannot be", "24h"}},
		{"an object in place of a text", "get_overview", map[string]any{"tool": map[string]any{}}, []string{`"tool" is a text`}},
		{"too many rows", "rank_tools", map[string]any{"limit": 1e6}, []string{"limit cannot be", "1 to 100"}},
		{"a filter for a tool that takes none", "list_projects", map[string]any{"tool": "x"}, []string{"list_projects has no argument"}},
		{"SQL that changes", "run_query", map[string]any{"sql": "DROP TABLE calls"}, []string{"only one SELECT", "tool_hours"}},
		{"SQL with a mistake", "run_query", map[string]any{"sql": "SELECT toool FROM calls"}, []string{"toool", "tool", "DESCRIBE calls"}},
		{"SQL under a filter", "run_query", map[string]any{"sql": "SELECT 1", "tool": "x"}, []string{"WHERE"}},
		{"SQL left out", "run_query", nil, []string{"run_query needs sql"}},
		{"a name that means nothing", "explain_outcomes", map[string]any{"name": "panik"}, []string{"nothing is called", "panic"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, said, failed := ask(t, c, tt.tool, tt.args)
			if !failed {
				t.Fatalf("it was answered: %s", said)
			}
			for _, want := range tt.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not said: %s", want, said)
				}
			}
		})
	}
}

// A key reads its project, whatever the arguments say.
func TestAKeyReadsItsProject(t *testing.T) {
	c := session(t, "of-shop")
	if _, said, failed := ask(t, c, "get_overview", map[string]any{"project": "umpire"}); !failed || !strings.Contains(said, "another project") {
		t.Errorf("%t %s", failed, said)
	}
	got, _, _ := ask(t, c, "list_projects", nil)
	if list := got["projects"].([]any); len(list) != 1 {
		t.Errorf("projects: %v", list)
	}
	if _, said, failed := ask(t, session(t, "of-nobody"), "get_overview", nil); !failed || !strings.Contains(said, "unknown") {
		t.Errorf("%t %s", failed, said)
	}
}

// Over HTTP every protocol version is answered, with the key of each request.
func TestOverHTTP(t *testing.T) {
	s := mcpserver.New(mcpserver.Options{HTTP: readAPI(), Base: "http://umpire", Version: "0"})
	mux := http.NewServeMux()
	mux.Handle(mcpserver.MetadataPath+mcpserver.Path, mcpserver.Metadata(""))
	mux.Handle(mcpserver.Path, mcpserver.Handler(s, func(r *http.Request) error {
		if r.Header.Get("Authorization") == "" {
			return fault.New(fault.Unauthorized, "no key", "send one")
		}
		return nil
	}, ""))
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		transport := &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer("of-shop")}}
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(version, err)
		}
		if list := tools(t, c); len(list) < 6 {
			t.Errorf("%s: %d tools", version, len(list))
		}
		if got, said, failed := ask(t, c, "get_overview", nil); failed || got["calls"] == 0.0 {
			t.Errorf("%s: %s", version, said)
		}
		c.Close()
	}
	res, err := http.Post(server.URL+"/mcp", "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	where := server.URL + mcpserver.MetadataPath + "/mcp"
	if res.StatusCode != http.StatusUnauthorized || !strings.Contains(res.Header.Get("WWW-Authenticate"), `resource_metadata="`+where+`"`) {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if res, err = http.Get(where); err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var described map[string]any
	if err := json.NewDecoder(res.Body).Decode(&described); err != nil || described["resource"] != server.URL+"/mcp" {
		t.Errorf("%v %v", described, err)
	}
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// Whatever the arguments are, a tool answers or refuses; nothing fails inside.
func FuzzArguments(f *testing.F) {
	c := session(f, "")
	var names []string
	for _, tool := range tools(f, c) {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	for i := range names {
		for _, seed := range []string{`{}`, `{"tool":"refund_order","limit":5}`, `{"last":"24h","granularity":"1h"}`, `{"from":"2026-11-01","to":"2026-11-30","slice":["empty","ok"]}`, `{"project":null,"client":["a",["b"]],"limit":-1}`, `{"id":"x","session":"s1","cursor":"%%%","name":"schema","metrics":["other"],"by":"p95","failed":true,"loops":true,"since":"2h","sql":"SELECT 1"}`, `{"sql":"FROM calls","limit":2}`, `{"sql":"FROM read_text('/etc/passwd')"}`, `{"tool":"a/b?c#d\u0000"}`} {
			f.Add(i, seed)
		}
	}
	f.Fuzz(func(t *testing.T, which int, args string) {
		var fields map[string]any
		if json.Unmarshal([]byte(args), &fields) != nil {
			return
		}
		tool := names[(which%len(names)+len(names))%len(names)]
		_, said, failed := ask(t, c, tool, fields)
		if said == "" || failed && strings.Contains(said, "inside Umpire") {
			t.Errorf("%s %s: failed %t, %q", tool, args, failed, said)
		}
	})
}
