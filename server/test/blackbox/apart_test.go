package blackbox

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A read key sees nothing of another project by any tool, name, id, cursor or statement. Its own
// key does: the test can fail.
func TestAKeyIsApartByEveryTool(t *testing.T) {
	t.Parallel()
	s, data, left, right := twoProjects(t)
	write := must(t, "key", "add", "--data", data, "--project", "right", "--write")
	if status, answer := s.request("POST", "/api/v1/events", write, `{"events":[{"id":"0197b000-0000-7000-8000-000000000005","kind":"call","started_at":"`+time.Now().UTC().Format(time.RFC3339Nano)+`","tool":"secret_of_right","outcome":"ok","session":"t"}]}`); status != 200 {
		t.Fatal(answer)
	}
	must(t, "report", "--data", data, "--project", "left") // everything is stored
	const secret, theirs = "secret-of-right", "0197b000-0000-7000-8000-000000000004"
	l, r := connect(t, s.url+"/mcp", left), connect(t, s.url+"/mcp", right)
	defer l.Close()
	defer r.Close()
	list, err := l.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) < 18 {
		t.Fatal(err, len(list.Tools))
	}
	arguments := []string{
		`{}`, `{"project":"right"}`, `{"project":["left","right"]}`, `{"tool":"secret_of_right"}`, `{"session":"s"}`, `{"id":"` + theirs + `"}`, `{"fingerprint":"unknown"}`,
		`{"sql":"FROM calls"}`, `{"sql":"FROM failure_hours"}`, `{"sql":"FROM catalog"}`, `{"sql":"SELECT * FROM calls WHERE true OR tool = 'x'"}`, `{"sql":"FROM calls","project":"right"}`,
		`{"sql":"SELECT sql FROM duckdb_tables()"}`, `{"sql":"FROM events"}`, `{"tool":"secret_of_right","project":"right"}`, `{"id":"` + theirs + `","project":"right"}`,
	}
	// A place in a list of theirs.
	res, err := r.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_sessions", Arguments: map[string]any{"limit": 1}})
	if err != nil || res.IsError {
		t.Fatal(err, res)
	}
	cursor, _ := res.StructuredContent.(map[string]any)["next"].(string)
	if cursor == "" {
		t.Fatalf("the other project's sessions have no second part: %v", res.StructuredContent)
	}
	for _, tool := range []string{"list_sessions", "get_intents"} {
		res, err := l.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"limit": 1, "cursor": cursor}})
		if err != nil || !res.IsError {
			t.Errorf("%s takes the other project's cursor: %v %v", tool, err, res)
		}
	}
	ask := func(c *mcp.ClientSession, each func(tool, args, text string, failed bool)) {
		for _, tool := range list.Tools {
			for _, args := range arguments {
				if strings.Contains(args, `"sql"`) != (tool.Name == "run_query") {
					continue // refused by its name
				}
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(args)})
				if err != nil {
					t.Fatalf("%s %s: %v", tool.Name, args, err)
				}
				all, _ := json.Marshal(res)
				each(tool.Name, args, string(all), res.IsError)
			}
		}
	}
	ask(l, func(tool, args, text string, failed bool) {
		if strings.Contains(text, secret) {
			t.Errorf("%s %s shows the other project: %s", tool, args, text)
		}
		if strings.Contains(args, `"project"`) && !failed {
			t.Errorf("%s %s is answered: %s", tool, args, text)
		}
	})
	seen := 0
	ask(r, func(_, _, text string, _ bool) {
		if strings.Contains(text, secret) {
			seen++
		}
	})
	if seen < 10 {
		t.Errorf("the other project's own key sees itself %d times only: the test tests little", seen)
	}
}
