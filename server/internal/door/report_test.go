package door

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReport(t *testing.T) {
	type verdict struct {
		Outcome         umpire.Outcome
		Empty           bool
		Cause, Evidence string
		ErrorType       string
		ErrorStatus     int
	}
	failed := func(message string) Report { return Report{Tool: "find", Failed: true, Message: message} }
	with := func(r Report, change func(*Report)) Report { change(&r); return r }
	result := func(s string) Report { return Report{Tool: "find", Result: json.RawMessage(s)} }
	for _, c := range []struct {
		name string
		in   Report
		want verdict
	}{
		{"ok and nothing else", Report{Tool: "find"}, verdict{Outcome: umpire.OK, Evidence: "reported"}},
		{"ok and empty by the sender's word", Report{Tool: "find", Empty: true}, verdict{Outcome: umpire.OK, Empty: true, Evidence: "reported"}},
		{"ok with a result", result(`{"content":[{"type":"text","text":"fine"}]}`), verdict{Outcome: umpire.OK, Evidence: "structure"}},
		{"ok with an empty result", result(`{"content":[]}`), verdict{Outcome: umpire.OK, Empty: true, Evidence: "structure"}},
		{"success, says the sender, of an error result", result(`{"content":[{"type":"text","text":"no"}],"isError":true}`), verdict{Outcome: umpire.ToolError, Cause: "result", Evidence: "structure"}},
		{"failed", failed("no such offer"), verdict{Outcome: umpire.ToolError, Cause: "result", Evidence: "reported"}},
		{"failed without a word", failed(""), verdict{Outcome: umpire.ToolError, Cause: "result", Evidence: "reported"}},
		{"thrown", with(failed("no such offer"), func(r *Report) { r.Thrown, r.Name = true, "Error" }), verdict{Outcome: umpire.Crashed, Cause: "thrown", Evidence: "reported"}},
		{"thrown under a name", with(failed("boom"), func(r *Report) { r.Thrown, r.Name = true, "RangeError" }), verdict{Outcome: umpire.Crashed, Cause: "thrown", Evidence: "reported", ErrorType: "RangeError"}},
		{
			"thrown under a name with a status", with(failed("404"), func(r *Report) { r.Thrown, r.Name = true, "KernelApiError404" }),
			verdict{Outcome: umpire.ToolError, Cause: "returned", Evidence: "reported", ErrorType: "KernelApiError404", ErrorStatus: 404},
		},
		{
			"thrown with the SDK's own text", with(failed("MCP error -32602: Tool find not found"), func(r *Report) { r.Thrown, r.Name = true, "McpError" }),
			verdict{Outcome: umpire.BadArgs, Cause: "unknown_tool", Evidence: "signature"},
		},
		{"refused by the schema", failed("MCP error -32602: Input validation error: Invalid arguments for tool find: []"), verdict{Outcome: umpire.BadArgs, Cause: "schema", Evidence: "signature"}},
		{"refused by the schema, says the sender", with(failed(""), func(r *Report) { r.Cause = "schema" }), verdict{Outcome: umpire.BadArgs, Cause: "schema", Evidence: "reported"}},
		{"a JSON-RPC error", Report{Tool: "find", RPCCode: -32001, Message: "no"}, verdict{Outcome: umpire.ToolError, Cause: "refused", Evidence: "structure", ErrorType: "jsonrpc:-32001"}},
		{"failed, with a result that is none", with(result(`{"content":[]}`), func(r *Report) { r.Failed, r.Message = true, "no" }), verdict{Outcome: umpire.ToolError, Cause: "result", Evidence: "reported"}},
		{"a result that is no object", with(result(`[1]`), func(r *Report) {}), verdict{Outcome: umpire.OK, Evidence: "reported"}},
	} {
		got := c.in.Judge()
		if d := cmp.Diff(c.want, verdict{got.Outcome, got.Empty, got.Cause, got.Evidence, got.ErrorType, got.ErrorStatus}); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if got.Tool != "find" || got.Outcome.Failed() != (got.Fingerprint != "") {
			t.Errorf("%s: tool %q, fingerprint %q", c.name, got.Tool, got.Fingerprint)
		}
	}
}

func TestID(t *testing.T) {
	const own = "01a22ce7-0000-7000-8000-000000000001"
	if got := ID("posthog", 1, own); got.String() != own {
		t.Errorf("a UUID became %v", got)
	}
	if a, b := ID("agentcat", 1, "evt_1"), ID("agentcat", 1, "evt_1"); a != b || a[6]>>4 != 5 {
		t.Errorf("%v and %v, want the same of version 5", a, b)
	}
	seen := map[umpire.ID]bool{}
	for _, id := range []umpire.ID{
		ID("agentcat", 1, "evt_1"), ID("agentcat", 2, "evt_1"), ID("mcpcat", 1, "evt_1"), ID("agentcat", 1, "evt_2"),
		ContentID("agentcat", 1, []byte("evt_1")), ID("agentcat", 1, "01a22ce7-0000-8000-8000-000000000001"),
	} {
		if seen[id] || id[6]>>4 == 8 {
			t.Errorf("%v is there twice, or of version 8", id)
		}
		seen[id] = true
	}
}
