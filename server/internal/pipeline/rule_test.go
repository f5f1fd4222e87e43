package pipeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
)

// judged is what a rule can change.
type judged struct {
	Outcome umpire.Outcome
	Cause   string
	Empty   bool
	Rule    any
}

func TestRules(t *testing.T) {
	made := time.Date(2026, time.May, 4, 12, 0, 0, 0, time.UTC)
	fromMark := Rule{ID: 3, Tool: "find", Mark: "structured_error", Since: made}
	fromCode := Rule{ID: 4, Server: "shop", Code: -32603, Since: made}
	marked := umpire.Call{Tool: "find", Outcome: umpire.OK, Empty: true, Suspects: []string{"all_failed", "structured_error"}}
	internal := umpire.Call{Tool: "find", Outcome: umpire.Crashed, Cause: "protocol", ErrorType: "jsonrpc:-32603"}
	with := func(c umpire.Call, change func(*umpire.Call)) umpire.Call { change(&c); return c }
	for _, c := range []struct {
		name   string
		kind   string
		call   umpire.Call
		server string
		at     time.Time
		want   judged
	}{
		{name: "marked", call: marked, want: judged{umpire.ToolError, "rule", false, int64(3)}},
		{name: "before the rule was made", call: marked, at: made.Add(-time.Second), want: judged{Outcome: umpire.OK, Empty: true}},
		{name: "another mark", call: with(marked, func(c *umpire.Call) { c.Suspects = []string{"all_failed"} }), want: judged{Outcome: umpire.OK, Empty: true}},
		{name: "another tool", call: with(marked, func(c *umpire.Call) { c.Tool = "buy" }), want: judged{Outcome: umpire.OK, Empty: true}},
		{name: "no call", kind: "cancelled", call: marked, want: judged{Outcome: umpire.OK, Empty: true}},
		{
			name: "a failure keeps its cause", call: with(marked, func(c *umpire.Call) { c.Outcome, c.Cause, c.Empty = umpire.Crashed, "panic", false }),
			want: judged{Outcome: umpire.Crashed, Cause: "panic"},
		},
		{name: "the code", call: internal, server: "shop", want: judged{umpire.ToolError, "refused", false, int64(4)}},
		{name: "the code of another server", call: internal, server: "other", want: judged{Outcome: umpire.Crashed, Cause: "protocol"}},
		{
			name: "a panic that went out under the code", call: with(internal, func(c *umpire.Call) { c.Cause = "panic" }), server: "shop",
			want: judged{Outcome: umpire.Crashed, Cause: "panic"},
		},
		{
			name: "another code", call: with(internal, func(c *umpire.Call) { c.ErrorType = "jsonrpc:-32601" }), server: "shop",
			want: judged{Outcome: umpire.Crashed, Cause: "protocol"},
		},
	} {
		e := umpire.Event{Kind: "call", StartedAt: made, Server: umpire.Peer{Name: c.server}, Call: c.call}
		if c.kind != "" {
			e.Kind = c.kind
		}
		if !c.at.IsZero() {
			e.StartedAt = c.at
		}
		judge(&e, []Rule{fromMark, fromCode})
		if d := cmp.Diff(c.want, judged{e.Outcome, e.Cause, e.Empty, e.Meta[MarkRule]}); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if e.Outcome == umpire.ToolError && e.Fingerprint == "" {
			t.Errorf("%s: the failure has no fingerprint", c.name)
		}
	}
}

func TestRulesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		rule Rule
		ok   bool
	}{
		{"from a mark", Rule{Tool: "find", Mark: "error_text"}, true},
		{"from a code", Rule{Code: -32603}, true},
		{"nothing", Rule{Tool: "find"}, false},
		{"both", Rule{Tool: "find", Mark: "error_text", Code: -32603}, false},
		{"a mark without a tool", Rule{Mark: "error_text"}, false},
		{"no mark", Rule{Tool: "find", Mark: "slow"}, false},
		{"a code that means bad arguments", Rule{Code: -32602}, false},
	} {
		if err := c.rule.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestRulesAreAsked: a submitted event is held to the rules of its own project.
func TestRulesAreAsked(t *testing.T) {
	r := newRig(t, Options{Rules: func(project uint32) []Rule {
		if project != 1 {
			return nil
		}
		return []Rule{{ID: 1, Tool: "find", Mark: "error_text"}}
	}})
	for project := range uint32(2) {
		item := call("find")
		item.Event.Suspects = []string{"error_text"}
		r.submit(project+1, item)
	}
	r.sync()
	if a, b := r.mem.entries[0].Event, r.mem.entries[1].Event; a.Outcome != umpire.ToolError || b.Outcome != umpire.OK {
		t.Errorf("project 1: %s, project 2: %s; want tool_error, ok", a.Outcome, b.Outcome)
	}
}
