package blackbox

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// known is a project with known totals: 10 calls of which 6 are ok, 1 empty, 1 refused,
// 1 failed, 1 crashed, in two sessions, by two clients, of two versions of the server.
func known(t *testing.T) (s *server, data, key string) {
	t.Helper()
	data = t.TempDir()
	write := must(t, "key", "add", "--data", data, "--project", "shop", "--write")
	key = must(t, "key", "add", "--data", data, "--project", "shop", "--read")
	s = serve(t, nil, "--data", data, "--allow-query")
	begin := time.Now().UTC().Add(-10 * time.Minute)
	var events []string
	add := func(kind, tool, session, client, version, more string) {
		n := len(events)
		events = append(events, fmt.Sprintf(`{"id":"0197b000-0000-7000-8000-%012d","kind":%q,"started_at":%q,"tool":%q,"session":%q,"client":{"name":%q,"version":"1"},"server":{"name":"shop","version":%q},"user":%q,"seen_by":"sdk"%s}`,
			n+1, kind, begin.Add(time.Duration(n)*10*time.Second).Format(time.RFC3339Nano), tool, session, client, version, "user-"+session, more))
	}
	call := func(tool, session, client, version, outcome, more string) {
		add("call", tool, session, client, version, fmt.Sprintf(`,"outcome":%q,"duration_us":50000%s`, outcome, more))
	}
	add("catalog", "", "", "", "v2", `,"tools":[{"name":"find","definition":"aaaaaaaaaaaaaaaa","bytes":40},{"name":"sell","definition":"bbbbbbbbbbbbbbbb","bytes":40},{"name":"ship","definition":"cccccccccccccccc","bytes":40}]`)
	call("find", "one", "cursor", "v1", "ok", `,"intent":"a red chair"`)
	call("find", "one", "cursor", "v1", "bad_args", `,"cause":"schema","bad_params":[{"path":"limit","rule":"type"}],"error_message":"limit: not a number"`)
	call("find", "one", "cursor", "v1", "ok", "")
	call("sell", "one", "cursor", "v1", "crashed", `,"cause":"panic","error_type":"KeyError","error_message":"boom"`)
	call("find", "two", "claude", "v2", "ok", `,"empty":true,"empty_rule":"empty_list"`)
	call("find", "two", "claude", "v2", "ok", `,"suspects":["error_text"]`)
	call("sell", "two", "claude", "v2", "ok", "")
	call("sell", "two", "claude", "v2", "ok", "")
	call("fnd", "two", "claude", "v2", "tool_error", `,"cause":"unknown_tool","error_message":"no tool"`)
	call("find", "two", "claude", "v2", "ok", "")
	add("resource", "file:", "two", "claude", "v2", `,"outcome":"ok"`)
	add("custom", "", "two", "claude", "v2", `,"intent":"a tool that weighs","meta":{"umpire.event":"umpire.missing_tool"}`)
	add("prompt", "greet", "two", "claude", "v2", `,"outcome":"ok"`)
	if status, answer := s.request(http.MethodPost, "/api/v1/events", write, `{"events":[`+strings.Join(events, ",")+`]}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	must(t, "report", "--data", data, "--project", "shop") // everything is stored
	return s, data, key
}

// dig finds a value in JSON: "a.b" is a field of a field, "list[name=find]" the row of a list whose
// name is find, "list#" how many rows a list has.
func dig(v any, path string) any {
	for _, step := range strings.Split(path, ".") {
		name, count := strings.CutSuffix(step, "#")
		name, which, row := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		if m, ok := v.(map[string]any); ok && name != "" {
			v = m[name]
		}
		list, _ := v.([]any)
		if count {
			v = float64(len(list))
		}
		if row {
			v = nil
			key, want, _ := strings.Cut(which, "=")
			for _, one := range list {
				if m, ok := one.(map[string]any); ok && fmt.Sprint(m[key]) == want {
					v = one
					break
				}
			}
		}
	}
	return v
}

var tags = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<[^>]*>`)

// words are what a page says, without its marks.
func words(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(page, " "))), " ")
}

// surface reads one figure: where it is asked, and where it is in the answer. What a surface does
// not offer is left out.
type surface struct{ ask, at string }

// Every question has the same answer in the read API, over MCP, in the terminal, as CSV and on
// the page: one figure of each, with its total known.
func TestEveryQuestionIsAnsweredAlike(t *testing.T) {
	t.Parallel()
	s, data, key := known(t)
	c := connect(t, s.url+"/mcp", key)
	defer c.Close()
	manyKey := many(t, s, data)
	ofMany := connect(t, s.url+"/mcp", manyKey)
	defer ofMany.Close()
	const crash = "0197b000-0000-7000-8000-000000000005"
	table := []struct {
		question           string
		want               float64
		api, mcp, cli, csv surface
		page, says         string
	}{
		{"overview", 10, surface{"overview", "calls"}, surface{"get_overview", "calls"}, surface{"report", "overview.calls"}, surface{}, "", `\b10\b`},
		{"overview: error rate", 0.3, surface{"overview", "error_rate"}, surface{"get_overview", "error_rate"}, surface{"report", "overview.error_rate"}, surface{}, "", `30\.0% failed`},
		{"overview: empty rate", 0.1, surface{"overview", "empty_rate"}, surface{"get_overview", "empty_rate"}, surface{"report", "overview.empty_rate"}, surface{}, "", `10\.0% empty`},
		{"overview: sessions", 2, surface{"overview", "sessions"}, surface{"get_overview", "sessions"}, surface{"report", "overview.sessions"}, surface{}, "", `Sessions 2\b`},
		{"tools", 6, surface{"tools", "tools[tool=find].calls"}, surface{"rank_tools", "tools[tool=find].calls"}, surface{"report", "tools.tools[tool=find].calls"}, surface{"tools", "[tool=find].calls"}, "", `find 6 `},
		{"one tool", 1, surface{"tools/find", "slices.bad_args"}, surface{`get_tool {"tool":"find"}`, "slices.bad_args"}, surface{"tool find", "slices.bad_args"}, surface{}, "tools/find", `Bad args 1\b`},
		{"clients", 6, surface{"clients", "clients[client=claude].calls"}, surface{"list_clients", "clients[client=claude].calls"}, surface{"clients", "clients[client=claude].calls"}, surface{"clients", "[client=claude].calls"}, "clients", `claude .*?\b6\b`},
		{"errors", 1, surface{"errors", "failures[error_type=KeyError].calls"}, surface{"get_errors", "failures[error_type=KeyError].calls"}, surface{"errors", "failures[error_type=KeyError].calls"}, surface{"errors", "[error_type=KeyError].calls"}, "errors", `KeyError`},
		{"what came after errors", 3, surface{"errors/next", "failures#"}, surface{}, surface{}, surface{"errors/next", "#"}, "", ""},
		{"names of errors", 1, surface{"errors/types", "error_types[error_type=KeyError].calls"}, surface{"get_errors", "error_types[error_type=KeyError].calls"}, surface{"errors", "error_types[error_type=KeyError].calls"}, surface{"errors/types", "[error_type=KeyError].calls"}, "errors", `KeyError`},
		{"all refused arguments", 1, surface{"bad-arguments", "arguments[path=limit].calls"}, surface{}, surface{}, surface{"bad-arguments", "[tool=find].calls"}, "tools/find", `limit`},
		{"definitions", 40, surface{"definitions", "definitions[tool=ship].bytes"}, surface{}, surface{}, surface{"definitions", "[tool=ship].bytes"}, "tools/ship", `40 B`},
		{"refused arguments", 1, surface{"tools/find", "bad_params[path=limit].calls"}, surface{"get_bad_args", "tools[tool=find].bad_params[path=limit].calls"}, surface{"tool find", "bad_params[path=limit].calls"}, surface{}, "tools/find", `limit`},
		{"empty answers", 1, surface{"empty", "tools[tool=find].calls"}, surface{"get_empty_results", "tools[tool=find].calls"}, surface{}, surface{"empty", "[tool=find].calls"}, "empty", `find .*?\b1\b`},
		{"reported as success", 1, surface{"reported", "tools[tool=find].calls"}, surface{"get_reported_as_success", "tools[tool=find].calls"}, surface{}, surface{"reported", "[tool=find].calls"}, "reported", `find .*?\b1\b`},
		{"unknown tools", 1, surface{"unknown-tools", "names[name=fnd].calls"}, surface{"rank_tools", "unknown_tools[name=fnd].calls"}, surface{"report", "tools.unknown_tools[name=fnd].calls"}, surface{"unknown-tools", "[name=fnd].calls"}, "", `fnd`},
		{"never called", 1, surface{"never-called", "tools#"}, surface{}, surface{}, surface{"never-called", "#"}, "", ""},
		{"many: insights", 60, surface{"insights", "insights[rule=unknown_tool].calls"}, surface{"get_insights", "insights[rule=unknown_tool].calls"}, surface{"insights", "insights[rule=unknown_tool].calls"}, surface{"insights", "[rule=unknown_tool].calls"}, "", `60 times|60 calls`},
		{"clients by version", 4, surface{"clients/versions", "versions[client=cursor].calls"}, surface{}, surface{}, surface{"clients/versions", "[client=cursor].calls"}, "", ""},
		{"releases", 6, surface{"releases", "releases[version=v2].calls"}, surface{"compare_releases", "releases[version=v2].calls"}, surface{"releases", "releases[version=v2].calls"}, surface{"releases", "[version=v2].calls"}, "releases", `v2 .*?\b6\b`},
		{"servers", 10, surface{"servers", "servers[server=shop].calls"}, surface{}, surface{}, surface{"servers", "[server=shop].calls"}, "", ""},
		{"pairs", 1, surface{"pairs", "pairs[after=fnd].calls"}, surface{"get_pairs", "pairs[after=fnd].calls"}, surface{}, surface{"pairs", "[after=fnd].calls"}, "", ""},
		{"calls", 10, surface{"calls", "calls#"}, surface{}, surface{}, surface{"calls", "#"}, "calls", ""},
		{"one call", 50000, surface{"calls/" + crash, "event.duration_us"}, surface{`get_call {"id":"` + crash + `"}`, "event.duration_us"}, surface{}, surface{}, "calls/" + crash, `50(\.0)? ms`},
		{"sessions", 6, surface{"sessions", "sessions[session=two].calls"}, surface{"list_sessions", "sessions[session=two].calls"}, surface{"sessions", "sessions[session=two].calls"}, surface{"sessions", "[session=two].calls"}, "sessions", `two`},
		{"one session", 4, surface{"sessions/one", "calls#"}, surface{`get_session {"session":"one"}`, "calls#"}, surface{"sessions one", "calls#"}, surface{}, "sessions/one", ""},
		{"users", 6, surface{"users", "users[user=user-two].calls"}, surface{}, surface{}, surface{"users", "[user=user-two].calls"}, "users", `user-two .*?\b6\b`},
		{"intents", 1, surface{"intents", "intents#"}, surface{"get_intents", "intents#"}, surface{}, surface{"intents", "#"}, "intents", `a red chair`},
		{"missing tools", 1, surface{"intents/missing", "missing#"}, surface{"get_intents", "missing#"}, surface{}, surface{"intents/missing", "#"}, "intents", `a tool that weighs`},
		{"resources", 1, surface{"resources", "resources#"}, surface{}, surface{}, surface{}, "resources", `file:`},
		{"prompts", 1, surface{"prompts", "prompts#"}, surface{}, surface{}, surface{}, "", ""},
		{"filters", 3, surface{"filters", "tools#"}, surface{}, surface{}, surface{}, "", ""},
		{"SQL", 10, surface{"query?sql=SELECT+count(*)+FROM+calls", "rows"}, surface{`run_query {"sql":"SELECT count(*) FROM calls"}`, "rows"}, surface{}, surface{}, "", ""},
	}
	var asked, called []string
	for _, q := range table {
		path, _, _ := strings.Cut(q.api.ask, "?")
		tool, _, _ := strings.Cut(q.mcp.ask, " ")
		asked, called = append(asked, path), append(called, tool)
	}
	complete(t, s, c, key, asked, called)
	for _, q := range table {
		t.Run(q.question, func(t *testing.T) {
			key, c, project := key, c, "shop"
			if strings.HasPrefix(q.question, "many: ") {
				key, c, project = manyKey, ofMany, "many"
			}
			check := func(surface string, answer any, at string) {
				t.Helper()
				got := dig(answer, at)
				for list, ok := got.([]any); ok && len(list) == 1; list, ok = got.([]any) {
					got = list[0] // of SQL
				}
				if got != q.want {
					text, _ := json.Marshal(answer)
					t.Errorf("%s: %v, want %v: %.1500s", surface, got, q.want, text)
				}
			}
			if q.api.ask != "" {
				_, text := s.request(http.MethodGet, "/api/v1/"+q.api.ask, key, "")
				check("read API", parse[any](t, text), q.api.at)
			}
			if q.mcp.ask != "" {
				name, args, _ := strings.Cut(q.mcp.ask, " ")
				p := &mcp.CallToolParams{Name: name}
				if args != "" {
					p.Arguments = json.RawMessage(args)
				}
				res, err := c.CallTool(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := json.Marshal(res.StructuredContent)
				check("MCP", parse[any](t, string(text)), q.mcp.at)
			}
			if q.cli.ask != "" {
				check("command line", parse[any](t, must(t, append(strings.Fields(q.cli.ask), "--json", "--to", s.url, "--key", key)...)), q.cli.at)
			}
			if q.csv.ask != "" {
				check("CSV", csvRows(t, s, q.csv.ask, key), q.csv.at)
			}
			if q.says != "" {
				status, page := s.request(http.MethodGet, "/p/"+project+"/"+q.page, "", "")
				if said := words(page); status != http.StatusOK || !regexp.MustCompile(q.says).MatchString(said) {
					t.Errorf("the page does not say %s: %d %.3000s", q.says, status, said)
				}
			}
		})
	}
	// What a rule of an alert reads, and a check: the same figures.
	told := make(chan string, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- string(body)
	}))
	defer hook.Close()
	o := parse[any](t, second(s.request(http.MethodGet, "/api/v1/overview", key, "")))
	for _, a := range []struct {
		kind, flags string
		want        any
	}{
		{"error_rate", "--above 1%", 0.3},
		{"empty_rate", "--above 1%", 0.1},
		{"slice", "--slice crashed --above 1%", 0.1},
		{"p95", "--above 1ms", dig(o, "latency_us.p95")},
		{"crash", "", dig(o, "slices.crashed")},
		{"first_call_success", "--below 99%", dig(o, "first_call_success.rate")},
	} {
		args := append([]string{"alert", "add", a.kind, "--data", data, "--project", "shop", "--kind", a.kind, "--min-calls", "1", "--to", "webhook+" + hook.URL}, strings.Fields(a.flags)...)
		must(t, args...)
		must(t, "alert", "test", a.kind, "--data", data)
		if text := <-told; dig(parse[any](t, text), "value") != a.want || a.want == nil {
			t.Errorf("alert %s: %s, want %v", a.kind, text, a.want)
		}
	}
	out, _, _ := run(t, nil, "check", "--json", "--data", data, "--project", "shop", "--max-error-rate", "1%", "--max-empty-rate", "1%", "--max-crashed", "0", "--max-p95", "1ms", "--min-first-call-success", "99%", "--min-calls", "1")
	var got []any
	for _, one := range parse[struct{ Checks []struct{ Value any } }](t, out).Checks {
		got = append(got, one.Value)
	}
	want := []any{0.3, 0.1, dig(o, "slices.crashed"), dig(o, "latency_us.p95"), dig(o, "first_call_success.rate")}
	for _, w := range want {
		if !slices.Contains(got, w) || len(got) != len(want) {
			t.Errorf("check: %v, want %v", got, want)
		}
	}
}

// many is a project with enough calls for an insight: 60 of a tool that no server has.
func many(t *testing.T, s *server, data string) (key string) {
	t.Helper()
	write := must(t, "key", "add", "--data", data, "--project", "many", "--write")
	key = must(t, "key", "add", "--data", data, "--project", "many", "--read")
	var events []string
	for i := range 60 {
		events = append(events, fmt.Sprintf(`{"id":"0197b000-0000-7000-9000-%012d","kind":"call","started_at":%q,"tool":"fnd","outcome":"bad_args","cause":"unknown_tool","seen_by":"sdk"}`, i, time.Now().UTC().Add(-10*time.Minute).Format(time.RFC3339Nano)))
	}
	if status, answer := s.request(http.MethodPost, "/api/v1/events", write, `{"events":[`+strings.Join(events, ",")+`]}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	must(t, "report", "--data", data, "--project", "many") // everything is stored
	return key
}

// complete fails where a question of the read API or a tool is in no line of the table.
func complete(t *testing.T, s *server, c *mcp.ClientSession, key string, asked, called []string) {
	t.Helper()
	var described struct {
		Paths map[string]struct {
			Get struct {
				Tags       []string
				Parameters []map[string]any
			}
		}
	}
	_, text := s.request(http.MethodGet, "/api/v1/openapi.json", key, "")
	if err := json.Unmarshal([]byte(text), &described); err != nil {
		t.Fatal(err)
	}
	questions := 0
	for path, on := range described.Paths {
		takesRange := slices.ContainsFunc(on.Get.Parameters, func(p map[string]any) bool { return p["$ref"] == "#/components/parameters/last" })
		if !takesRange || slices.Contains(on.Get.Tags, "live") { // a stream is no figure
			continue
		}
		questions++
		like := regexp.MustCompile("^" + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(strings.TrimPrefix(path, "/api/v1/")), `[^/]+`) + "$")
		if !slices.ContainsFunc(asked, like.MatchString) {
			t.Errorf("no line of the table asks %s", path)
		}
	}
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil || questions < 20 {
		t.Fatal(questions, err)
	}
	for _, tool := range tools.Tools {
		if !slices.Contains(called, tool.Name) && tool.Name != "list_projects" && tool.Name != "explain_outcomes" { // which have no figures
			t.Errorf("no line of the table calls %s", tool.Name)
		}
	}
}

func second(_ int, text string) string { return text }

// csvRows is a list as CSV, as JSON has it.
func csvRows(t *testing.T, s *server, path, key string) any {
	t.Helper()
	status, text := s.request(http.MethodGet, "/api/v1/"+path+".csv", key, "")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %v %s", status, err, text)
	}
	var list []any
	for _, row := range rows[1:] {
		one := map[string]any{}
		for i, name := range rows[0] {
			one[name] = row[i]
			var n float64
			if json.Unmarshal([]byte(row[i]), &n) == nil {
				one[name] = n
			}
		}
		list = append(list, one)
	}
	return list
}
