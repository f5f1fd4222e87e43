package umpire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
)

// Errors as tools make them.

type namedError struct{ name string }

func (e *namedError) Error() string        { return "refused: " + e.name }
func (e *namedError) MCPErrorType() string { return e.name }

type judgedError struct{ outcome string }

func (e *judgedError) Error() string      { return "judged" }
func (e *judgedError) MCPOutcome() string { return e.outcome }

type hostileError struct{}

func (*hostileError) Error() string        { panic("Error") }
func (*hostileError) MCPErrorType() string { panic("MCPErrorType") }
func (*hostileError) MCPOutcome() string   { panic("MCPOutcome") }
func (*hostileError) Unwrap() error        { panic("Unwrap") }
func (*hostileError) StatusCode() int      { panic("StatusCode") }

type statusError struct{ code int }

func (e *statusError) Error() string   { return http.StatusText(e.code) }
func (e *statusError) StatusCode() int { return e.code }

type fieldError struct{ Code int }

func (e fieldError) Error() string { return "field" }

type responseError struct{ Response *http.Response }

func (e *responseError) Error() string { return "response" }

type genericError[T any] []T

func (e genericError[T]) Error() string { return "generic" }

type cyclicError struct{}

func (e *cyclicError) Error() string { return "cyclic" }
func (e *cyclicError) Unwrap() error { return e }

func runtimeError() (err error) {
	defer func() { err = recover().(runtime.Error) }()
	var list []int
	return fmt.Errorf("%d", list[len(os.Args)])
}

const objectSchema = `{"type":"object","properties":{"n":{"type":"integer"},"status":{"enum":["open","paid"]}},"required":["n"]}`

type judgeTest struct {
	name string
	in   Observation
	want Call
}

func (tt judgeTest) run(t *testing.T) {
	t.Helper()
	t.Run(tt.name, func(t *testing.T) {
		got := tt.in.Judge()
		if got.Outcome != tt.want.Outcome || got.Cause != tt.want.Cause {
			t.Errorf("judged %s/%s, want %s/%s", got.Outcome, got.Cause, tt.want.Outcome, tt.want.Cause)
		}
		if got.ErrorType != tt.want.ErrorType || got.ErrorStatus != tt.want.ErrorStatus {
			t.Errorf("error_type %q status %d, want %q %d", got.ErrorType, got.ErrorStatus, tt.want.ErrorType, tt.want.ErrorStatus)
		}
		if tt.want.HandlerRan != "" && got.HandlerRan != tt.want.HandlerRan {
			t.Errorf("handler_ran %q, want %q", got.HandlerRan, tt.want.HandlerRan)
		}
		if tt.want.Evidence != "" && got.Evidence != tt.want.Evidence {
			t.Errorf("evidence %q, want %q", got.Evidence, tt.want.Evidence)
		}
		if tt.want.ErrorMessage != "" && got.ErrorMessage != tt.want.ErrorMessage {
			t.Errorf("error_message %q, want %q", got.ErrorMessage, tt.want.ErrorMessage)
		}
		if got.Outcome.Failed() && len(got.Fingerprint) != 16 {
			t.Errorf("fingerprint %q", got.Fingerprint)
		}
		if got.Outcome.Failed() && (got.Empty || got.EmptyRule != "" || len(got.Suspects) > 0) {
			t.Errorf("a failure is empty %v or marked %v", got.Empty, got.Suspects)
		}
	})
}

func shown(err error) Observation {
	return Observation{Tool: "t", Observed: true, Ran: "yes", IsError: true, Err: err, Shown: true, Texts: []string{errorText(err)}}
}

func failed(err error) Observation {
	return Observation{Tool: "t", Observed: true, Ran: "yes", Err: err}
}

func rpc(code int64, message string) Observation {
	return Observation{Tool: "t", RPC: &RPCError{code, message}}
}

// outcomes.md 2.5 and 5.1: a Go error that the observer saw.
func TestJudgeGoErrors(t *testing.T) {
	reverse := func(o Observation, hook func(error) Outcome, returned Outcome) Observation {
		o.ClassifyError, o.ReturnedErrors = hook, returned
		return o
	}
	always := func(out Outcome) func(error) Outcome { return func(error) Outcome { return out } }
	bug := runtimeError()
	for _, tt := range []judgeTest{
		{"2.5 shown", shown(errors.New("no")), Call{Outcome: ToolError, Cause: "returned", ErrorType: "error", HandlerRan: "yes", Evidence: "observed", ErrorMessage: "no"}},
		{"2.5 not shown", failed(errors.New("no")), Call{Outcome: Crashed, Cause: "returned", ErrorType: "error", Evidence: "observed"}},
		{"2.5 MCPOutcome first", reverse(shown(&judgedError{"crashed"}), always(ToolError), ToolError), Call{Outcome: Crashed, Cause: "returned", ErrorType: "umpire.judgedError"}},
		{"2.5 MCPOutcome bad_args", shown(&judgedError{"bad_args"}), Call{Outcome: BadArgs, Cause: "invalid_params", ErrorType: "umpire.judgedError"}},
		{"2.1 MCPOutcome ok is no say", shown(&judgedError{"ok"}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.judgedError"}},
		{"2.1 ClassifyError ok is no say", reverse(shown(errors.New("x")), always(OK), ""), Call{Outcome: ToolError, Cause: "returned", ErrorType: "error"}},
		{"2.1 ReturnedErrors ok is no say", reverse(shown(errors.New("x")), nil, OK), Call{Outcome: ToolError, Cause: "returned", ErrorType: "error"}},
		{"2.5 ClassifyError before bugs", reverse(shown(bug), always(ToolError), ""), Call{Outcome: ToolError, Cause: "returned", ErrorType: "runtime.boundsError"}},
		{"2.5 bugs before names", shown(errors.Join(&namedError{"quota"}, bug)), Call{Outcome: Crashed, Cause: "returned", ErrorType: "quota"}},
		{"2.3 recovered runtime error", shown(fmt.Errorf("internal: %w", bug)), Call{Outcome: Crashed, Cause: "returned", ErrorType: "runtime.boundsError"}},
		{"2.5 cannot be marshalled", shown(&json.UnsupportedValueError{Str: "NaN"}), Call{Outcome: Crashed, Cause: "returned", ErrorType: "json.UnsupportedValueError"}},
		{"2.5 name before ReturnedErrors", reverse(failed(fmt.Errorf("x: %w", &namedError{"quota"})), nil, Crashed), Call{Outcome: ToolError, Cause: "returned", ErrorType: "quota"}},
		{"2.5 ReturnedErrors flips", reverse(shown(errors.New("x")), nil, Crashed), Call{Outcome: Crashed, Cause: "returned", ErrorType: "error"}},
		{"5.1 type on the chain", shown(fmt.Errorf("a: %w", fmt.Errorf("b: %w", &url.Error{Op: "Get", URL: "x", Err: errors.New("y")}))), Call{Outcome: ToolError, Cause: "returned", ErrorType: "url.Error"}},
		{"5.1 status by method", shown(fmt.Errorf("a: %w", &statusError{404})), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.statusError:404", ErrorStatus: 404}},
		{"5.1 status by field", shown(fieldError{429}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.fieldError:429", ErrorStatus: 429}},
		{"5.1 a code that is no status", shown(fieldError{7}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.fieldError"}},
		{"5.1 status by response", shown(&responseError{&http.Response{StatusCode: 502}}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.responseError:502", ErrorStatus: 502}},
		{"5.1 nil response", shown(&responseError{}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.responseError"}},
		{"5.1 name before status", shown(errors.Join(&namedError{"quota"}, &statusError{429})), Call{Outcome: ToolError, Cause: "returned", ErrorType: "quota", ErrorStatus: 429}},
		{"5.2 status in a name", shown(&namedError{"KernelApiError404"}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404}},
		{"5.2 a longer number", shown(&namedError{"Build1404"}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "Build1404"}},
		{"5.1 timeout", shown(fmt.Errorf("x: %w", context.DeadlineExceeded)), Call{Outcome: ToolError, Cause: "returned", ErrorType: "timeout"}},
		{"5.1 net timeout", shown(&url.Error{Op: "Get", Err: os.ErrDeadlineExceeded}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "timeout"}},
		{"5.1 canceled", shown(context.Canceled), Call{Outcome: ToolError, Cause: "returned", ErrorType: "context.Canceled"}},
		{"5.1 sentinel", shown(fmt.Errorf("x: %w", fs.ErrNotExist)), Call{Outcome: ToolError, Cause: "returned", ErrorType: "fs.ErrNotExist"}},
		{"5.1 type before sentinel", shown(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "fs.PathError"}},
		{"5.1 sql", shown(errors.New("sql: no rows in result set")), Call{Outcome: ToolError, Cause: "returned", ErrorType: "sql.ErrNoRows"}},
		{"5.1 no text in a name", shown(&namedError{"user max@example.com — not found!"}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "user__EMAIL_REDACTED____not_found_"}},
		{"5.1 generic", shown(genericError[map[string]int]{}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.genericError"}},
		{"cyclic chain", shown(&cyclicError{}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.cyclicError"}},
		{"hostile methods", shown(&hostileError{}), Call{Outcome: ToolError, Cause: "returned", ErrorType: "umpire.hostileError"}},
		{"hostile hook", reverse(shown(errors.New("x")), func(error) Outcome { panic("hook") }, ""), Call{Outcome: ToolError, Cause: "returned", ErrorType: "error"}},
		{"2.3 output", failed(errors.New("validating tool output: rows: minItems")), Call{Outcome: Crashed, Cause: "output_schema", Evidence: "signature"}},
		{"2.3 output not marshalled", failed(errors.New("marshaling output: json: unsupported type: chan int")), Call{Outcome: Crashed, Cause: "output_schema", Evidence: "signature"}},
		{"2.4 input unavailable", failed(errors.New("multi-round-trip: client does not support elicitation")), Call{Outcome: ToolError, Cause: "input_unavailable", ErrorType: "input_unavailable"}},
		{"2.4 input unavailable, mcp-go", failed(errors.New("multi round-trip: fulfilling input request \"who\": session does not support elicitation")), Call{Outcome: ToolError, Cause: "input_unavailable", ErrorType: "input_unavailable"}},
	} {
		tt.run(t)
	}
}

// errors.As of the standard library follows a cyclic Unwrap for ever.
func TestChainIsBounded(t *testing.T) {
	if n := len(unwrapped(&cyclicError{})); n != maxChain {
		t.Errorf("a cyclic chain was followed %d times, want %d", n, maxChain)
	}
}

// outcomes.md 2.6: JSON-RPC errors by their code.
func TestJudgeRPC(t *testing.T) {
	withSchema := func(o Observation, args string) Observation {
		o.Schema, o.Arguments = []byte(objectSchema), []byte(args)
		return o
	}
	with := func(o Observation, err error) Observation {
		o.Err, o.Observed = err, true
		return o
	}
	listed := func(o Observation, names ...string) Observation {
		o.Listed = names
		return o
	}
	for _, tt := range []judgeTest{
		{"2.5 a name before the code", with(rpc(-32603, "no"), fmt.Errorf("no: %w", &namedError{"quota"})), Call{Outcome: ToolError, Cause: "returned", ErrorType: "quota"}},
		{"2.5 MCPOutcome before the code", with(rpc(-32602, "no"), &judgedError{"crashed"}), Call{Outcome: Crashed, Cause: "returned", ErrorType: "umpire.judgedError"}},
		{"2.6 the code of an error that says nothing", with(rpc(-32602, "no"), errors.New("no")), Call{Outcome: BadArgs, Cause: "invalid_params"}},
		{"-32602", rpc(-32602, "bad"), Call{Outcome: BadArgs, Cause: "invalid_params", HandlerRan: "unknown", Evidence: "structure"}},
		{"-32602 unknown tool", rpc(-32602, `unknown tool "t"`), Call{Outcome: BadArgs, Cause: "unknown_tool", HandlerRan: "no"}},
		{"-32602 listed, so disabled", listed(rpc(-32602, "Tool t not found"), "t"), Call{Outcome: BadArgs, Cause: "disabled_tool", HandlerRan: "no"}},
		{"-32602 another tool's name", rpc(-32602, `unknown tool "other"`), Call{Outcome: BadArgs, Cause: "invalid_params"}},
		{"-32602 by the older Go SDK", withSchema(rpc(-32602, `invalid params: validating "arguments": x`), `{}`), Call{Outcome: BadArgs, Cause: "schema", ErrorType: "schema:required", Evidence: "schema", HandlerRan: "no"}},
		{"-32602 that breaks the schema", withSchema(rpc(-32602, "n is missing"), `{}`), Call{Outcome: BadArgs, Cause: "schema", ErrorType: "schema:required", Evidence: "schema"}},
		{"-32602 output", rpc(-32602, "Output validation error: x"), Call{Outcome: Crashed, Cause: "output_schema"}},
		{"-32600", rpc(-32600, "x"), Call{Outcome: BadArgs, Cause: "invalid_params"}},
		{"-32700", rpc(-32700, "x"), Call{Outcome: BadArgs, Cause: "invalid_params"}},
		{"timed out", rpc(-32001, "Request timed out"), Call{Outcome: Crashed, Cause: "timeout"}},
		{"-32001", rpc(-32001, "Invalid API key"), Call{Outcome: ToolError, Cause: "refused", ErrorType: "jsonrpc:-32001"}},
		{"-32000", rpc(-32000, "x"), Call{Outcome: ToolError, Cause: "refused", ErrorType: "jsonrpc:-32000"}},
		{"-32099", rpc(-32099, "x"), Call{Outcome: ToolError, Cause: "refused", ErrorType: "jsonrpc:-32099"}},
		{"-32100", rpc(-32100, "x"), Call{Outcome: Crashed, Cause: "protocol", ErrorType: "jsonrpc:-32100"}},
		{"positive", rpc(404, "x"), Call{Outcome: ToolError, Cause: "refused", ErrorType: "jsonrpc:404", ErrorStatus: 404}},
		{"-32603", rpc(-32603, "x"), Call{Outcome: Crashed, Cause: "protocol", ErrorType: "jsonrpc:-32603"}},
		{"-32601", rpc(-32601, "x"), Call{Outcome: Crashed, Cause: "protocol", ErrorType: "jsonrpc:-32601"}},
		{"0", rpc(0, "x"), Call{Outcome: Crashed, Cause: "protocol", ErrorType: "jsonrpc:0"}},
		{"-32601 unknown tool, in an SDK's words", rpc(-32601, "Unknown tool: t"), Call{Outcome: BadArgs, Cause: "unknown_tool", HandlerRan: "no", Evidence: "signature"}},
		{"-32603 unknown tool, in an SDK's words", rpc(-32603, "MCP error -32603: Unknown tool: t"), Call{Outcome: BadArgs, Cause: "unknown_tool", HandlerRan: "no"}},
		{"-32602 unknown tool, Ruby", rpc(-32602, "Tool not found: t"), Call{Outcome: BadArgs, Cause: "unknown_tool", HandlerRan: "no"}},
		{"2.4 input unavailable, from the wire", withSchema(rpc(0, "multi-round-trip: client does not support elicitation"), `{}`), Call{Outcome: ToolError, Cause: "input_unavailable", ErrorType: "input_unavailable"}},
		{"2.3 no usable result", rpc(-32602, "MCP error -32602: Invalid tools/call result: [ {"), Call{Outcome: Crashed, Cause: "output_schema"}},
		{"2.3 no result, mcp-go", withSchema(rpc(-32603, "tool 't' handler returned no result"), `{}`), Call{Outcome: Crashed, Cause: "no_result"}},
		{"2.2 decode, Rust", withSchema(rpc(-32602, "failed to deserialize parameters: invalid type"), `{"n":"5"}`), Call{Outcome: BadArgs, Cause: "decode", HandlerRan: "no"}},
		{"2.2 the schema before protocol", withSchema(rpc(-32603, "x"), `{"n":"many"}`), Call{Outcome: BadArgs, Cause: "schema_in_tool", ErrorType: "schema:type", Evidence: "schema"}},
		{"2.2 the schema before refused", withSchema(rpc(-32001, "x"), `{}`), Call{Outcome: BadArgs, Cause: "schema_in_tool", ErrorType: "schema:required"}},
		{"2.2 yields to output_schema", withSchema(rpc(-32603, "Output validation error"), `{}`), Call{Outcome: Crashed, Cause: "output_schema"}},
	} {
		tt.run(t)
	}
}

// outcomes.md 2.1 to 2.4: results with isError.
func TestJudgeResults(t *testing.T) {
	result := func(text, schema, args string) Observation {
		return Observation{Tool: "t", IsError: true, Texts: []string{text}, Schema: []byte(schema), Arguments: []byte(args)}
	}
	ran := func(o Observation) Observation {
		o.Observed, o.Ran = true, "yes"
		return o
	}
	goRefusal := shown(errors.New(`validating "arguments": validating root: required: missing properties: ["n"]`))
	goRefusal.Ran, goRefusal.Schema, goRefusal.Arguments = "no", []byte(objectSchema), []byte(`{}`)
	goRefusalArray := goRefusal
	goRefusalArray.Arguments = []byte(`[1]`)
	decode := shown(&json.UnmarshalTypeError{Field: "n", Value: "number 1e30"})
	decode.Ran, decode.Schema, decode.Arguments = "no", []byte(objectSchema), []byte(`{"n":1e30}`)
	foreign := shown(&json.UnmarshalTypeError{Field: "elsewhere"})
	foreign.Arguments = []byte(`{"n":1}`)
	named := result("x", "", "")
	named.Schema, named.NamedType = nil, "quota"
	generic := named
	generic.NamedType = "Error"
	for _, tt := range []judgeTest{
		{"2.4 by hand", result("upstream unavailable", "", ""), Call{Outcome: ToolError, Cause: "result", Evidence: "structure", HandlerRan: "unknown", ErrorMessage: "upstream unavailable"}},
		{"5.1 named by hand", named, Call{Outcome: ToolError, Cause: "result", ErrorType: "quota"}},
		{"5.1 a generic Error is no name", generic, Call{Outcome: ToolError, Cause: "result"}},
		{"2.2 the Go SDK's refusal", goRefusal, Call{Outcome: BadArgs, Cause: "schema", ErrorType: "schema:required", HandlerRan: "no", Evidence: "schema"}},
		{"2.2 arguments that are no object", goRefusalArray, Call{Outcome: BadArgs, Cause: "schema", ErrorType: "schema:not_an_object", HandlerRan: "no"}},
		{"2.2 decode", decode, Call{Outcome: BadArgs, Cause: "decode", ErrorType: "json.UnmarshalTypeError", HandlerRan: "no"}},
		{"2.2 a document of the handler's own", foreign, Call{Outcome: ToolError, Cause: "returned", ErrorType: "json.UnmarshalTypeError"}},
		{"2.2 strong violation", ran(result("n is required", objectSchema, `{}`)), Call{Outcome: BadArgs, Cause: "schema_in_tool", ErrorType: "schema:required", HandlerRan: "yes", Evidence: "schema"}},
		{"2.2 weak violation, not named", result("upstream unavailable", objectSchema, `{"n":"5"}`), Call{Outcome: ToolError, Cause: "result"}},
		{"2.2 weak violation, named", result(`"n" must be a number`, objectSchema, `{"n":"5"}`), Call{Outcome: BadArgs, Cause: "schema_in_tool", ErrorType: "schema:type"}},
		{"2.2 weak violation under an SDK's signature", result("Input validation error", objectSchema, `{"n":"5"}`), Call{Outcome: BadArgs, Cause: "schema", ErrorType: "schema:type"}},
		{"signature, TypeScript", result("MCP error -32602: Input validation error: Invalid arguments for tool t", "", ""), Call{Outcome: BadArgs, Cause: "schema", Evidence: "signature", HandlerRan: "no"}},
		{"signature, fastmcp", result("1 validation error for call[t]\nn\n  Field required", "", ""), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no"}},
		{"signature, Python", result("Error executing tool t: 2 validation errors for tArguments\nn", "", ""), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no"}},
		{"signature, older fastmcp", result("Error calling tool 't': 1 validation error for call[t]", "", ""), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no"}},
		{"signature, fastmcp in TypeScript", result("Tool 't' parameter validation failed: n: Required", "", ""), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no"}},
		{"signature, Python output", result("Error executing tool t: 1 validation error for tOutput\nresult", "", ""), Call{Outcome: Crashed, Cause: "output_schema"}},
		{"signature, a gateway's envelope around a server's", result("MCP error -32602: MCP error -32602: Tool t not found", "", ""), Call{Outcome: BadArgs, Cause: "unknown_tool", HandlerRan: "no"}},
		{"signature, unknown to jlowin fastmcp", result("Tool 't' not found", "", ""), Call{Outcome: BadArgs, Cause: "unknown_tool", HandlerRan: "no"}},
		{"a longer name is another tool", result("Unknown tool: t_docs", "", ""), Call{Outcome: ToolError, Cause: "result"}},
		{"signature, disabled", result("MCP error -32602: Tool t disabled", "", ""), Call{Outcome: BadArgs, Cause: "disabled_tool", HandlerRan: "no"}},
		{"signature, Java", result("Tool (t) input validation failed: n", "", ""), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no"}},
		{"signature, Java output", result("Tool (t) output validation failed: n", "", ""), Call{Outcome: Crashed, Cause: "output_schema"}},
		{"signature, TypeScript 1.20", result("MCP error -32602: Invalid arguments for tool t: [", "", ""), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no"}},
		{"signature, mcp-go", result("input schema validation failed: n", "", ""), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no"}},
		{"signature, mcp-go output", result("output schema validation failed: n", "", ""), Call{Outcome: Crashed, Cause: "output_schema"}},
		{"signature, mcp-go binding", result("failed to bind arguments: n", "", ""), Call{Outcome: BadArgs, Cause: "decode", HandlerRan: "no"}},
		{"signature, unknown", result("Unknown tool: t", "", ""), Call{Outcome: BadArgs, Cause: "unknown_tool", HandlerRan: "no", Evidence: "signature"}},
		{"signature, output", result("Output validation error: x", "", ""), Call{Outcome: Crashed, Cause: "output_schema", Evidence: "signature"}},
		{"observed beats a signature", ran(result("Unknown tool: t", "", "")), Call{Outcome: ToolError, Cause: "result", Evidence: "observed"}},
		{"prose never decides", result("the arguments are invalid, 1 validation error", "", ""), Call{Outcome: ToolError, Cause: "result"}},
		{"2.3 nothing came back", Observation{Tool: "t", NoResult: true, Observed: true, Ran: "yes"}, Call{Outcome: Crashed, Cause: "no_result", Evidence: "observed"}},
		{"1.3 process exit", Observation{Tool: "t", Silent: "process_exit"}, Call{Outcome: Crashed, Cause: "process_exit", Evidence: "structure"}},
	} {
		if tt.in.Schema != nil && len(tt.in.Schema) == 0 {
			tt.in.Schema = nil
		}
		tt.run(t)
	}
}

// outcomes.md 2.3: a panic is crashed whatever the arguments, and is named
// without its text.
func TestJudgePanic(t *testing.T) {
	var nilMap map[string]int
	caught := func(do func()) (v any) {
		defer func() { v = recover() }()
		do()
		return nil
	}
	var box any = "text"
	for _, tt := range []struct {
		name, want string
		value      any
	}{
		{"nil pointer", "panic:nil_pointer", caught(func() { var o *Observation; _ = o.Tool })},
		{"nil map", "panic:nil_map", caught(func() { nilMap["a"] = 1 })},
		{"index", "panic:index_out_of_range", runtimeError()},
		{"assertion", "panic:type_assertion", caught(func() { _ = box.(int) })},
		{"text", "panic:string", "user max@example.com"},
		{"error", "panic:umpire.namedError", &namedError{"quota"}},
		{"goexit", "panic:goexit", nil},
		{"hostile", "panic:umpire.hostileError", &hostileError{}},
	} {
		judgeTest{tt.name, Observation{
			Tool: "t", Observed: true, Ran: "yes", Panicked: true, PanicValue: tt.value,
			Schema: []byte(objectSchema), Arguments: []byte(`{}`),
		}, Call{Outcome: Crashed, Cause: "panic", ErrorType: tt.want, HandlerRan: "yes", Evidence: "observed"}}.run(t)
	}
}

// Redaction holds on every path (outcomes.md 5.3).
func TestMessagesAreRedacted(t *testing.T) {
	const secret = "max@example.com"
	for name, o := range map[string]Observation{
		"result text":    {IsError: true, Texts: []string{"no account for " + secret}},
		"returned error": shown(errors.New("no account for " + secret)),
		"rpc error":      rpc(-32603, "no account for "+secret),
		"panic text":     {Panicked: true, PanicValue: "no account for " + secret},
		"panic error":    {Panicked: true, PanicValue: errors.New("no account for " + secret)},
		"at the cut":     {IsError: true, Texts: []string{strings.Repeat("x", maxMessage-20) + " " + secret}},
	} {
		got := o.Judge()
		if strings.Contains(got.ErrorMessage, "max@") || strings.Contains(got.ErrorMessage, "example.com") {
			t.Errorf("%s: %q", name, got.ErrorMessage)
		}
		if name != "at the cut" && got.ErrorMessage != "no account for [EMAIL_REDACTED]" {
			t.Errorf("%s: message %q", name, got.ErrorMessage)
		}
		if n := len([]rune(got.ErrorMessage)); n > maxMessage {
			t.Errorf("%s: a message of %d characters", name, n)
		}
	}
}

// outcomes.md 5.6: the same bug has the same fingerprint, another bug another.
func TestFingerprint(t *testing.T) {
	print := func(text string) string {
		o := Observation{Tool: "t", IsError: true, Texts: []string{text}}
		return o.Judge().Fingerprint
	}
	for _, same := range [][2]string{
		{"order 12 not found", "order 4711 not found"},
		{"no user 8f14e45f-ceea-467f-a0e6-1b2c3d4e5f60", "no user 00000000-1111-4222-8333-444455556666"},
		{`no book "Emma" here`, `no book "Persuasion" here`},
		{"no book 'Emma' here", "no book 'The Idiot' here"},
		{"failed at 2026-03-31T10:00:00Z", "failed at 2025-01-02T23:59:59Z"},
		{"dial tcp 10.0.0.1:80: connection refused", "dial tcp 192.168.7.9:8080: connection refused"},
		{"HTTP 404 for ORD-40012", "HTTP 404 for ORD-40013"},
	} {
		if print(same[0]) != print(same[1]) {
			t.Errorf("%q and %q are one bug", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{"order not found", "customer not found"},
		{"can't read", "can't write"},
		{"timeout", "refused"},
	} {
		if print(other[0]) == print(other[1]) {
			t.Errorf("%q and %q are two bugs", other[0], other[1])
		}
	}
	a := Observation{Tool: "t", Schema: []byte(objectSchema), Arguments: []byte(`{"n":1,"status":"x"}`), IsError: true, Texts: []string{"status: x is wrong"}}
	b := a
	b.Arguments, b.Texts = []byte(`{"n":1,"status":"y"}`), []string{"status: y is wrong"}
	if got, other := a.Judge(), b.Judge(); got.Cause != "schema_in_tool" || got.Fingerprint != other.Fingerprint {
		t.Errorf("one refused argument has two fingerprints: %+v %+v", got, other)
	}
}

// An event judged elsewhere: wire.md, "an unknown or missing outcome".
func TestRejudge(t *testing.T) {
	for _, tt := range []struct {
		name           string
		in             Call
		output         string
		outcome        Outcome
		cause          string
		empty, noPrint bool
	}{
		{name: "known stays", in: Call{Outcome: ToolError, Cause: "brand_new"}, outcome: ToolError, cause: "brand_new"},
		{name: "empty only on ok", in: Call{Outcome: Crashed, Cause: "panic", Empty: true}, outcome: Crashed, cause: "panic"},
		{name: "by cause", in: Call{Outcome: "exploded", Cause: "no_reply"}, outcome: Crashed, cause: "no_reply"},
		{name: "by code", in: Call{ErrorType: "jsonrpc:-32602"}, outcome: BadArgs, cause: "invalid_params"},
		{name: "by message", in: Call{ErrorMessage: "MCP error -32602: Tool t not found", Tool: "t"}, outcome: BadArgs, cause: "unknown_tool"},
		{name: "by output", output: `{"content":[{"type":"text","text":"no"}],"isError":true}`, outcome: ToolError, cause: "result"},
		{name: "a thrown status is a refusal", in: Call{Cause: "thrown", ErrorType: "KernelApiError404"}, outcome: ToolError, cause: "returned"},
		{name: "a thrown timeout is a refusal", in: Call{Cause: "thrown", ErrorType: "APIConnectionTimeoutError"}, outcome: ToolError, cause: "returned"},
		{name: "thrown", in: Call{Cause: "thrown", ErrorType: "TypeError"}, outcome: Crashed, cause: "thrown"},
		{name: "output with other keys", output: `{"content":[],"data":[1]}`, outcome: OK, noPrint: true},
		{name: "empty output", output: `{"content":[]}`, outcome: OK, empty: true, noPrint: true},
		{name: "future cause keeps its name", in: Call{Cause: "quota", ErrorMessage: "x"}, outcome: ToolError, cause: "quota"},
		{name: "nothing to judge from", in: Call{Tool: "t"}, outcome: "", noPrint: true},
	} {
		e := Event{Kind: "call", Call: tt.in, Output: json.RawMessage(tt.output)}
		e.Rejudge()
		if e.Outcome != tt.outcome || e.Cause != tt.cause || e.Empty != tt.empty {
			t.Errorf("%s: got %q %q empty %v", tt.name, e.Outcome, e.Cause, e.Empty)
		}
		if (e.Fingerprint == "") != tt.noPrint {
			t.Errorf("%s: fingerprint %q", tt.name, e.Fingerprint)
		}
	}
}
