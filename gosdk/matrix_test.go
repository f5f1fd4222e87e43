package gosdk_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// in is the argument of the typed tools of the matrix.
type in struct {
	N string `json:"n"`
}

// notFound is an error that names itself.
type notFound struct{}

func (notFound) Error() string        { return "no such kernel" }
func (notFound) MCPErrorType() string { return "KernelApiError404" }

// typed adds a tool with a typed handler, whose arguments the SDK checks.
func typed[Out any](s *mcp.Server, name string, h func() (*mcp.CallToolResult, Out, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, Out, error) { return h() })
}

// untyped adds a tool with a raw handler, which gets what the client sent.
func untyped(s *mcp.Server, name string, h func() (*mcp.CallToolResult, error)) {
	s.AddTool(&mcp.Tool{Name: name, InputSchema: raw(`{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return h() })
}

func noMap() map[string]int { return nil }

func fails(err error) func() (*mcp.CallToolResult, any, error) {
	return func() (*mcp.CallToolResult, any, error) { return nil, nil, err }
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// addMatrix adds a tool for each way in which a call can end and the process
// lives on.
func addMatrix(s *mcp.Server) {
	typed(s, "ok", func() (*mcp.CallToolResult, any, error) { return text("fine"), nil, nil })
	typed(s, "empty", func() (*mcp.CallToolResult, any, error) { return nil, nil, nil })
	typed(s, "structured", func() (*mcp.CallToolResult, map[string]int, error) { return nil, map[string]int{"sum": 3}, nil })
	typed(s, "plain_error", fails(errors.New("it rained on max@example.com")))
	typed(s, "wrapped_error", fails(fmt.Errorf("cannot ask: %w", &url.Error{Op: "Get", URL: "http://x", Err: errors.New("refused")})))
	typed(s, "named_error", fails(fmt.Errorf("cannot boot: %w", notFound{})))
	typed(s, "sentinel", fails(fmt.Errorf("cannot find: %w", sql.ErrNoRows)))
	typed(s, "deadline", fails(context.DeadlineExceeded))
	typed(s, "runtime_error", func() (_ *mcp.CallToolResult, _ any, err error) {
		defer func() { err = fmt.Errorf("recovered: %w", recover().(error)) }()
		noMap()["x"] = 1
		return nil, nil, nil
	})
	typed(s, "own_unmarshal", func() (*mcp.CallToolResult, any, error) {
		var doc struct {
			Count int `json:"count"`
		}
		return nil, nil, json.Unmarshal([]byte(`{"count":"many"}`), &doc)
	})
	typed(s, "rpc_internal", fails(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "went wrong"}))
	typed(s, "rpc_disabled", fails(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "tool is disabled"}))
	typed(s, "rpc_own_code", fails(&jsonrpc.Error{Code: -32050, Message: "over quota"}))
	typed(s, "rpc_timeout", fails(&jsonrpc.Error{Code: -32001, Message: "Request timed out"}))
	typed(s, "url_elicitation", func() (*mcp.CallToolResult, any, error) {
		return nil, nil, mcp.URLElicitationRequiredError([]*mcp.ElicitParams{{Mode: "url", URL: "https://x", Message: "sign in", ElicitationID: "1"}})
	})
	typed(s, "refused_before", fails(&jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "needs sampling"}))
	typed(s, "error_by_hand", func() (*mcp.CallToolResult, any, error) {
		r := text("quota of max@example.com is used up")
		r.IsError = true
		return r, nil, nil
	})
	typed(s, "named_by_hand", func() (*mcp.CallToolResult, any, error) {
		r := text("quota is used up")
		r.IsError, r.Meta = true, mcp.Meta{"umpire/errorType": "Quota"}
		return r, nil, nil
	})
	typed(s, "set_error", func() (*mcp.CallToolResult, any, error) {
		r := text("please try again later")
		r.SetError(fmt.Errorf("cannot ask: %w", notFound{}))
		return r, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "bad_output", OutputSchema: raw(`{"type":"object","properties":{"sum":{"type":"string"}},"required":["sum"]}`)},
		func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, map[string]int, error) {
			return nil, map[string]int{"sum": 3}, nil
		})
	typed(s, "unmarshalable", func() (*mcp.CallToolResult, map[string]float64, error) {
		return nil, map[string]float64{"x": math.NaN()}, nil
	})
	// Loose schemas, which let pass what the handler's type cannot hold.
	mcp.AddTool(s, &mcp.Tool{Name: "decode", InputSchema: raw(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest, struct {
			N int8 `json:"n"`
		},
		) (*mcp.CallToolResult, any, error) {
			return text("fine"), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "decode_time", InputSchema: raw(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest, struct {
			At time.Time `json:"at"`
		},
		) (*mcp.CallToolResult, any, error) {
			return text("fine"), nil, nil
		})
	typed(s, "asks", func() (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Message: "who?", RequestedSchema: raw(`{"type":"object"}`)}}}, nil, nil
	})
	untyped(s, "raw_ok", func() (*mcp.CallToolResult, error) { return text("fine"), nil })
	untyped(s, "raw_error", func() (*mcp.CallToolResult, error) { return nil, fmt.Errorf("cannot ask: %w", fs.ErrNotExist) })
	untyped(s, "raw_named_rpc", func() (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("%w: %w", notFound{}, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "went wrong"})
	})
	untyped(s, "raw_named", func() (*mcp.CallToolResult, error) { return nil, notFound{} })
	untyped(s, "raw_says_no", func() (*mcp.CallToolResult, error) {
		r := text("n is required")
		r.IsError = true
		return r, nil
	})
	untyped(s, "raw_structured", func() (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"items": []int{}}}, nil
	})
}

// want is what an event must say. The zero value of a field must be matched.
type want struct {
	kind                    string
	outcome                 umpire.Outcome
	empty                   bool
	cause, errType          string
	ran, evidence, badParam string
	message                 string
}

type matrixCase struct {
	name, tool, args string
	only             string // a protocol; both if empty
	want             want
}

func matrix() []matrixCase {
	const good = `{"n":"x"}`
	// The SDK refused the arguments, and so does our own check of them.
	refused := func(badParam, errType, message string) want {
		return want{"call", umpire.BadArgs, false, "schema", errType, "no", "schema", badParam, message}
	}
	undecodable := func(badParam, message string) want {
		return want{"call", umpire.BadArgs, false, "decode", "json.UnmarshalTypeError", "no", "observed", badParam, message}
	}
	says := func(o umpire.Outcome, cause, errType, ran, evidence, message string) want {
		return want{"call", o, false, cause, errType, ran, evidence, "", message}
	}
	fine := want{kind: "call", outcome: umpire.OK, ran: "yes", evidence: "observed"}
	hollow := want{kind: "call", outcome: umpire.OK, empty: true, ran: "yes", evidence: "observed"}
	return []matrixCase{
		{"ok", "ok", good, "", fine},
		{"nothing said", "empty", good, "", hollow},
		{"structured", "structured", good, "", fine},
		{"missing argument", "ok", `{}`, "", refused("/n required", "schema:required", `validating "arguments": validating root: required: missing properties: ["n"]`)},
		{"no arguments", "ok", ``, "", refused("/n required", "schema:required", `validating "arguments": validating root: required: missing properties: ["n"]`)},
		{"wrong type", "ok", `{"n":5}`, "", refused("/n type", "schema:type", `validating "arguments": validating root: validating /properties/n: type: 5 has type "integer", want "string"`)},
		{"extra property", "ok", `{"n":"x","m":1}`, "", refused("/m unknown_property", "schema:unknown_property", `validating "arguments": validating root: unexpected additional properties ["m"]`)},
		{"arguments that are a list", "ok", `["x"]`, "", refused(" type", "schema:not_an_object", `validating "arguments": unmarshaling arguments: json: cannot unmarshal "[\"x\"]" into Go value of type map[string]interface {}`)},
		{"does not fit the Go type", "decode", `{"n":"many"}`, "", undecodable("/n type", `json: cannot unmarshal "\"many\"}" into Go struct field struct { N int8 "json:\"n\"" }.n of type int8`)},
		{"overflows the Go type", "decode", `{"n":300}`, "", undecodable("/n type", "")},
		{"not a time", "decode_time", `{"at":"tomorrow"}`, "", undecodable("/at type", "")},
		{"the handler's own decoding", "own_unmarshal", good, "", says(umpire.ToolError, "returned", "json.UnmarshalTypeError", "yes", "observed", "json: cannot unmarshal string into Go struct field .count of type int")},
		{"errors.New", "plain_error", good, "", says(umpire.ToolError, "returned", "error", "yes", "observed", "it rained on [EMAIL_REDACTED]")},
		{"wrapped error", "wrapped_error", good, "", says(umpire.ToolError, "returned", "url.Error", "yes", "observed", `cannot ask: Get "http://x": refused`)},
		{"named error", "named_error", good, "", says(umpire.ToolError, "returned", "KernelApiError404", "yes", "observed", "cannot boot: no such kernel")},
		{"sentinel", "sentinel", good, "", says(umpire.ToolError, "returned", "sql.ErrNoRows", "yes", "observed", "cannot find: sql: no rows in result set")},
		{"deadline", "deadline", good, "", says(umpire.ToolError, "returned", "timeout", "yes", "observed", "context deadline exceeded")},
		{"runtime error", "runtime_error", good, "", says(umpire.Crashed, "returned", "runtime.plainError", "yes", "observed", "recovered: assignment to entry in nil map")},
		{"JSON-RPC internal error", "rpc_internal", good, "", says(umpire.Crashed, "protocol", "jsonrpc:-32603", "unknown", "observed", "went wrong")},
		{"JSON-RPC invalid params", "rpc_disabled", good, "", says(umpire.BadArgs, "invalid_params", "", "unknown", "observed", "tool is disabled")},
		{"JSON-RPC own code", "rpc_own_code", good, "", says(umpire.ToolError, "refused", "jsonrpc:-32050", "unknown", "observed", "over quota")},
		{"JSON-RPC timed out", "rpc_timeout", good, "", says(umpire.Crashed, "timeout", "", "unknown", "signature", "Request timed out")},
		{"URL elicitation", "url_elicitation", good, "", want{kind: "round"}},
		{"isError by hand", "error_by_hand", good, "", says(umpire.ToolError, "result", "", "yes", "observed", "quota of [EMAIL_REDACTED] is used up")},
		{"isError by hand, named", "named_by_hand", good, "", says(umpire.ToolError, "result", "Quota", "yes", "observed", "quota is used up")},
		{"a friendly text over a named error", "set_error", good, "", says(umpire.ToolError, "returned", "KernelApiError404", "yes", "observed", "please try again later")},
		{"output breaks its schema", "bad_output", good, "", says(umpire.Crashed, "output_schema", "", "yes", "signature", "")},
		{"output cannot be marshalled", "unmarshalable", good, "", says(umpire.Crashed, "output_schema", "", "yes", "signature", "")},
		{"unknown tool", "okk", good, "", says(umpire.BadArgs, "unknown_tool", "", "no", "structure", `unknown tool "okk"`)},
		{"asks for input", "asks", good, modern, want{kind: "round"}},
		{"asks a client that cannot answer", "asks", good, legacy, says(umpire.ToolError, "input_unavailable", "input_unavailable", "yes", "signature", "")},
		{"raw ok", "raw_ok", good, "", fine},
		{"raw returned error", "raw_error", good, "", says(umpire.Crashed, "returned", "fs.ErrNotExist", "yes", "observed", "cannot ask: file does not exist")},
		{"raw named error with a code", "raw_named_rpc", good, "", says(umpire.ToolError, "returned", "KernelApiError404", "unknown", "observed", "no such kernel: went wrong")},
		{"raw named error", "raw_named", good, "", says(umpire.ToolError, "returned", "KernelApiError404", "yes", "observed", "no such kernel")},
		{"raw handler refuses", "raw_says_no", `{}`, "", want{"call", umpire.BadArgs, false, "schema_in_tool", "schema:required", "yes", "schema", "/n required", "n is required"}},
		{"raw handler says no", "raw_says_no", good, "", says(umpire.ToolError, "result", "", "yes", "observed", "n is required")},
		{"raw structured", "raw_structured", good, "", hollow},
	}
}

// TestMatrix calls every case over every route, with real clients.
func TestMatrix(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			server := newServer()
			gosdk.Watch(server, client)
			addMatrix(server)
			cs := r.dial(t, server, nil)
			for _, tt := range matrix() {
				if tt.only != "" && tt.only != r.protocol {
					continue
				}
				t.Run(tt.name, func(t *testing.T) {
					before := len(collected.all(notCatalog...))
					params := &mcp.CallToolParams{Name: tt.tool}
					if tt.args != "" {
						params.Arguments = raw(tt.args)
					}
					_, _ = cs.CallTool(t.Context(), params) // what the client gets is TestWire's subject
					events := collected.wait(t, client, before+1, notCatalog...)
					check(t, events[before], tt.tool, tt.want)
					checkIdentity(t, events[before], r)
				})
			}
		})
	}
}

func check(t *testing.T, e umpire.Event, tool string, w want) {
	t.Helper()
	badParam := ""
	for _, p := range e.BadParams {
		badParam += p.Path + " " + p.Rule
	}
	got := want{e.Kind, e.Outcome, e.Empty, e.Cause, e.ErrorType, e.HandlerRan, e.Evidence, badParam, e.ErrorMessage}
	if w.message == "" {
		got.message = ""
	}
	if got != w {
		t.Errorf("\n got %+v\nwant %+v\nevent %s", got, w, brief([]umpire.Event{e}))
	}
	if e.Tool != tool {
		t.Errorf("tool = %q, want %q", e.Tool, tool)
	}
	if e.DurationUS == nil {
		t.Error("an answered call has no duration")
	}
}

func checkIdentity(t *testing.T, e umpire.Event, r route) {
	t.Helper()
	wantClient := umpire.Peer{Name: "tester", Version: "1.2"}
	if r.transport == "http" && !r.session && r.protocol == legacy {
		wantClient = umpire.Peer{} // told in the handshake alone, which was another session
	}
	switch {
	case e.Client != wantClient:
		t.Errorf("client = %+v, want %+v", e.Client, wantClient)
	case e.Server != umpire.Peer{Name: "bench", Version: "0.9"}:
		t.Errorf("server = %+v", e.Server)
	case e.Protocol != r.protocol:
		t.Errorf("protocol = %q, want %q", e.Protocol, r.protocol)
	case e.Transport != r.transport:
		t.Errorf("transport = %q, want %q", e.Transport, r.transport)
	case (e.Session != "") != r.session:
		t.Errorf("session = %q, want one: %v", e.Session, r.session)
	case e.SeenBy != "sdk":
		t.Errorf("seen_by = %q", e.SeenBy)
	}
}
