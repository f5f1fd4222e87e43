package otlp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/door/span"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

func open(t testing.TB, opts door.Options) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, opts, pipeline.Options{Retention: -1})
	h, mux := New(r.Front), http.NewServeMux()
	for _, path := range Paths {
		mux.Handle(path, h)
	}
	r.Serve(mux)
	return r
}

// verdict is what the rules say of a call.
type verdict struct {
	Tool        string
	Outcome     umpire.Outcome
	Empty       bool
	Cause       string
	ErrorType   string
	ErrorStatus int
	Evidence    string
}

func verdicts(events []umpire.Event) (calls []verdict) {
	for _, e := range events {
		if e.Kind == "call" {
			calls = append(calls, verdict{e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType, e.ErrorStatus, e.Evidence})
		}
	}
	return calls
}

const reported = "reported"

// ok is all that these senders say of a call that did not fail: not that it was
// empty, and not that the client had gone.
func ok(tool string) verdict { return verdict{Tool: tool, Outcome: umpire.OK, Evidence: reported} }

// samples are the recorded senders, and what outcomes.md makes of what they can show
// of the eleven calls.
var samples = []struct {
	folder, sender string
	want           []verdict
}{
	{"shinzo/stdio-tool", "shinzo", []verdict{
		ok("ok_tool"), ok("empty_list"), ok("empty_content"),
		ok("refuse"), // it looks at exceptions only
		{Tool: "boom", Outcome: umpire.Crashed, Cause: "thrown", Evidence: reported},
		{Tool: "named_error", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404, Evidence: reported},
		ok("strict"), ok("slow"), ok("slow"), // and sees neither refused arguments nor unknown tools
	}},
	{"opentel-mcp/stdio", "opentel-mcp", []verdict{
		ok("ok_tool"), ok("empty_list"), ok("empty_content"),
		{Tool: "refuse", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		{Tool: "boom", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}, // tool_error is all that it says
		{Tool: "named_error", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		ok("strict"),
		{Tool: "strict", Outcome: umpire.BadArgs, Cause: "schema", Evidence: reported},
		{Tool: "no_such_tool", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		ok("slow"), ok("slow"),
	}},
	{"mcp-go-otel/stdio", "mcp-go", []verdict{
		ok("ok_tool"), ok("empty_list"), ok("empty_content"),
		{Tool: "refuse", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		{Tool: "boom", Outcome: umpire.Crashed, Cause: "returned", Evidence: reported}, // a JSON-RPC error to the client
		{Tool: "named_error", Outcome: umpire.Crashed, Cause: "returned", Evidence: reported},
		ok("strict"),
		{Tool: "strict", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}, // by the tool's own check
		{Tool: "no_such_tool", Outcome: umpire.BadArgs, Cause: "unknown_tool", Evidence: "signature"},
		ok("slow"), ok("slow"),
	}},
}

func TestSamples(t *testing.T) {
	for _, c := range samples {
		t.Run(c.folder, func(t *testing.T) {
			r := open(t, door.Options{})
			for range 2 { // sent again, it changes nothing
				for _, s := range doortest.Samples(t, c.folder) {
					if status, text, _ := r.Post(s.Path(), bytes.NewReader(s.Bytes())); status != 200 {
						t.Fatalf("%s: %d %s", s.File, status, text)
					}
				}
			}
			events := r.Stored()
			if d := cmp.Diff(c.want, verdicts(events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			check(t, events)
			for _, e := range events {
				if e.Kind == "call" && e.SDK.Name != c.sender {
					t.Errorf("%s: sent by %q, want %q", e.Tool, e.SDK.Name, c.sender)
				}
			}
		})
	}
}

// check holds for every event of every sample.
func check(t *testing.T, events []umpire.Event) {
	t.Helper()
	for _, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "@example.com") {
			t.Errorf("%s %s: an e-mail address came through: %s", e.Kind, e.Tool, text)
		}
		if e.SeenBy != "otlp" || e.Server.Name != "wire-server" || len(e.TraceID) != 32 || len(e.SpanID) != 16 {
			t.Errorf("%s %s: seen by %q, server %q, trace %q, span %q", e.Kind, e.Tool, e.SeenBy, e.Server.Name, e.TraceID, e.SpanID)
		}
		if e.Kind == "call" && (e.DurationUS == nil || e.StartedAt.IsZero()) {
			t.Errorf("%s: duration %v, started at %v", e.Tool, e.DurationUS, e.StartedAt)
		}
	}
}

// spansOf are the spans of a recorded body, each in a body of its own.
func spansOf(t *testing.T, body []byte) [][]byte {
	t.Helper()
	var out [][]byte
	top := decode(t, body)
	for _, rs := range top["resourceSpans"].([]any) {
		rs := rs.(map[string]any)
		for _, ss := range rs["scopeSpans"].([]any) {
			ss := ss.(map[string]any)
			for _, s := range ss["spans"].([]any) {
				one, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
					"resource": rs["resource"], "scopeSpans": []any{map[string]any{"scope": ss["scope"], "spans": []any{s}}},
				}}})
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, one)
			}
		}
	}
	return out
}

func decode(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var top map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&top); err != nil {
		t.Fatal(err)
	}
	return top
}

// protobuf is a recorded body in OTLP's other form.
func protobuf(t testing.TB, body []byte) []byte {
	t.Helper()
	hexed := regexp.MustCompile(`"((?:parentS|s|t)(?:pan|race)Id)":\s*"([0-9a-f]+)"`).ReplaceAllFunc(body, func(m []byte) []byte {
		parts := bytes.Split(m, []byte(`"`))
		raw, err := hex.DecodeString(string(parts[3]))
		if err != nil {
			t.Fatal(err)
		}
		return []byte(`"` + string(parts[1]) + `":"` + base64.StdEncoding.EncodeToString(raw) + `"`)
	})
	var request coltracepb.ExportTraceServiceRequest
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(hexed, &request); err != nil {
		t.Fatal(err)
	}
	out, err := proto.Marshal(&request)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// However spans come, whole or one by one, in any order, in either form, the same is
// stored: which of two spans is the call is told by the span alone.
func TestAnyOrder(t *testing.T) {
	for _, c := range samples {
		want := map[verdict]int{}
		for _, v := range c.want {
			want[v]++
		}
		for seed := range uint64(3) {
			r := open(t, door.Options{})
			var bodies [][]byte
			for _, s := range doortest.Samples(t, c.folder) {
				if s.Path() == pathTraces {
					bodies = append(bodies, spansOf(t, s.Bytes())...)
					bodies = append(bodies, s.Bytes())
				}
			}
			for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(2 * len(bodies)) {
				body, media := bodies[i%len(bodies)], "application/json"
				if i >= len(bodies) {
					body, media = protobuf(t, body), "application/x-protobuf"
				}
				if status, text, _ := r.Post(pathTraces, bytes.NewReader(body), "Content-Type: "+media); status != 200 {
					t.Fatal(status, text)
				}
			}
			got := map[verdict]int{}
			for _, v := range verdicts(r.Stored()) {
				got[v]++
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.folder, d)
			}
		}
	}
}

// one is a body with one span, of the attributes given as JSON members of a map.
func one(kind int, name, status, attributes string, exceptions ...string) string {
	var list []string
	var members map[string]any
	if err := json.Unmarshal([]byte("{"+attributes+"}"), &members); err != nil {
		panic(err)
	}
	for key, v := range members {
		value := map[string]any{}
		switch v := v.(type) {
		case string:
			value["stringValue"] = v
		case bool:
			value["boolValue"] = v
		case float64:
			value["intValue"] = strconv.Itoa(int(v))
		}
		line, _ := json.Marshal(map[string]any{"key": key, "value": value})
		list = append(list, string(line))
	}
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"scope":{"name":"SCOPE"},"spans":[{
		"traceId":"5faa64790b67a302805745a9b0ac0a77","spanId":"b6db4c9bd5de6fe4","name":"` + name + `","kind":` + strconv.Itoa(kind) + `,
		"startTimeUnixNano":"1796052007009000000","endTimeUnixNano":1796052007019000000,"status":{` + status + `},
		"attributes":[` + strings.Join(list, ",") + `],"events":[` + strings.Join(exceptions, ",") + `]}]}]}]}`
}

func exceptionEvent(class, message, stack string) string {
	return `{"name":"exception","attributes":[{"key":"exception.type","value":{"stringValue":"` + class + `"}},{"key":"exception.message","value":{"stringValue":"` + message + `"}},{"key":"exception.stacktrace","value":{"stringValue":"` + stack + `"}}]}`
}

func TestSpans(t *testing.T) {
	const (
		call   = `"mcp.method.name":"tools/call","gen_ai.tool.name":"find"`
		failed = `"code":2`
	)
	none := verdict{}
	for _, c := range []struct {
		name, scope, body string
		want              verdict
	}{
		{"ok", "x", one(2, "tools/call find", "", call), ok("find")},
		{"ok, with its result", "x", one(2, "tools/call find", "", call+`,"gen_ai.tool.call.result":"{\"content\":[{\"type\":\"text\",\"text\":\"[]\"}]}"`), verdict{Tool: "find", Outcome: umpire.OK, Empty: true, Evidence: "structure"}},
		{"ok, says the sender of an error result", "x", one(2, "tools/call find", "", call+`,"gen_ai.tool.call.result":"{\"content\":[],\"isError\":true}"`), verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "result", Evidence: "structure"}},
		{"an error result", "x", one(2, "tools/call find", failed, call+`,"error.type":"tool_error"`), verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}},
		{"-32602, which the conventions call no error", "x", one(2, "tools/call find", "", call+`,"rpc.response.status_code":"-32602"`), verdict{Tool: "find", Outcome: umpire.BadArgs, Cause: "invalid_params", Evidence: "structure"}},
		{"-32603", "x", one(2, "tools/call find", failed, call+`,"error.type":"-32603"`), verdict{Tool: "find", Outcome: umpire.Crashed, Cause: "protocol", Evidence: "structure", ErrorType: "jsonrpc:-32603"}},
		{"a code of the server's own", "x", one(2, "tools/call find", failed, call+`,"rpc.response.status_code":"-32050","error.type":"-32050"`), verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "refused", Evidence: "structure", ErrorType: "jsonrpc:-32050"}},
		{"a class that was thrown", "x", one(2, "tools/call find", failed, call+`,"error.type":"RangeError"`), verdict{Tool: "find", Outcome: umpire.Crashed, Cause: "thrown", Evidence: reported, ErrorType: "RangeError"}},
		{"an exception with its stack", "x", one(2, "tools/call find", failed, call, exceptionEvent("KeyError", "'isbn'", "at x")), verdict{Tool: "find", Outcome: umpire.Crashed, Cause: "thrown", Evidence: reported, ErrorType: "KeyError"}},
		{"Python's refusal", "fastmcp", one(2, "tools/call find", failed, call+`,"error.type":"tool_error"`, exceptionEvent("fastmcp.exceptions.ToolError", "no such book", "Traceback")), verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}},
		{"Python's refusal of arguments", "fastmcp", one(2, "tools/call find", failed, call+`,"error.type":"ValidationError"`, exceptionEvent("fastmcp.exceptions.ValidationError", "1 validation error for call[find]", "Traceback")), verdict{Tool: "find", Outcome: umpire.BadArgs, Cause: "schema", Evidence: "signature"}},
		{"below FastMCP's span", "fastmcp", one(1, "tools/call find", "", call), none},
		{"the agent's span", "x", one(3, "tools/call find", "", call), none},
		{"an agent's own function", "x", one(1, "execute_tool find", "", `"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"find"`), none},
		{"a server's, by its operation alone", "x", one(2, "find", "", `"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"find"`), ok("find")},
		{"by the span's name alone", "x", one(2, "tools/call find", "", ""), ok("find")},
		{"AgentCat's exporter", "agentcat", one(2, "mcp:tools/call", failed, `"mcp.resource_name":"find"`), verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}},
		{"Traceloop", "@traceloop/instrumentation-mcp", one(3, "find.tool", "", `"traceloop.span.kind":"tool","traceloop.entity.name":"find","traceloop.entity.output":"{\"result\":[{\"type\":\"text\",\"text\":\"MCP error -32602: Tool find not found\"}],\"is_error\":true}"`), verdict{Tool: "find", Outcome: umpire.BadArgs, Cause: "unknown_tool", Evidence: "signature"}},
		{"Traceloop, a JSON-RPC error", "@traceloop/instrumentation-mcp", one(3, "find.tool", `"code":2,"message":"MCP error -32603: boom"`, `"traceloop.span.kind":"tool","traceloop.entity.name":"find"`), verdict{Tool: "find", Outcome: umpire.Crashed, Cause: "protocol", Evidence: "structure", ErrorType: "jsonrpc:-32603"}},
		{"Traceloop, of something else", "traceloop.tracer", one(1, "find.tool", "", `"traceloop.span.kind":"tool","traceloop.entity.name":"find"`), none},
		{"opentel-mcp, refused by the schema", "opentel-mcp", one(2, "tools/call find", failed, call+`,"error.type":"tool_error","mcp.failure.channel":"protocol.input","mcp.failure.category":"internal"`), verdict{Tool: "find", Outcome: umpire.BadArgs, Cause: "schema", Evidence: reported}},
		{"opentel-mcp, a refusal that sounds like it", "opentel-mcp", one(2, "tools/call find", failed, call+`,"error.type":"tool_error","mcp.failure.channel":"execution","mcp.failure.category":"validation"`), verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}},
		{"turned away before the protocol", "x", one(2, "tools/call find", failed, call+`,"rpc.response.status_code":"-32021"`), none},
		{"about something else", "x", one(2, "GET /", "", `"http.request.method":"GET"`), none},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, door.Options{})
			body := strings.Replace(c.body, "SCOPE", c.scope, 1)
			if status, text, _ := r.Post(pathTraces, strings.NewReader(body)); status != 200 || text != "{}" {
				t.Fatal(status, text)
			}
			var got verdict
			if calls := verdicts(r.Stored()); len(calls) == 1 {
				got = calls[0]
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Kinds beside calls, and who and where.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       umpire.Event
	}{
		{
			"a call", one(2, "tools/call find", "", `"mcp.method.name":"tools/call","gen_ai.tool.name":"find","mcp.session.id":"s-1","mcp.protocol.version":"2025-11-25","network.transport":"pipe",
			"mcp.client.name":"claude-code","mcp.client.version":"2","enduser.id":"ann","gen_ai.tool.call.arguments":"{\"q\":1}"`),
			umpire.Event{
				Kind: "call", Session: "c1a0fbb4a6ba5ad7a0ba8ba3a9a3b1a0", Protocol: "2025-11-25", Transport: "stdio", User: "ann",
				Client: umpire.Peer{Name: "claude-code", Version: "2"}, Platform: "claude-code", InputKeys: []string{"q"}, Call: umpire.Call{Tool: "find", Outcome: umpire.OK},
			},
		},
		{"cancelled in Python", one(2, "tools/call find", `"code":2`, `"mcp.method.name":"tools/call","gen_ai.tool.name":"find","error.type":"CancelledError"`), umpire.Event{Kind: "cancelled", Call: umpire.Call{Tool: "find"}}},
		{"asks for input", one(2, "tools/call find", "", `"mcp.method.name":"tools/call","gen_ai.tool.name":"find","rpc.response.status_code":"-32042"`), umpire.Event{Kind: "round", Call: umpire.Call{Tool: "find"}}},
		{"a resource", one(2, "resources/read", "", `"mcp.method.name":"resources/read","mcp.resource.uri":"file:///home/ann/x"`), umpire.Event{Kind: "resource", Call: umpire.Call{Tool: "file:", Outcome: umpire.OK}}},
		{"no such resource", one(2, "resources/read", "", `"mcp.method.name":"resources/read","mcp.resource.uri":"file:///x","rpc.response.status_code":"-32002"`), umpire.Event{Kind: "resource", Call: umpire.Call{Tool: "file:", Outcome: umpire.BadArgs}}},
		{"a prompt", one(2, "prompts/get greet", "", `"mcp.method.name":"prompts/get","gen_ai.prompt.name":"greet"`), umpire.Event{Kind: "prompt", Call: umpire.Call{Tool: "greet", Outcome: umpire.OK}}},
		{"a handshake", one(2, "initialize", "", `"mcp.method.name":"initialize"`), umpire.Event{Kind: "session"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, door.Options{})
			if status, text, _ := r.Post(pathTraces, strings.NewReader(c.body)); status != 200 {
				t.Fatal(status, text)
			}
			events := r.Stored()
			if len(events) != 1 {
				t.Fatalf("%d events", len(events))
			}
			e := events[0]
			if c.want.Session != "" {
				c.want.Session = sdkSession(t, "s-1")
			}
			got := umpire.Event{
				Kind: e.Kind, Session: e.Session, Protocol: e.Protocol, Transport: e.Transport, User: e.User, Client: e.Client, Platform: e.Platform,
				InputKeys: e.InputKeys, Call: umpire.Call{Tool: e.Tool, Outcome: e.Outcome},
			}
			if c.want.Platform == "" {
				c.want.Platform = e.Platform
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if e.Server.Name != "shop" || e.DurationUS == nil || *e.DurationUS != 10_000 {
				t.Errorf("server %q, duration %v", e.Server.Name, e.DurationUS)
			}
		})
	}
}

// sdkSession is the session as Umpire's SDK sends it.
func sdkSession(t *testing.T, id string) string {
	t.Helper()
	session := ""
	client := umpire.New(umpire.Options{Observer: func(e umpire.Event) { session = e.Session }})
	client.Record(umpire.Event{Kind: "call", SessionID: id, Call: umpire.Call{Tool: "x", Outcome: umpire.OK}})
	if err := client.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return session
}

func FuzzProto(f *testing.F) {
	for _, c := range samples {
		for _, s := range doortest.Samples(f, c.folder) {
			if s.Path() == pathTraces {
				f.Add(protobuf(f, s.Bytes()))
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzz(t, body, (*batch).readProto) })
}

func FuzzJSON(f *testing.F) {
	for _, c := range samples {
		for _, s := range doortest.Samples(f, c.folder) {
			f.Add(s.Bytes())
		}
	}
	f.Add([]byte(one(2, "tools/call find", `"code":2`, `"umpire.kind":"call","umpire.id":"01a22ce7-0000-7000-8000-000000000001"`, exceptionEvent("A", "b", "c"))))
	f.Fuzz(func(t *testing.T, body []byte) { fuzz(t, body, (*batch).readJSON) })
}

func fuzz(t *testing.T, body []byte, read func(*batch, []byte) error) {
	b := batch{of: span.Of{Vendor: vendor, Project: 1}}
	_ = read(&b, body)
	for _, item := range b.items {
		if item.Event.ID.IsZero() || item.Event.Kind == "" || item.Event.StartedAt.IsZero() {
			t.Errorf("an event without id, kind or time: %+v", item.Event)
		}
	}
	if b.spans > maxSpans || len(b.items) > b.spans {
		t.Errorf("%d events of %d spans", len(b.items), b.spans)
	}
}
