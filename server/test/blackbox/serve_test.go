package blackbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// reportJSON is what `umpire report --json` prints.
type reportJSON struct {
	Overview overview `json:"overview"`
	Tools    struct {
		Tools []struct {
			Tool  string `json:"tool"`
			Calls int64  `json:"calls"`
		} `json:"tools"`
		UnknownTools []struct {
			Name  string `json:"name"`
			Calls int64  `json:"calls"`
		} `json:"unknown_tools"`
	} `json:"tools"`
	Clients struct {
		Clients []struct {
			Client string `json:"client"`
			Calls  int64  `json:"calls"`
		} `json:"clients"`
	} `json:"clients"`
}

// A client that others wrote (the TypeScript SDK) drives a watched server; what
// the store holds is what was called, by outcome.
func TestCallsOfTheTypeScriptClientAreCounted(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "parcels", "--write")
	s := serve(t, nil, "--data", data)
	binary, err := example()
	if err != nil {
		t.Fatal(err)
	}
	mcp := exec.Command(binary, "-http", "127.0.0.1:0")
	mcp.Env = append(os.Environ(), "UMPIRE_ENDPOINT="+s.url, "UMPIRE_KEY="+key, "UMPIRE_SPOOL_DIR=-")
	mcp.Stderr = os.Stderr
	out, err := mcp.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mcp.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mcp.Process.Kill() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	want := drive(t, strings.TrimSpace(address), "3")
	if err := mcp.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := mcp.Wait(); err != nil {
		t.Errorf("the MCP server stopped with %v", err)
	}
	got := parse[reportJSON](t, must(t, "report", "--data", data, "--project", "parcels", "--json"))
	if got.Overview.Calls != want.Calls || got.Overview.Slices != want.Slices || got.Overview.Cancelled != want.Cancelled {
		t.Errorf("the store holds %+v, the client made %+v", got.Overview, want)
	}
	var tools, clients int64
	for _, l := range got.Tools.Tools {
		tools += l.Calls
	}
	for _, l := range got.Clients.Clients {
		clients += l.Calls
	}
	if clients != want.Calls || len(got.Clients.Clients) != 1 || got.Clients.Clients[0].Client != "parcel-driver" {
		t.Errorf("clients %+v", got.Clients)
	}
	if tools != want.Calls {
		t.Errorf("the tools have %d calls, the overview %d: %+v", tools, want.Calls, got.Tools)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("umpire serve stopped with %d:\n%s", code, s.log)
	}
}

// drive runs the npm driver and returns its sum.
func drive(t *testing.T, target ...string) overview {
	t.Helper()
	node := exec.Command("node", append([]string{"drive.mjs"}, target...)...)
	node.Dir, node.Stderr = npmClient(t), os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("the driver: %v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return parse[overview](t, lines[len(lines)-1])
}

// npmClient is the folder that has the TypeScript SDK.
func npmClient(t *testing.T) string {
	t.Helper()
	dir := "../../../examples/official/clienttest"
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		npm := exec.Command("npm", "ci", "--no-audit", "--no-fund")
		npm.Dir = dir
		if out, err := npm.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s\nthis test needs Node 20 or later with npm", err, out)
		}
	}
	return dir
}

// What another version sends is taken, counted and shown by its raw name.
func TestEventsFromTheFuture(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "p", "--write")
	s := serve(t, nil, "--data", data)
	now := time.Now().UTC().Format(time.RFC3339Nano)
	body := fmt.Sprintf(`{"events":[
		{"id":"0197b000-0000-7000-8000-000000000001","kind":"call","started_at":%[1]q,"tool":"t","outcome":"tool_error","cause":"quota_of_tomorrow","colour":"blue","server":{"name":"s","region":"eu"}},
		{"id":"0197b000-0000-7000-8000-000000000002","kind":"elicitation","started_at":%[1]q},
		{"id":"0197b000-0000-7000-8000-000000000003","kind":"call","started_at":%[1]q,"tool":"t","outcome":"partly_ok"}
	]}`, now)
	status, answer := s.request(http.MethodPost, "/api/v1/events", key, body)
	if status != http.StatusOK || !strings.Contains(answer, `"accepted":3`) {
		t.Fatalf("%d %s", status, answer)
	}
	if status, again := s.request(http.MethodPost, "/api/v1/events", key, body); status != http.StatusOK || !strings.Contains(again, `"duplicates":3`) {
		t.Errorf("sent twice: %d %s", status, again)
	}
	got := parse[reportJSON](t, must(t, "report", "--data", data, "--json")).Overview
	if got.Calls != 1 || got.Slices.ToolError != 1 || got.SetAside != 1 || got.OtherKinds["elicitation"] != 1 {
		t.Errorf("%+v", got)
	}
	if status, answer := s.request(http.MethodPost, "/api/v1/events", key, `{"events":[],"dropped":{"queue_full":7,"of_tomorrow":2}}`); status != http.StatusOK {
		t.Errorf("dropped: %d %s", status, answer)
	}
	if _, answer := s.request(http.MethodGet, "/api/v1/overview", "", ""); !strings.Contains(answer, `"dropped":9,`) {
		t.Errorf("the overview does not say what senders dropped: %s", answer)
	}
	if _, page := s.request(http.MethodGet, "/p/p/", "", ""); !strings.Contains(page, "were dropped by their senders") {
		t.Error("the page does not say what senders dropped")
	}
	status, tool := s.request(http.MethodGet, "/api/v1/tools/t?last=24h", "", "")
	if status != http.StatusOK || !strings.Contains(tool, "quota_of_tomorrow") {
		t.Errorf("the tool's failures do not name the cause: %d %s", status, tool)
	}
	status, page := s.request(http.MethodGet, "/p/p/tools/t", "", "")
	if status != http.StatusOK || !strings.Contains(page, "quota_of_tomorrow") {
		t.Errorf("the tool's page does not name the cause: %d", status)
	}
}

// The answers of docs/wire.md to what is wrong with a whole body, and never 500.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "p", "--write")
	read := must(t, "key", "add", "--data", data, "--project", "p", "--read")
	s := serve(t, nil, "--data", data)
	for _, tt := range []struct {
		name, method, path, key, body string
		want                          int
	}{
		{"empty", "POST", "/api/v1/events", key, "", 400},
		{"cut", "POST", "/api/v1/events", key, `{"events":[{"id":"0197b000-`, 400},
		{"not JSON", "POST", "/api/v1/events", key, "hello", 400},
		{"deep", "POST", "/api/v1/events", key, `{"events":` + strings.Repeat("[", 100_000), 400},
		{"huge", "POST", "/api/v1/events", key, `{"events":[` + strings.Repeat(" ", 6<<20) + `]}`, 413},
		{"no key", "POST", "/api/v1/events", "", `{"events":[]}`, 401},
		{"unknown key", "POST", "/api/v1/events", "ump_w_nobody", `{"events":[]}`, 401},
		{"read key", "POST", "/api/v1/events", read, `{"events":[]}`, 403},
		{"announcement", "POST", "/api/v1/events", key, `{"events":[]}`, 200},
		{"GET", "GET", "/api/v1/events", key, "", 405},
		{"write key on the read API", "GET", "/api/v1/overview", key, "", 403},
		{"unknown read key", "GET", "/api/v1/overview", "ump_r_nobody", "", 401},
		{"read", "GET", "/api/v1/overview", read, "", 200},
		{"another project", "GET", "/api/v1/overview?project=other", read, "", 403},
		{"bad last", "GET", "/api/v1/overview?last=soon", read, "", 400},
		{"unknown parameter", "GET", "/api/v1/overview?clint=x", read, "", 400},
		{"unknown route", "GET", "/api/v1/nothing", read, "", 404},
		{"unknown tool", "GET", "/api/v1/tools/nothing", read, "", 404},
	} {
		status, answer := s.request(tt.method, tt.path, tt.key, tt.body)
		if status != tt.want {
			t.Errorf("%s: %d, want %d: %s", tt.name, status, tt.want, answer)
			continue
		}
		if status < 400 || status == http.StatusMethodNotAllowed {
			continue
		}
		var shape struct {
			Error struct{ Code, Message, Hint string } `json:"error"`
		}
		if err := json.Unmarshal([]byte(answer), &shape); err != nil || shape.Error.Code == "" || shape.Error.Message == "" || shape.Error.Hint == "" {
			t.Errorf("%s: an error without code, message and hint: %s", tt.name, answer)
		}
	}
}

// A page elsewhere that points its name at the loopback address gets nothing.
func TestForeignHostsAreRefused(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	must(t, "key", "add", "--data", data, "--project", "p", "--write")
	s := serve(t, nil, "--data", data)
	for _, path := range []string{"/", "/p/p/", "/api/v1/overview?project=p", "/api/v1/projects"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []func(){
			func() { req.Host = "evil.example:8787" },
			func() { req.Host = ""; req.Header.Set("Origin", "http://evil.example") },
		} {
			change()
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusForbidden && res.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s with Host %q, Origin %q: %d", path, req.Host, req.Header.Get("Origin"), res.StatusCode)
			}
		}
	}
}

func TestServeRefusesToStart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	_, fail, code := run(t, []string{"UMPIRE_ADMIN_PASSWORD="}, "serve", "--data", data, "--listen", "0.0.0.0:0")
	if code == 0 || !strings.Contains(fail, "UMPIRE_ADMIN_PASSWORD") {
		t.Errorf("an open address without a password: code %d\n%s", code, fail)
	}
	s := serve(t, nil, "--data", data)
	_, fail, code = run(t, nil, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if code == 0 || !strings.Contains(fail, "hint:") {
		t.Errorf("a directory that is held: code %d\n%s", code, fail)
	}
	other := t.TempDir()
	_, fail, code = run(t, nil, "serve", "--data", other, "--listen", strings.TrimPrefix(s.url, "http://"))
	if code == 0 || !strings.Contains(fail, "in use") {
		t.Errorf("an address in use: code %d\n%s", code, fail)
	}
}

// With a password, pages and the read API want it; the doors want their keys.
func TestPassword(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "p", "--write")
	s := serve(t, []string{"UMPIRE_ADMIN_PASSWORD=correct horse"}, "--data", data)
	if status, _ := s.request("GET", "/api/v1/overview?project=p", "", ""); status != http.StatusUnauthorized {
		t.Errorf("the read API without a key: %d", status)
	}
	if _, page := s.request("GET", "/p/p/", "", ""); !strings.Contains(page, `type="password"`) {
		t.Errorf("the page asks for no password: %.300s", page)
	}
	if status, answer := s.request("POST", "/api/v1/events", key, `{"events":[]}`); status != http.StatusOK {
		t.Errorf("the door: %d %s", status, answer)
	}
	if strings.Contains(s.log.String(), "correct horse") {
		t.Error("the password is in the log")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "made", "by", "the command")
	key := must(t, "key", "add", "--data", data, "--project", "p", "--write")
	if !strings.HasPrefix(key, "ump_w_") || strings.ContainsAny(key, " \n") {
		t.Fatalf("key add printed %q, want only the key", key)
	}
	s := serve(t, nil, "--data", data)
	second := must(t, "key", "add", "--data", data, "--project", "q", "--write") // through the running server
	if status, _ := s.request("POST", "/api/v1/events", second, `{"events":[]}`); status != http.StatusOK {
		t.Errorf("a key made while serving: %d", status)
	}
	list := must(t, "key", "list", "--data", data)
	if strings.Contains(list, "……") || !strings.Contains(list, key[:8]) || strings.Count(list, "never") != 1 {
		t.Errorf("key list shows neither prefixes nor use:\n%s", list)
	}
	if strings.Contains(list, key) || strings.Contains(list, second) || strings.Count(list, "in force") != 2 {
		t.Errorf("key list:\n%s", list)
	}
	for name, want := range map[string]os.FileMode{"events.duckdb": 0o600, "meta.sqlite": 0o600, "wal": os.ModeDir | 0o700} {
		if info, err := os.Stat(filepath.Join(data, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, error %v; want mode %v", name, info.Mode(), err, want)
		}
	}
	must(t, "key", "revoke", "--data", data, second)
	if _, fail, code := run(t, nil, "key", "revoke", "--data", data, second); code != 2 || !strings.Contains(fail, "no key in force") {
		t.Errorf("revoked twice: code %d\n%s", code, fail)
	}
	if status, _ := s.request("POST", "/api/v1/events", second, `{"events":[]}`); status != http.StatusUnauthorized {
		t.Errorf("a revoked key: %d", status)
	}
	must(t, "project", "delete", "--data", data, "--yes", "q")
	if projects := must(t, "project", "list", "--data", data); projects != "p" {
		t.Errorf("projects: %q", projects)
	}
	if _, fail, code := run(t, nil, "key", "add", "--data", data, "--project", "no good", "--write"); code != 2 || !strings.Contains(fail, "hint:") {
		t.Errorf("a bad name: code %d\n%s", code, fail)
	}
	if status, _ := s.request("POST", "/api/v1/events", key, `{"events":[]}`); status != http.StatusOK {
		t.Errorf("the other key: %d", status)
	}
}
