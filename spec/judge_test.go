package spec_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
)

// The closed list of outcomes.md 2.7.
var causes = map[umpire.Outcome][]string{
	umpire.OK:        {""},
	umpire.BadArgs:   {"schema", "decode", "invalid_params", "unknown_tool", "disabled_tool", "schema_in_tool"},
	umpire.ToolError: {"returned", "result", "refused", "input_unavailable", "rule"},
	umpire.Crashed:   {"panic", "returned", "thrown", "output_schema", "no_result", "protocol", "timeout", "process_exit", "no_reply"},
}

var texts = rapid.OneOf(
	rapid.String(),
	rapid.SampledFrom([]string{
		"", " ", "null", "[]", "{}", `{"items":[],"total":0}`, `{"success":false}`, `{"error":"x"}`, "Error: no", "fine",
		"Input validation error: n", "Unknown tool: search", `unknown tool "search"`, "Tool search not found", "Output validation error",
		`validating "arguments": x`, "Request timed out", "mail max@example.com", strings.Repeat("long ", 2000),
		"1 validation error for call[search]\nn", "MCP error -32602: Tool search disabled",
	}),
)

var documents = rapid.SampledFrom([][]byte{
	nil, []byte(`{}`), []byte(`{"n":5}`), []byte(`{"n":"5"}`), []byte(`{"n":"x","more":1}`), []byte(`[1]`), []byte(`null`), []byte(`{"n":`),
	[]byte(`{"total":0,"items":[]}`), []byte(`{"status":"error","message":"x"}`),
})

var schemas = rapid.SampledFrom([][]byte{
	nil, []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
	[]byte(`{"type":"object"}`), []byte(`true`), []byte(`{"$ref":"#"}`), []byte(`nonsense`),
})

// observations draws what an observer may have seen, in every combination.
func observations(t *rapid.T) umpire.Observation {
	o := umpire.Observation{
		Tool:      rapid.SampledFrom([]string{"search", "get", "", "serch"}).Draw(t, "tool"),
		Arguments: documents.Draw(t, "arguments"), Schema: schemas.Draw(t, "schema"),
		Ran: rapid.SampledFrom([]string{"", "yes", "no"}).Draw(t, "ran"), Observed: rapid.Bool().Draw(t, "observed"),
		IsError: rapid.Bool().Draw(t, "is error"), Texts: rapid.SliceOfN(texts, 0, 3).Draw(t, "texts"),
		Others: rapid.IntRange(0, 1).Draw(t, "others"), Structured: documents.Draw(t, "structured"),
		ExtraKeys: rapid.Bool().Draw(t, "extra keys"),
	}
	if rapid.Bool().Draw(t, "listed") {
		o.Listed = []string{"search", "get"}
	}
	switch rapid.IntRange(0, 7).Draw(t, "end") {
	case 0:
		o.Panicked, o.PanicValue = true, texts.Draw(t, "panic")
	case 1:
		o.Silent = rapid.SampledFrom([]string{"process_exit", "no_reply", "timeout"}).Draw(t, "silent")
	case 2:
		code := rapid.OneOf(rapid.Int64Range(-32800, -31900), rapid.Int64()).Draw(t, "code")
		o.RPC = &umpire.RPCError{Code: code, Message: texts.Draw(t, "message")}
	case 3:
		o.Err, o.Shown = errors.New(texts.Draw(t, "error")), rapid.Bool().Draw(t, "shown")
		o.IsError = o.Shown
	case 4:
		o.NoResult = rapid.Bool().Draw(t, "no result")
	}
	return o
}

// outcomes.md 7, the invariants that one judgement must hold.
func TestJudgeInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := observations(t)
		before := fmt.Sprintf("%+v", o)
		c := o.Judge()
		if again := o.Judge(); !reflect.DeepEqual(c, again) {
			t.Fatalf("judged twice, differently:\n%+v\n%+v", c, again)
		}
		if fmt.Sprintf("%+v", o) != before {
			t.Fatal("judging changed the observation")
		}
		if !slices.Contains(causes[c.Outcome], c.Cause) {
			t.Fatalf("outcome %q with cause %q", c.Outcome, c.Cause)
		}
		if c.Empty != (c.EmptyRule != "") || c.Empty && c.Outcome != umpire.OK {
			t.Fatalf("empty %v rule %q outcome %q", c.Empty, c.EmptyRule, c.Outcome)
		}
		if len(c.Suspects) > 0 && c.Outcome != umpire.OK {
			t.Fatalf("a failure is marked %v", c.Suspects)
		}
		if o.IsError && c.Outcome == umpire.OK {
			t.Fatal("isError was judged ok")
		}
		if all := umpire.Slices(); !slices.Contains(all[:], c.Slice()) {
			t.Fatalf("slice %q", c.Slice())
		}
		if utf8.RuneCountInString(c.ErrorMessage) > 500 || !utf8.ValidString(c.ErrorMessage) || strings.Contains(c.ErrorMessage, "max@example.com") {
			t.Fatalf("message %q", c.ErrorMessage)
		}
		if len(c.ErrorType) > 64 || strings.Trim(c.ErrorType, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-") != "" {
			t.Fatalf("error_type %q", c.ErrorType)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
	})
}

// What the SDK saw and what a proxy sees of the same bytes differ only where the
// SDK observed more (outcomes.md 7): the proxy never finds a failure ok, nor the
// reverse.
func TestObserversAgreeOnFailure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inside := observations(t)
		if inside.Panicked || inside.Silent != "" {
			t.Skip("nothing on the wire")
		}
		inside.Observed = true
		outside := inside
		outside.Observed, outside.Ran, outside.Err = false, "", nil
		if inside.Err != nil && !inside.Shown {
			outside.RPC = &umpire.RPCError{Message: inside.Err.Error()} // what the Go SDK writes
		}
		in, out := inside.Judge(), outside.Judge()
		if in.Outcome.Failed() != out.Outcome.Failed() || in.Empty != out.Empty {
			t.Fatalf("inside %s empty %v, outside %s empty %v", in.Outcome, in.Empty, out.Outcome, out.Empty)
		}
	})
}

// Go Slice() is "ok minus empty", and only that.
func TestSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := umpire.Call{
			Outcome: umpire.Outcome(rapid.SampledFrom([]string{"ok", "bad_args", "tool_error", "crashed", "", "new"}).Draw(t, "outcome")),
			Empty:   rapid.Bool().Draw(t, "empty"),
		}
		want := umpire.Slice(c.Outcome)
		switch {
		case !c.Outcome.Known():
			want = ""
		case c.Outcome == umpire.OK && c.Empty:
			want = "empty"
		}
		if got := c.Slice(); got != want {
			t.Fatalf("%+v has slice %q", c, got)
		}
	})
}
