package otelout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/otelout"
)

// rig is the real SDK with exporters in memory.
type rig struct {
	tell   func(umpire.Event)
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
}

func newRig(t *testing.T, o ...sdktrace.TracerProviderOption) *rig {
	r := &rig{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	tp := sdktrace.NewTracerProvider(append(o, sdktrace.WithSyncer(r.spans))...)
	mp := metric.NewMeterProvider(metric.WithReader(r.reader))
	t.Cleanup(func() {
		_ = tp.Shutdown(context.Background())
		_ = mp.Shutdown(context.Background())
	})
	r.tell = otelout.New(otelout.Options{TracerProvider: tp, MeterProvider: mp})
	return r
}

// span returns the only span.
func (r *rig) span(t *testing.T) tracetest.SpanStub {
	t.Helper()
	spans := r.spans.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans, want 1", len(spans))
	}
	return spans[0]
}

// metrics returns each instrument's points, by the labels in one line.
func (r *rig) metrics(t *testing.T) (calls map[string]int64, durations map[string]metricdata.HistogramDataPoint[float64]) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	calls, durations = map[string]int64{}, map[string]metricdata.HistogramDataPoint[float64]{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					calls[lines(p.Attributes.ToSlice(), " ")] += p.Value
				}
			case metricdata.Histogram[float64]:
				if m.Name != "mcp.server.operation.duration" || m.Unit != "s" {
					t.Errorf("histogram %s in %s", m.Name, m.Unit)
				}
				for _, p := range data.DataPoints {
					durations[lines(p.Attributes.ToSlice(), " ")] = p
				}
			}
		}
	}
	return calls, durations
}

// lines writes attributes in the order of their names.
func lines(attributes []attribute.KeyValue, sep string) string {
	var list []string
	for _, a := range attributes {
		list = append(list, fmt.Sprintf("%s=%s", a.Key, a.Value.String()))
	}
	slices.Sort(list)
	return strings.Join(list, sep)
}

var id = func() (id umpire.ID) {
	if err := id.UnmarshalText([]byte("01a22dc1-1d2d-7da9-beda-ff198e6a9b13")); err != nil {
		panic(err)
	}
	return id
}()

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// event is a call that was judged, over HTTP.
func event(o umpire.Observation) umpire.Event {
	took, request, response := int64(1500), int64(17), int64(0)
	return umpire.Event{
		ID: id, Kind: "call", StartedAt: at, Protocol: "2025-11-25", Transport: "http", Session: "5e55",
		Server: umpire.Peer{Name: "shop", Version: "2"}, Client: umpire.Peer{Name: "tester", Version: "1"},
		SeenBy: "sdk", Platform: "other", Definition: "0123456789abcdef", Rules: 1, Call: withNumbers(o.Judge(), &took, &request, &response),
	}
}

func withNumbers(c umpire.Call, took, request, response *int64) umpire.Call {
	c.DurationUS, c.RequestBytes, c.ResponseBytes = took, request, response
	return c
}

// every is on each span of event.
const every = `gen_ai.operation.name=execute_tool
gen_ai.tool.name=t
mcp.method.name=tools/call
mcp.protocol.version=2025-11-25
mcp.session.id=5e55
network.protocol.name=http
network.transport=tcp
umpire.client.name=tester
umpire.client.version=1
umpire.definition=0123456789abcdef
umpire.id=01a22dc1-1d2d-7da9-beda-ff198e6a9b13
umpire.kind=call
umpire.platform=other
umpire.request_bytes=17
umpire.response_bytes=0
umpire.rules=1
umpire.seen_by=sdk
umpire.server.name=shop
umpire.server.version=2
umpire.session=5e55
umpire.transport=http
`

// everyPoint is on each point of a metric.
const everyPoint = "gen_ai.operation.name=execute_tool mcp.method.name=tools/call mcp.protocol.version=2025-11-25 " +
	"network.protocol.name=http network.transport=tcp "

type named struct{}

func (named) Error() string        { return "no such book" }
func (named) MCPErrorType() string { return "not_found" }

// TestAttributes: the golden attributes of each outcome, in spans and metrics.
func TestAttributes(t *testing.T) {
	schema := []byte(`{"type":"object","properties":{"limit":{"type":"integer"}},"required":["limit"]}`)
	for _, tt := range []struct {
		name   string
		in     umpire.Observation
		status codes.Code
		own    string // on the span, beside every
		point  string // on the metric, beside everyPoint
	}{
		{
			"ok",
			umpire.Observation{Texts: []string{"a book"}, Ran: "yes"},
			codes.Unset,
			"umpire.empty=false\numpire.evidence=observed\numpire.handler_ran=yes\numpire.outcome=ok",
			"gen_ai.tool.name=t umpire.empty=false umpire.outcome=ok",
		},
		{
			"empty",
			umpire.Observation{Texts: []string{"[]"}, Ran: "yes"},
			codes.Unset,
			"umpire.empty=true\numpire.empty_rule=EMPTY_RULE\numpire.evidence=observed\numpire.handler_ran=yes\numpire.outcome=ok",
			"gen_ai.tool.name=t umpire.empty=true umpire.outcome=ok",
		},
		{
			"bad_args as an error result",
			umpire.Observation{
				IsError: true, Err: errors.New(`validating "arguments": missing`), Shown: true, Ran: "no", Refused: "schema",
				Texts: []string{`validating "arguments": missing`}, Schema: schema, Arguments: []byte(`{}`),
			},
			codes.Error,
			"error.type=tool_error\numpire.bad_params=[\"/limit required\"]\numpire.cause=schema\numpire.error_message=validating \"arguments\": missing\n" +
				"umpire.error_type=schema:required\numpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=no\numpire.outcome=bad_args",
			"error.type=tool_error gen_ai.tool.name=t umpire.outcome=bad_args",
		},
		{
			"bad_args by a code",
			umpire.Observation{RPC: &umpire.RPCError{Code: -32602, Message: "limit is odd"}},
			codes.Unset,
			"rpc.response.status_code=-32602\numpire.cause=invalid_params\numpire.error_message=limit is odd\n" +
				"umpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=unknown\numpire.outcome=bad_args",
			"gen_ai.tool.name=t rpc.response.status_code=-32602 umpire.outcome=bad_args",
		},
		{
			"tool_error",
			umpire.Observation{IsError: true, Err: named{}, Shown: true, Ran: "yes", Texts: []string{"no such book"}},
			codes.Error,
			"error.type=tool_error\numpire.cause=returned\numpire.error_message=no such book\numpire.error_type=not_found\n" +
				"umpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=yes\numpire.outcome=tool_error",
			"error.type=tool_error gen_ai.tool.name=t umpire.outcome=tool_error",
		},
		{
			"tool_error by a code",
			umpire.Observation{RPC: &umpire.RPCError{Code: -32001, Message: "closed"}, Ran: "yes"},
			codes.Error,
			"error.type=-32001\nrpc.response.status_code=-32001\numpire.cause=refused\numpire.error_message=closed\numpire.error_type=jsonrpc:-32001\n" +
				"umpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=yes\numpire.outcome=tool_error",
			"error.type=-32001 gen_ai.tool.name=t rpc.response.status_code=-32001 umpire.outcome=tool_error",
		},
		{
			"tool_error by a code that is no error there",
			umpire.Observation{RPC: &umpire.RPCError{Code: -32002, Message: "gone"}, Ran: "yes"},
			codes.Unset,
			"rpc.response.status_code=-32002\numpire.cause=refused\numpire.error_message=gone\numpire.error_type=jsonrpc:-32002\n" +
				"umpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=yes\numpire.outcome=tool_error",
			"gen_ai.tool.name=t rpc.response.status_code=-32002 umpire.outcome=tool_error",
		},
		{
			"crashed, a panic",
			umpire.Observation{Panicked: true, PanicValue: errors.New("boom"), Ran: "yes"},
			codes.Error,
			"error.type=PANIC\numpire.cause=panic\numpire.error_message=boom\numpire.error_type=PANIC\n" +
				"umpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=yes\numpire.outcome=crashed",
			"error.type=PANIC gen_ai.tool.name=t umpire.outcome=crashed",
		},
		{
			"crashed by a code",
			umpire.Observation{RPC: &umpire.RPCError{Code: -32603, Message: "internal"}},
			codes.Error,
			"error.type=-32603\nrpc.response.status_code=-32603\numpire.cause=protocol\numpire.error_message=internal\numpire.error_type=jsonrpc:-32603\n" +
				"umpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=unknown\numpire.outcome=crashed",
			"error.type=-32603 gen_ai.tool.name=t rpc.response.status_code=-32603 umpire.outcome=crashed",
		},
		{
			"crashed, an error of no name",
			umpire.Observation{Err: errors.New("boom"), Ran: "yes"},
			codes.Error,
			"error.type=_OTHER\numpire.cause=returned\numpire.error_message=boom\numpire.error_type=error\n" +
				"umpire.evidence=observed\numpire.fingerprint=FINGERPRINT\numpire.handler_ran=yes\numpire.outcome=crashed",
			"error.type=_OTHER gen_ai.tool.name=t umpire.outcome=crashed",
		},
		{
			"crashed, no reply",
			umpire.Observation{Silent: "no_reply"},
			codes.Error,
			"error.type=no_reply\numpire.cause=no_reply\numpire.evidence=observed\numpire.fingerprint=FINGERPRINT\n" +
				"umpire.handler_ran=unknown\numpire.outcome=crashed",
			"error.type=no_reply gen_ai.tool.name=t umpire.outcome=crashed",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Tool, tt.in.Observed = "t", true
			e := event(tt.in)
			r := newRig(t)
			r.tell(e)
			s := r.span(t)
			for mark, value := range map[string]string{"FINGERPRINT": e.Fingerprint, "EMPTY_RULE": e.EmptyRule, "PANIC": e.ErrorType} {
				if strings.Contains(tt.own, mark) && value == "" {
					t.Errorf("the event has no %s", mark)
				}
				tt.own, tt.point = strings.ReplaceAll(tt.own, mark, value), strings.ReplaceAll(tt.point, mark, value)
			}
			want := strings.Split(every+tt.own, "\n")
			slices.Sort(want)
			if got := lines(s.Attributes, "\n"); got != strings.Join(want, "\n") {
				t.Errorf("attributes\n%s\n\nwant\n%s", got, strings.Join(want, "\n"))
			}
			if s.Name != "tools/call t" || s.SpanKind != trace.SpanKindServer || s.Status.Code != tt.status || s.InstrumentationScope.Name == "" {
				t.Errorf("span %q, kind %v, status %v", s.Name, s.SpanKind, s.Status)
			}
			if tt.status == codes.Error && s.Status.Description != e.ErrorMessage {
				t.Errorf("status says %q", s.Status.Description)
			}
			if !s.StartTime.Equal(at) || s.EndTime.Sub(at) != 1500*time.Microsecond {
				t.Errorf("from %s to %s", s.StartTime, s.EndTime)
			}
			if s.Parent.IsValid() {
				t.Errorf("parent %v, want none", s.Parent)
			}
			labels := strings.Fields(everyPoint + tt.point)
			slices.Sort(labels)
			point := strings.Join(labels, " ")
			calls, durations := r.metrics(t)
			if len(calls) != 1 || calls[point] != 1 {
				t.Errorf("calls %v, want 1 of\n%s", calls, point)
			}
			if p := durations[point]; len(durations) != 1 || p.Count != 1 || p.Sum != 0.0015 {
				t.Errorf("durations %v", durations)
			} else if fmt.Sprint(p.Bounds) != "[0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 30 60 120 300]" {
				t.Errorf("bounds %v", p.Bounds)
			}
		})
	}
}

// TestSpanOnly: what is no call is in no rate, and what is no request is no span.
func TestSpanOnly(t *testing.T) {
	for kind, want := range map[string]int{"cancelled": 1, "round": 1, "custom": 0, "catalog": 0, "session": 1, "new": 0} {
		r := newRig(t)
		r.tell(umpire.Event{Kind: kind, StartedAt: at, Call: umpire.Call{Tool: "t", Outcome: umpire.Crashed}})
		spans := r.spans.GetSpans()
		calls, durations := r.metrics(t)
		if len(spans) != want || len(calls)+len(durations) != 0 {
			t.Errorf("%s: %d spans, %v, %v", kind, len(spans), calls, durations)
		}
		if want == 1 && (spans[0].Status.Code != codes.Unset || !spans[0].EndTime.Equal(at) || !strings.Contains(lines(spans[0].Attributes, " "), "umpire.kind="+kind)) {
			t.Errorf("%s: %+v", kind, spans[0])
		}
	}
}

// TestParent: the span hangs under the client's, and is recorded if that is.
func TestParent(t *testing.T) {
	const traceID, spanID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	r := newRig(t)
	e := event(umpire.Observation{Tool: "t", Texts: []string{"x"}})
	e.TraceID, e.SpanID = traceID, spanID
	r.tell(e)
	s := r.span(t)
	if s.SpanContext.TraceID().String() != traceID || s.Parent.SpanID().String() != spanID || !s.Parent.IsRemote() {
		t.Errorf("trace %s under %s", s.SpanContext.TraceID(), s.Parent.SpanID())
	}
	r = newRig(t)
	e.Unsampled = true
	r.tell(e)
	if n := len(r.spans.GetSpans()); n != 0 {
		t.Errorf("%d spans of a trace that is not recorded", n)
	}
	if calls, _ := r.metrics(t); len(calls) != 1 {
		t.Errorf("%d counters, want 1: metrics count what traces leave out", len(calls))
	}
	for _, ids := range [][2]string{{traceID, ""}, {"", spanID}, {"x", "y"}, {strings.Repeat("0", 32), spanID}} {
		r, e := newRig(t), event(umpire.Observation{Tool: "t"})
		e.TraceID, e.SpanID = ids[0], ids[1]
		r.tell(e)
		if s := r.span(t); s.Parent.IsValid() {
			t.Errorf("%q has parent %v", ids, s.Parent)
		}
	}
}

// TestNoLabelFromCallers: whatever callers make up, the points of a metric stay
// the same few.
func TestNoLabelFromCallers(t *testing.T) {
	r := newRig(t)
	for i := range 50 {
		made := fmt.Sprint("made-up-", i)
		unknown := umpire.Observation{
			Tool: made, Observed: true, Ran: "no", RPC: &umpire.RPCError{Code: -32602, Message: `unknown tool "` + made + `"`}, Listed: []string{"t"},
		}
		refused := umpire.Observation{Tool: made, Observed: true, RPC: &umpire.RPCError{Code: -32001, Message: "not for " + made}}
		for _, o := range []umpire.Observation{unknown, refused} {
			e := event(o)
			e.Definition, e.InputKeys = "", []string{made}
			e.Client.Name, e.Session, e.User, e.Meta = made, made, made, map[string]any{made: made}
			r.tell(e)
			if spans := r.spans.GetSpans(); o.Ran == "no" && spans[len(spans)-1].Name != "tools/call" {
				t.Fatalf("span %q", spans[len(spans)-1].Name)
			}
		}
	}
	calls, durations := r.metrics(t)
	if len(calls) != 2 || len(durations) != 2 {
		t.Errorf("%d points of calls, %d of durations, want 2 each: %v", len(calls), len(durations), slices.Collect(maps.Keys(calls)))
	}
}

// TestSession: by the conventions there is none from 2026-07-28 on.
func TestSession(t *testing.T) {
	for _, tt := range []struct {
		protocol, transport string
		want                bool
	}{
		{"2025-11-25", "http", true},
		{"2025-06-18", "sse", true},
		{"2025-11-25", "stdio", false}, // the connection is the session
		{"2026-07-28", "http", false},
		{"2027-01-01", "http", false},
		{"", "http", false},
	} {
		r, e := newRig(t), event(umpire.Observation{Tool: "t"})
		e.Protocol, e.Transport = tt.protocol, tt.transport
		r.tell(e)
		got := lines(r.span(t).Attributes, "\n")
		if strings.Contains(got, "mcp.session.id=") != tt.want || !strings.Contains(got, "umpire.session=5e55") {
			t.Errorf("%s over %s:\n%s", tt.protocol, tt.transport, got)
		}
		if tt.transport == "stdio" && !strings.Contains(got, "network.transport=pipe") {
			t.Errorf("stdio:\n%s", got)
		}
	}
}

// TestUnanswered: a call without duration counts, and moves no latency.
func TestUnanswered(t *testing.T) {
	r, e := newRig(t), event(umpire.Observation{Tool: "t", Silent: "no_reply"})
	e.DurationUS = nil
	r.tell(e)
	if calls, durations := r.metrics(t); len(calls) != 1 || len(durations) != 0 {
		t.Errorf("calls %v, durations %v", calls, durations)
	}
}

// TestValues: what Capture lets leave is told under the names of the conventions.
func TestValues(t *testing.T) {
	r, e := newRig(t), event(umpire.Observation{Tool: "t"})
	e.Input, e.Output, e.Intent = json.RawMessage(`{"q":1}`), json.RawMessage(`"a"`), "to find it"
	e.InputKeys, e.User = []string{"q"}, "u"
	e.Meta = map[string]any{
		"plan": "pro", "n": int64(3), "f": 1.5, "yes": true, "big": uint64(1 << 63), "none": nil, "j": json.Number("7"),
		"umpire.cut": []string{"output"},
	}
	r.tell(e)
	got := lines(r.span(t).Attributes, "\n")
	for _, want := range []string{
		`gen_ai.tool.call.arguments={"q":1}`, `gen_ai.tool.call.result="a"`, "umpire.intent=to find it", `umpire.input_keys=["q"]`,
		"umpire.user=u", "umpire.meta.plan=pro", "umpire.meta.n=3", "umpire.meta.f=1.5", "umpire.meta.yes=true",
		"umpire.meta.big=9223372036854775808", "umpire.meta.j=7", `umpire.cut=["output"]`,
	} {
		if !strings.Contains("\n"+got+"\n", "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "none") {
		t.Errorf("a null is an attribute:\n%s", got)
	}
}

// TestDyingProcess: the span of a panic is exported at once, whatever batches.
func TestDyingProcess(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	tp := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans, sdktrace.WithBatchTimeout(time.Hour)))
	defer func() { _ = tp.Shutdown(context.Background()) }()
	tell := otelout.New(otelout.Options{TracerProvider: tp, MeterProvider: metric.NewMeterProvider()})
	tell(event(umpire.Observation{Tool: "t"}))
	if n := len(spans.GetSpans()); n != 0 {
		t.Fatalf("%d spans, want them to wait for their batch", n)
	}
	tell(event(umpire.Observation{Tool: "t", Panicked: true, PanicValue: "boom"}))
	if n := len(spans.GetSpans()); n != 2 {
		t.Errorf("%d spans, want 2", n)
	}
}
