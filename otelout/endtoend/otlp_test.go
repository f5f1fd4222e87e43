package endtoend_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
	"github.com/umpire-mcp/umpire/otelout"
)

// receiver takes OTLP over HTTP and keeps what it read.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []ptrace.Span
	// points holds, by metric and label umpire.outcome, how often.
	points map[string]uint64
	odd    []error
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{points: map[string]uint64{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", r.read(r.traces))
	mux.HandleFunc("POST /v1/metrics", r.read(r.metrics))
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) read(take func([]byte) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		body := io.Reader(req.Body)
		if req.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			body = z
		}
		raw, err := io.ReadAll(body)
		r.mu.Lock()
		defer r.mu.Unlock()
		var answer []byte
		if err == nil {
			answer, err = take(raw)
		}
		if err != nil {
			r.odd = append(r.odd, err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(answer)
	}
}

func (r *receiver) traces(raw []byte) ([]byte, error) {
	req := ptraceotlp.NewExportRequest()
	if err := req.UnmarshalProto(raw); err != nil {
		return nil, err
	}
	for _, resource := range req.Traces().ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				r.spans = append(r.spans, span)
			}
		}
	}
	return ptraceotlp.NewExportResponse().MarshalProto()
}

func (r *receiver) metrics(raw []byte) ([]byte, error) {
	req := pmetricotlp.NewExportRequest()
	if err := req.UnmarshalProto(raw); err != nil {
		return nil, err
	}
	clear(r.points) // each export tells the sums since the beginning
	outcome := func(m pcommon.Map) string {
		v, _ := m.Get("umpire.outcome")
		return v.AsString()
	}
	for _, resource := range req.Metrics().ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			for _, m := range scope.Metrics().All() {
				switch m.Name() {
				case "umpire.calls":
					for _, p := range m.Sum().DataPoints().All() {
						r.points[m.Name()+" "+outcome(p.Attributes())] += uint64(p.IntValue())
					}
				default:
					for _, p := range m.Histogram().DataPoints().All() {
						r.points[m.Name()+" "+outcome(p.Attributes())] += p.Count()
					}
				}
			}
		}
	}
	return pmetricotlp.NewExportResponse().MarshalProto()
}

type find struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

// newShop is a server with a tool for each way to end.
func newShop(client *umpire.Client) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "2.1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "find"}, func(_ context.Context, _ *mcp.CallToolRequest, in find) (*mcp.CallToolResult, any, error) {
		switch in.Query {
		case "none":
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "[]"}}}, nil, nil
		case "forbidden":
			return nil, nil, umpire.Refuse("not_allowed", errors.New("ask max@example.com"))
		case "panic":
			panic("boom")
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a book"}}}, nil, nil
	})
	gosdk.Watch(server, client, gosdk.WithRecover())
	return server
}

// TestEndToEnd: a real client calls a real server, whose watcher tells a real
// exporter, which writes to a receiver that reads OTLP with code of another
// house. No Umpire server takes part.
// onlyCalls takes the spans of handshakes out. The lock is held.
func (r *receiver) onlyCalls() {
	r.spans = slices.DeleteFunc(r.spans, func(s ptrace.Span) bool {
		method, _ := s.Attributes().Get("mcp.method.name")
		return method.AsString() != "tools/call"
	})
}

func TestEndToEnd(t *testing.T) {
	receiver := newReceiver(t)
	spans, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(receiver.URL+"/v1/traces"))
	if err != nil {
		t.Fatal(err)
	}
	points, err := otlpmetrichttp.New(t.Context(), otlpmetrichttp.WithEndpointURL(receiver.URL+"/v1/metrics"))
	if err != nil {
		t.Fatal(err)
	}
	tp := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans))
	mp := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(points, metric.WithInterval(time.Hour))))
	client := umpire.New(umpire.Options{Observer: otelout.New(otelout.Options{TracerProvider: tp, MeterProvider: mp})})

	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newShop(client) }, nil))
	t.Cleanup(web.Close)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1.2"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	for i, arguments := range []map[string]any{
		{"query": "sea"}, {"query": "none"}, {"limit": "ten"}, {"query": "forbidden"}, {"query": "panic"}, nil,
	} {
		p := &mcp.CallToolParams{Name: "find", Arguments: arguments}
		if arguments == nil {
			p.Name = "fnid"
		}
		p.Meta = mcp.Meta{"traceparent": fmt.Sprintf("00-%s-%016x-01", traceID, i+1)}
		_, _ = session.CallTool(t.Context(), p) // how it ends is what the spans tell
	}
	_ = session.Close()
	for _, end := range []func(context.Context) error{client.Close, tp.Shutdown, mp.Shutdown} {
		if err := end(t.Context()); err != nil {
			t.Error(err)
		}
	}

	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	if len(receiver.odd) > 0 {
		t.Errorf("unreadable: %v", receiver.odd)
	}
	receiver.onlyCalls()
	slices.SortFunc(receiver.spans, func(a, b ptrace.Span) int {
		return strings.Compare(a.ParentSpanID().String(), b.ParentSpanID().String())
	})
	var got []string
	for _, s := range receiver.spans {
		if s.TraceID().String() != traceID || s.Kind() != ptrace.SpanKindServer || s.EndTimestamp() <= s.StartTimestamp() {
			t.Errorf("trace %s, kind %v, %s to %s", s.TraceID(), s.Kind(), s.StartTimestamp(), s.EndTimestamp())
		}
		line := s.ParentSpanID().String()[15:] + " " + s.Name() + " " + s.Status().Code().String()
		for _, key := range []string{
			"gen_ai.tool.name", "umpire.outcome", "umpire.empty", "umpire.cause", "error.type", "rpc.response.status_code",
			"umpire.error_type", "umpire.error_message", "umpire.handler_ran", "umpire.client.name",
		} {
			if v, ok := s.Attributes().Get(key); ok {
				line += " " + key[strings.LastIndexByte(key, '.')+1:] + "=" + v.AsString()
			}
		}
		got = append(got, line)
		for _, key := range []string{"mcp.session.id", "mcp.protocol.version", "umpire.id", "umpire.session", "umpire.server.name"} {
			if v, ok := s.Attributes().Get(key); !ok || v.AsString() == "" {
				t.Errorf("no %s on %s", key, line)
			}
		}
	}
	want := []string{
		"1 tools/call find Unset name=find outcome=ok empty=false handler_ran=yes name=tester",
		"2 tools/call find Unset name=find outcome=ok empty=true handler_ran=yes name=tester",
		"3 tools/call find Error name=find outcome=bad_args cause=schema type=tool_error error_type=schema:required " +
			`error_message=validating "arguments": validating root: validating /properties/limit: type: ten has type "string", want "integer" ` +
			"handler_ran=no name=tester",
		"4 tools/call find Error name=find outcome=tool_error cause=returned type=tool_error error_type=not_allowed " +
			"error_message=ask [EMAIL_REDACTED] handler_ran=yes name=tester",
		"5 tools/call find Error name=find outcome=crashed cause=panic type=panic:string error_type=panic:string error_message=boom " +
			"handler_ran=yes name=tester",
		`6 tools/call Unset name=fnid outcome=bad_args cause=unknown_tool status_code=-32602 error_message=unknown tool "fnid" ` +
			"handler_ran=no name=tester",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("spans\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, m := range []string{"umpire.calls", "mcp.server.operation.duration"} {
		for outcome, n := range map[string]uint64{"ok": 2, "bad_args": 2, "tool_error": 1, "crashed": 1} {
			if receiver.points[m+" "+outcome] != n {
				t.Errorf("%s: %d of %s, want %d", m, receiver.points[m+" "+outcome], outcome, n)
			}
		}
	}
}
