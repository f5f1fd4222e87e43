package mcpgo_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

func discard() *log.Logger { return log.New(io.Discard, "", 0) }

// in is the argument of the typed tools of the matrix.
type in struct {
	N string `json:"n"`
}

// notFound is an error that names itself.
type notFound struct{}

func (notFound) Error() string        { return "no such kernel" }
func (notFound) MCPErrorType() string { return "KernelApiError404" }

const needsN = `{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}`

// add adds a tool with a plain handler and the schema of the matrix.
func add(s *server.MCPServer, name string, h func() (*mcp.CallToolResult, error)) {
	addFor(s, name, needsN, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return h() })
}

func addFor(s *server.MCPServer, name, schema string, h server.ToolHandlerFunc) {
	s.AddTool(mcp.NewToolWithRawSchema(name, "", json.RawMessage(schema)), h)
}

func fails(err error) func() (*mcp.CallToolResult, error) {
	return func() (*mcp.CallToolResult, error) { return nil, err }
}

// gives answers with a copy of r each time: mcp-go writes into what it is given.
func gives(r *mcp.CallToolResult) func() (*mcp.CallToolResult, error) {
	return func() (*mcp.CallToolResult, error) {
		if r == nil {
			return nil, nil
		}
		own := *r
		return &own, nil
	}
}

func noMap() map[string]int { return nil }

// explode is looked for in the stack trace of a dying process.
func explode() (*mcp.CallToolResult, error) {
	noMap()["x"] = 1
	return nil, nil
}

// addMatrix adds a tool for each way in which a call can end, panics apart.
func addMatrix(s *server.MCPServer) {
	add(s, "ok", gives(mcp.NewToolResultText("fine")))
	add(s, "hidden", gives(mcp.NewToolResultText("fine")))
	add(s, "empty", gives(&mcp.CallToolResult{Content: []mcp.Content{}}))
	add(s, "pointer", gives(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Type: "text", Text: "[]"}}}))
	add(s, "structured", gives(&mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"items": []int{}}}))
	add(s, "image", gives(mcp.NewToolResultImage("", "aGVsbG8=", "image/png")))
	addFor(s, "requires", needsN, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		n, err := r.RequireString("n")
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(n), nil
	})
	typed := mcp.NewTypedToolHandler(func(context.Context, mcp.CallToolRequest, in) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("fine"), nil
	})
	addFor(s, "typed", needsN, typed)
	addFor(s, "loose", `{"type":"object"}`, typed)
	addFor(s, "structured_typed", needsN, mcp.NewStructuredToolHandler(func(context.Context, mcp.CallToolRequest, in) (map[string]int, error) {
		return map[string]int{"sum": 3}, nil
	}))
	addFor(s, "structured_error", needsN, mcp.NewStructuredToolHandler(func(context.Context, mcp.CallToolRequest, in) (map[string]int, error) {
		return nil, fmt.Errorf("cannot boot: %w", notFound{})
	}))
	add(s, "plain_error", fails(errors.New("it rained on max@example.com")))
	add(s, "wrapped_error", fails(fmt.Errorf("cannot ask: %w", &url.Error{Op: "Get", URL: "http://x", Err: errors.New("refused")})))
	add(s, "named_error", fails(fmt.Errorf("cannot boot: %w", notFound{})))
	add(s, "sentinel", fails(fmt.Errorf("cannot find: %w", sql.ErrNoRows)))
	add(s, "deadline", fails(context.DeadlineExceeded))
	add(s, "own_canceled", fails(fmt.Errorf("upstream: %w", context.Canceled)))
	add(s, "looks_unknown", fails(errors.New("tool 'looks_unknown' not found: tool not found")))
	add(s, "runtime_error", func() (_ *mcp.CallToolResult, err error) {
		defer func() { err = fmt.Errorf("recovered: %w", recover().(error)) }()
		return explode()
	})
	add(s, "nothing", gives(nil))
	add(s, "error_by_hand", gives(mcp.NewToolResultError("quota of max@example.com is used up")))
	named := mcp.NewToolResultError("quota is used up")
	named.Meta = mcp.NewMetaFromMap(map[string]any{"umpire/errorType": "Quota"})
	add(s, "named_by_hand", gives(named))
	add(s, "url_elicitation", fails(mcp.URLElicitationRequiredError{Elicitations: []mcp.ElicitationParams{{Mode: "url", ElicitationID: "1", URL: "https://x", Message: "sign in"}}}))
	add(s, "asks", gives(server.NewInputRequestBuilder("state").Elicit("who", mcp.ElicitationParams{Message: "who?"}).ToolResult()))
	bad := mcp.NewToolWithRawSchema("bad_output", "", json.RawMessage(needsN))
	bad.RawOutputSchema = json.RawMessage(`{"type":"object","properties":{"sum":{"type":"string"}},"required":["sum"]}`)
	s.AddTool(bad, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("3")}, StructuredContent: map[string]int{"sum": 3}}, nil
	})
	add(s, "unsendable", gives(&mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"x": math.NaN()}}))
	s.AddTaskTool(mcp.NewTool("task_only", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context, mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		return &mcp.CreateTaskResult{}, nil
	})
}

// strict are the options of the second column of the matrix.
func strict() []server.ServerOption {
	return []server.ServerOption{
		server.WithInputSchemaValidation(), server.WithOutputSchemaValidation(), server.WithRecovery(),
		server.WithToolFilter(func(_ context.Context, tools []mcp.Tool) []mcp.Tool {
			return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return t.Name == "hidden" })
		}),
	}
}

func newServer(opts ...server.ServerOption) *server.MCPServer {
	return server.NewMCPServer("bench", "0.9", append([]server.ServerOption{server.WithTaskCapabilities(true, true, true)}, opts...)...)
}

// want is what an event must say. The zero value of a field must be matched.
type want struct {
	kind                    string
	outcome                 umpire.Outcome
	empty                   bool
	cause, errType          string
	ran, evidence, badParam string
	message                 string // not looked at if empty
}

type matrixCase struct {
	name, tool, args string
	only             string // a protocol; both if empty
	want             want
	strict           *want // with validation, recovery and a filter, where that differs
}

func matrix() []matrixCase {
	const good = `{"n":"x"}`
	says := func(o umpire.Outcome, cause, errType, ran, evidence, message string) want {
		return want{"call", o, false, cause, errType, ran, evidence, "", message}
	}
	inTool := func(badParam, errType, message string) want {
		return want{"call", umpire.BadArgs, false, "schema_in_tool", errType, "yes", "schema", badParam, message}
	}
	refused := func(badParam, errType string) *want {
		return &want{"call", umpire.BadArgs, false, "schema", errType, "no", "schema", badParam, ""}
	}
	instead := func(w want) *want { return &w }
	fine := want{kind: "call", outcome: umpire.OK, ran: "yes", evidence: "observed"}
	hollow := want{kind: "call", outcome: umpire.OK, empty: true, ran: "yes", evidence: "observed"}
	mismatch := fine
	mismatch.badParam = "/n required"
	return []matrixCase{
		{"ok", "ok", good, "", fine, nil},
		{"nothing said", "empty", good, "", hollow, nil},
		{"a text by its pointer", "pointer", good, "", hollow, nil},
		{"structured", "structured", good, "", hollow, nil},
		{"image", "image", good, "", fine, nil},
		{"structured handler", "structured_typed", good, "", fine, nil},
		{"missing argument", "requires", `{}`, "", inTool("/n required", "schema:required", `required argument "n" not found`), refused("/n required", "schema:required")},
		{"no arguments", "requires", ``, "", inTool("/n required", "schema:required", `required argument "n" not found`), refused("/n required", "schema:required")},
		{"wrong type", "requires", `{"n":[5]}`, "", inTool("/n type", "schema:type", `argument "n" is not a string`), refused("/n type", "schema:type")},
		{"arguments that are a list", "requires", `["x"]`, "", inTool(" type", "schema:not_an_object", ""), refused(" type", "schema:not_an_object")},
		{"ok without a required argument", "ok", `{}`, "", mismatch, refused("/n required", "schema:required")},
		{"typed: missing argument", "typed", `{}`, "", mismatch, refused("/n required", "schema:required")},
		{
			"typed: does not bind", "typed", `{"n":[5]}`, "",
			want{"call", umpire.BadArgs, false, "decode", "", "no", "signature", "/n type", "failed to bind arguments: json: cannot unmarshal array into Go struct field in.n of type string"},
			refused("/n type", "schema:type"),
		},
		{"typed: does not bind, and the schema lets it pass", "loose", `{"n":5}`, "", says(umpire.BadArgs, "decode", "", "no", "signature", "failed to bind arguments: json: cannot unmarshal number into Go struct field in.n of type string"), nil},
		{"structured: does not bind", "structured_typed", `{"n":{}}`, "", want{"call", umpire.BadArgs, false, "decode", "", "no", "signature", "/n type", ""}, refused("/n type", "schema:type")},
		{"errors.New", "plain_error", good, "", says(umpire.Crashed, "returned", "error", "yes", "observed", "it rained on [EMAIL_REDACTED]"), nil},
		{"wrapped error", "wrapped_error", good, "", says(umpire.Crashed, "returned", "url.Error", "yes", "observed", `cannot ask: Get "http://x": refused`), nil},
		{"named error", "named_error", good, "", says(umpire.ToolError, "returned", "KernelApiError404", "yes", "observed", "cannot boot: no such kernel"), nil},
		{"sentinel", "sentinel", good, "", says(umpire.Crashed, "returned", "sql.ErrNoRows", "yes", "observed", "cannot find: sql: no rows in result set"), nil},
		{"deadline", "deadline", good, "", says(umpire.Crashed, "returned", "timeout", "yes", "observed", "context deadline exceeded"), nil},
		{"cancelled by itself", "own_canceled", good, "", says(umpire.Crashed, "returned", "context.Canceled", "yes", "observed", "upstream: context canceled"), nil},
		{"an error that looks like the SDK's", "looks_unknown", good, "", says(umpire.Crashed, "returned", "error", "yes", "observed", "tool 'looks_unknown' not found: tool not found"), nil},
		{"runtime error", "runtime_error", good, "", says(umpire.Crashed, "returned", "runtime.plainError", "yes", "observed", "recovered: assignment to entry in nil map"), nil},
		{"structured handler's error", "structured_error", good, "", says(umpire.ToolError, "returned", "error", "yes", "observed", "tool execution failed: cannot boot: no such kernel"), nil},
		{"neither result nor error", "nothing", good, "", says(umpire.Crashed, "no_result", "", "yes", "observed", ""), nil},
		{"isError by hand", "error_by_hand", good, "", says(umpire.ToolError, "result", "", "yes", "observed", "quota of [EMAIL_REDACTED] is used up"), nil},
		{"isError by hand, named", "named_by_hand", good, "", says(umpire.ToolError, "result", "Quota", "yes", "observed", "quota is used up"), nil},
		{"output breaks its schema", "bad_output", good, "", fine, instead(says(umpire.Crashed, "output_schema", "", "yes", "signature", ""))},
		{"output cannot be marshalled", "unsendable", good, "", says(umpire.Crashed, "output_schema", "", "yes", "signature", "marshaling output: json: unsupported value: NaN"), nil},
		{"unknown tool", "okk", good, "", says(umpire.BadArgs, "unknown_tool", "", "no", "structure", "tool 'okk' not found: tool not found"), nil},
		{"hidden tool", "hidden", good, "", fine, instead(says(umpire.BadArgs, "disabled_tool", "", "no", "signature", "tool 'hidden' not found: tool not found"))},
		{"task tool without a task", "task_only", `{}`, "", says(umpire.Crashed, "protocol", "jsonrpc:-32601", "no", "observed", "tool 'task_only' requires task augmentation"), nil},
		{"URL elicitation", "url_elicitation", good, legacy, want{kind: "round"}, nil},
		{"URL elicitation where it is no more", "url_elicitation", good, modern, says(umpire.Crashed, "returned", "mcp.URLElicitationRequiredError", "yes", "observed", ""), nil},
		{"asks for input", "asks", good, modern, want{kind: "round"}, nil},
	}
}

// TestMatrix calls every case over every route, with default options and with
// strict ones.
func TestMatrix(t *testing.T) {
	for _, r := range routes() {
		for name, opts := range map[string][]server.ServerOption{"default": nil, "strict": strict()} {
			t.Run(r.name+"/"+name, func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t)
				s := newServer(opts...)
				mcpgo.Watch(s, client)
				addMatrix(s)
				c := r.dial(t, s)
				n := 0
				for i, tt := range matrix() {
					if tt.only != "" && tt.only != r.protocol {
						continue
					}
					w := tt.want
					if tt.strict != nil && opts != nil {
						w = *tt.strict
					}
					n++
					t.Run(tt.name, func(t *testing.T) {
						// What the client gets is TestWire's subject.
						if line := r.call(strconv.Itoa(i), tt.tool, tt.args); tt.tool == "unsendable" {
							c.tell(line) // over a stream nobody ever hears of what cannot be sent
						} else {
							c.ask(line)
						}
						e := collected.wait(t, client, n, notCatalog...)[n-1]
						check(t, e, tt.tool, w)
						checkIdentity(t, e, r)
					})
				}
			})
		}
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
	if mismatch := slices.Contains(e.Suspects, "args_mismatch"); mismatch != (w.outcome == umpire.OK && w.badParam != "") {
		t.Errorf("suspects %v", e.Suspects)
	}
}

func checkIdentity(t *testing.T, e umpire.Event, r route) {
	t.Helper()
	wantClient := umpire.Peer{}
	if r.client {
		wantClient = umpire.Peer{Name: "tester", Version: "1.2"}
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

// TestMalformed: parameters that mcp-go cannot read never reach BeforeCallTool.
func TestMalformed(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			mcpgo.Watch(s, client)
			addMatrix(s)
			c := r.dial(t, s)
			if r.protocol == legacy && !r.session {
				r.protocol = "" // mcp-go takes the headers along only when it can read the rest
			}
			for i, tt := range []struct{ params, tool string }{
				{`"name":"ok","arguments":{},"task":"soon"`, "ok"},
				{`"name":5,"arguments":{"n":"x"}`, ""},
			} {
				if tt.tool == "" && r.protocol == modern && r.transport == "http" {
					continue // its headers are checked before, and refuse it
				}
				if answer := c.ask(r.request(strconv.Itoa(i), "tools/call", tt.params)); !strings.Contains(answer, "-32600") {
					t.Fatalf("answer %s", answer)
				}
				e := collected.wait(t, client, i+1, notCatalog...)[i]
				check(t, e, tt.tool, want{kind: "call", outcome: umpire.BadArgs, cause: "invalid_params", ran: "no", evidence: "observed"})
				checkIdentity(t, e, r)
			}
		})
	}
}

// TestNoTools: a server that never had a tool refuses every call.
func TestNoTools(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := server.NewMCPServer("bench", "0.9")
	mcpgo.Watch(s, client)
	r := routes()[0]
	r.dial(t, s).ask(r.call("1", "ok", `{}`))
	e := collected.wait(t, client, 1, notCatalog...)[0]
	if e.Outcome != umpire.Crashed || e.Cause != "protocol" || e.ErrorType != "jsonrpc:-32601" || e.HandlerRan != "no" {
		t.Errorf("event %s", brief([]umpire.Event{e}))
	}
}
