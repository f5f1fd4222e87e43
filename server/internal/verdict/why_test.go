package verdict

import (
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
)

// Every cause has a reason and a rule that docs/outcomes.md has, too.
func TestWhy(t *testing.T) {
	failing := func(outcome umpire.Outcome, cause, evidence string) *umpire.Event {
		return &umpire.Event{Kind: "call", Call: umpire.Call{Outcome: outcome, Cause: cause, Evidence: evidence}}
	}
	empty := &umpire.Event{Kind: "call", Call: umpire.Call{Outcome: umpire.OK, Empty: true, EmptyRule: "structured:empty_list", Evidence: "structure"}}
	marked := &umpire.Event{Kind: "call", Call: umpire.Call{Outcome: umpire.OK, Suspects: []string{"error_text"}, Evidence: "structure"}}
	outside := failing(umpire.ToolError, "result", "structure")
	outside.SeenBy = "proxy"
	broken := failing(umpire.BadArgs, "schema", "schema")
	broken.BadParams = []umpire.BadParam{{Path: "/n", Rule: "required", Near: "m"}}
	for _, tt := range []struct {
		e     *umpire.Event
		begin string
		has   string
	}{
		{empty, "3: ", "an empty list"},
		{marked, "2.8: ", "4 error_text: "},
		{failing(umpire.BadArgs, "schema", "signature"), "2.2: ", "the MCP SDK itself"},
		{broken, "2.2: ", "refused: /n (required, close to m)"},
		{failing(umpire.BadArgs, "invalid_params", "structure"), "2.6: ", ""},
		{failing(umpire.BadArgs, "unknown_tool", "signature"), "2.2: ", ""},
		{failing(umpire.ToolError, "returned", "observed"), "2.5: ", "inside"},
		{failing(umpire.ToolError, "refused", "structure"), "2.6: ", ""},
		{outside, "2.4: ", "seen from outside"},
		{failing(umpire.Crashed, "panic", "observed"), "2.3: ", ""},
		{failing(umpire.Crashed, "thrown", "signature"), "2.3: ", ""},
		{failing(umpire.Crashed, "timeout", "structure"), "1.2: ", ""},
		{failing(umpire.Crashed, "process_exit", "structure"), "1.3: ", ""},
		{failing(umpire.Crashed, "protocol", "structure"), "2.6: ", ""},
		{failing(umpire.Crashed, "from_the_future", "structure"), "2.3: ", "from_the_future"},
		{failing(umpire.ToolError, "rule", "structure"), "4: ", "a person made a rule"},
		{failing("", "", ""), "2: ", "set aside"},
		{failing("future", "", ""), "2: ", "set aside"},
		{&umpire.Event{Kind: "resource"}, "1.1: ", "in no rate"},
		{&umpire.Event{Kind: "cancelled", Call: umpire.Call{Late: true}}, "1.2: ", "an answer came"},
		{&umpire.Event{Kind: "round"}, "1.2: ", "more input"},
		{&umpire.Event{Kind: "pending"}, "1.3: ", ""},
		{&umpire.Event{Kind: "refused"}, "1.2: ", ""},
	} {
		if got := Why(tt.e); !strings.HasPrefix(got, tt.begin) || !strings.Contains(got, tt.has) {
			t.Errorf("%s %s: %q", tt.e.Kind, tt.e.Cause, got)
		}
	}
}
