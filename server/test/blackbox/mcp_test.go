package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// twoProjects is a server with three calls in "left" and one in "right", and a read
// key of each.
func twoProjects(t *testing.T) (s *server, data, left, right string) {
	t.Helper()
	data = t.TempDir()
	var write [2]string
	for i, project := range []string{"left", "right"} {
		write[i] = must(t, "key", "add", "--data", data, "--project", project, "--write")
	}
	left = must(t, "key", "add", "--data", data, "--project", "left", "--read")
	right = must(t, "key", "add", "--data", data, "--project", "right", "--read")
	s = serve(t, nil, "--data", data, "--allow-query")
	now := time.Now().UTC().Add(-time.Minute).Format(time.RFC3339Nano)
	call := func(n int, tool, outcome, more string) string {
		return fmt.Sprintf(`{"id":"0197b000-0000-7000-8000-%012d","kind":"call","started_at":%q,"tool":%q,"outcome":%q,"client":{"name":"cursor"},"session":"s","duration_us":88000%s}`, n, now, tool, outcome, more)
	}
	for i, events := range [][]string{
		{call(1, "find", "ok", ""), call(2, "find", "bad_args", `,"cause":"schema"`), call(3, "sell", "crashed", `,"cause":"panic","error_message":"secret-of-left"`)},
		{call(4, "secret_of_right", "tool_error", `,"cause":"returned","error_message":"secret-of-right"`)},
	} {
		if status, answer := s.request(http.MethodPost, "/api/v1/events", write[i], `{"events":[`+strings.Join(events, ",")+`]}`); status != http.StatusOK {
			t.Fatalf("%d %s", status, answer)
		}
	}
	return s, data, left, right
}

// askWithNode drives the endpoint with the npm client SDK: a client that others wrote.
func askWithNode(t *testing.T, script string, env ...string) string {
	t.Helper()
	node := exec.Command("node", "--input-type=module", "-e", script)
	node.Dir, node.Stderr = npmClient(t), os.Stderr
	node.Env = append(os.Environ(), env...)
	out, err := node.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	return string(out)
}

const askOverHTTP = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const client = new Client({ name: "asker", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.ENDPOINT), { requestInit: { headers: { Authorization: "Bearer " + process.env.KEY } } }));
const { tools } = await client.listTools();
const answers = {};
for (const tool of tools) answers[tool.name] = await client.callTool({ name: tool.name, arguments: JSON.parse(process.env.ARGS)[tool.name] ?? {} });
await client.close();
console.log(JSON.stringify(answers));
`

// mcpArguments are arguments with which each tool has something to say of left.
const mcpArguments = `{"get_tool":{"tool":"find"},"get_session":{"session":"s"},"get_call":{"id":"0197b000-0000-7000-8000-000000000003"},"run_query":{"sql":"FROM calls"}}`

type toolAnswer struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// The npm client checks each structured answer against the output schema by itself.
// With the key of one project nothing of the other is seen by any tool; what was
// asked is recorded in Umpire's own project, which is asked about only by name.
func TestMCPWithTheTypeScriptClient(t *testing.T) {
	t.Parallel()
	s, data, left, right := twoProjects(t)
	must(t, "report", "--data", data, "--project", "left") // everything is stored
	answers := parse[map[string]toolAnswer](t, askWithNode(t, askOverHTTP, "ENDPOINT="+s.url+"/mcp", "KEY="+left, "ARGS="+mcpArguments))
	if len(answers) < 6 {
		t.Errorf("%d tools", len(answers))
	}
	for tool, a := range answers {
		if a.IsError || len(a.Content) != 1 || len(a.Structured) == 0 {
			t.Errorf("%s: %+v", tool, a)
		}
		if all := a.Content[0].Text + string(a.Structured); strings.Contains(all, "right") && tool != "explain_outcomes" {
			t.Errorf("%s shows what is another project's: %s", tool, all)
		}
	}
	if o := parse[overview](t, string(answers["get_overview"].Structured)); o.Calls != 3 || o.Slices.Crashed != 1 {
		t.Errorf("%+v", o)
	}
	for _, tt := range []struct{ key, project string }{{left, "right"}, {right, "left"}, {left, "umpire"}} {
		c := connect(t, s.url+"/mcp", tt.key)
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_overview", Arguments: map[string]any{"project": tt.project}})
		if err != nil || !res.IsError {
			t.Errorf("a key of another project asks about %s: %v %+v", tt.project, err, res)
		}
		c.Close()
	}
	if code := s.stop(); code != 0 { // sends what is recorded
		t.Errorf("exit code %d:\n%s", code, s.log)
	}
	own := parse[reportJSON](t, must(t, "report", "--data", data, "--project", "umpire", "--json")).Overview
	if own.Calls < int64(len(answers)) || own.Slices.BadArgs+own.Slices.ToolError != 3 || own.Slices.Crashed != 0 {
		t.Errorf("Umpire's own project: %+v, want %d calls, 3 of them refused", own, len(answers)+3)
	}
}

func connect(t *testing.T, endpoint, key string) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: withKey(key)}, DisableStandaloneSSE: true}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if k != "" {
		r.Header.Set("Authorization", "Bearer "+string(k))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// Over stdio the same is answered: of a server with a read key, of a data directory
// that a server holds, and of one that nobody holds. The key is in no argument.
func TestMCPOverStdio(t *testing.T) {
	t.Parallel()
	s, data, left, _ := twoProjects(t)
	must(t, "report", "--data", data, "--project", "left")
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	asked := func(args map[string]any, env []string, flags ...string) toolAnswer {
		t.Helper()
		cmd := exec.Command(binary, append([]string{"mcp"}, flags...)...)
		cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_overview", Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		return parse[toolAnswer](t, string(text))
	}
	calls := func(a toolAnswer) int64 { return parse[overview](t, string(a.Structured)).Calls }
	file := t.TempDir() + "/key"
	if err := os.WriteFile(file, []byte(left+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := asked(nil, []string{"UMPIRE_READ_KEY=" + left}, "--to", s.url); calls(a) != 3 {
		t.Errorf("with the key in the environment: %+v", a)
	}
	if a := asked(nil, nil, "--to", s.url, "--key-file", file); calls(a) != 3 {
		t.Errorf("with the key in a file: %+v", a)
	}
	if a := asked(nil, []string{"UMPIRE_KEY=ump_r_nobody"}, "--to", s.url); !a.IsError || !strings.Contains(a.Content[0].Text, "unknown or revoked") {
		t.Errorf("with a key of nobody: %+v", a)
	}
	if a := asked(map[string]any{"project": "right"}, nil, "--data", data); calls(a) != 1 {
		t.Errorf("of a directory in use: %+v", a)
	}
	if a := asked(nil, nil, "--data", data); !a.IsError || !strings.Contains(a.Content[0].Text, "left, right") {
		t.Errorf("without a project: %+v", a)
	}
	s.stop()
	if a := asked(map[string]any{"project": "right"}, nil, "--data", data); calls(a) != 1 {
		t.Errorf("of a directory: %+v", a)
	}
}
