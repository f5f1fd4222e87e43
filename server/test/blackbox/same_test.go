package blackbox

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// figures are what every surface must say alike.
type figures struct {
	Calls  int64 `json:"calls"`
	Slices struct {
		BadArgs   int64 `json:"bad_args"`
		ToolError int64 `json:"tool_error"`
		Crashed   int64 `json:"crashed"`
	} `json:"slices"`
}

// The same figures, read through the page, the read API, MCP over HTTP, the command
// line, CSV, a check and an alert, are the same figures: three calls, of which one had
// its arguments refused and one crashed.
func TestEverySurfaceSaysTheSame(t *testing.T) {
	t.Parallel()
	s, data, left, _ := twoProjects(t)
	must(t, "report", "--data", data, "--project", "left") // everything is stored
	surfaces := map[string]func() figures{
		"read API": func() figures {
			_, text := s.request(http.MethodGet, "/api/v1/overview", left, "")
			return parse[figures](t, text)
		},
		"MCP": func() figures {
			c := connect(t, s.url+"/mcp", left)
			defer c.Close()
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_overview"})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(res.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			return parse[figures](t, string(text))
		},
		"MCP, tool by tool": func() (f figures) {
			c := connect(t, s.url+"/mcp", left)
			defer c.Close()
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "rank_tools"})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(res.StructuredContent)
			var a struct {
				Tools []struct {
					Calls     int64 `json:"calls"`
					BadArgs   int64 `json:"bad_args"`
					ToolError int64 `json:"tool_error"`
					Crashed   int64 `json:"crashed"`
				} `json:"tools"`
			}
			if err := json.Unmarshal(text, &a); err != nil {
				t.Fatal(err)
			}
			for _, l := range a.Tools {
				f.Calls += l.Calls
				f.Slices.BadArgs += l.BadArgs
				f.Slices.ToolError += l.ToolError
				f.Slices.Crashed += l.Crashed
			}
			return f
		},
		"command line": func() figures {
			return parse[struct{ Overview figures }](t, must(t, "report", "--json", "--data", data, "--project", "left")).Overview
		},
		"CSV": func() (f figures) {
			status, text := s.request(http.MethodGet, "/api/v1/tools.csv", left, "")
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || status != http.StatusOK || len(rows) < 2 {
				t.Fatal(status, err, text)
			}
			for i, name := range rows[0] {
				for _, row := range rows[1:] {
					n, _ := strconv.ParseInt(row[i], 10, 64)
					switch strings.TrimPrefix(name, "\ufeff") {
					case "calls":
						f.Calls += n
					case "bad_args":
						f.Slices.BadArgs += n
					case "tool_error":
						f.Slices.ToolError += n
					case "crashed":
						f.Slices.Crashed += n
					}
				}
			}
			return f
		},
	}
	var want figures
	want.Calls, want.Slices.BadArgs, want.Slices.Crashed = 3, 1, 1
	for name, read := range surfaces {
		if got := read(); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	// Two of three failed: as a number, and in the words of a page and a terminal.
	const rate, words = 2.0 / 3, "66.7%"
	if _, page := s.request(http.MethodGet, "/p/left/", "", ""); !strings.Contains(page, words+" failed") {
		t.Error("the page does not say", words)
	}
	if text := must(t, "report", "--data", data, "--project", "left"); !strings.Contains(text, words+" failed") {
		t.Error("the report does not say", words)
	}
	out, _, _ := run(t, nil, "check", "--json", "--data", data, "--project", "left", "--max-error-rate", "5%", "--min-calls", "1")
	if check := parse[struct {
		Checks []struct{ Value float64 }
	}](t, out); len(check.Checks) != 1 || check.Checks[0].Value != rate {
		t.Errorf("check: %s", out)
	}
	told := make(chan string, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- string(body)
	}))
	defer hook.Close()
	must(t, "alert", "add", "rate", "--data", data, "--project", "left", "--kind", "error_rate", "--above", "5%", "--min-calls", "1", "--to", "webhook+"+hook.URL)
	must(t, "alert", "test", "rate", "--data", data)
	message := parse[struct {
		Value float64
		Calls int64
		Title string
	}](t, <-told)
	if message.Value != rate || message.Calls != want.Calls || !strings.Contains(message.Title, words+" of 3 calls") {
		t.Errorf("alert: %+v", message)
	}
}
