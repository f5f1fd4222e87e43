package opentelemetry

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
	"github.com/umpire-mcp/umpire/otelout"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/otlp"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

var ctx = context.Background()

// open serves the door over HTTP and gRPC, and returns an exporter for each.
func open(t *testing.T) (*doortest.Rig, map[string]sdktrace.SpanExporter) {
	t.Helper()
	r := doortest.Open(t, door.Options{}, pipeline.Options{})
	h, mux := otlp.New(r.Front), http.NewServeMux()
	for _, path := range otlp.Paths {
		mux.Handle(path, h)
	}
	r.Serve(mux)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := h.GRPC()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	headers := map[string]string{"authorization": "Bearer " + r.Write}
	overHTTP, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(r.URL+"/v1/traces"), otlptracehttp.WithHeaders(headers), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		t.Fatal(err)
	}
	overGRPC, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(listener.Addr().String()), otlptracegrpc.WithInsecure(), otlptracegrpc.WithHeaders(headers), otlptracegrpc.WithCompressor("gzip"))
	if err != nil {
		t.Fatal(err)
	}
	return r, map[string]sdktrace.SpanExporter{"http": overHTTP, "grpc": overGRPC}
}

type find struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

// newShop is a server with a tool that ends in each way.
func newShop() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "2.1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "find"}, func(_ context.Context, _ *mcp.CallToolRequest, in find) (*mcp.CallToolResult, any, error) {
		switch in.Query {
		case "none":
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "[]"}}}, nil, nil
		case "refused":
			return nil, nil, umpire.Refuse("not_allowed", errors.New("ask max@example.com"))
		case "internal":
			return nil, nil, &jsonrpc.Error{Code: -32603, Message: "the shelf of max@example.com fell over"}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "one book"}}}, nil, nil
	})
	return server
}

// drive makes the calls.
func drive(t *testing.T, server *mcp.Server) {
	t.Helper()
	serverSide, clientSide := mcp.NewInMemoryTransports()
	ss, err := server.Connect(ctx, serverSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "driver", Version: "1"}, nil).Connect(ctx, clientSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []*mcp.CallToolParams{
		{Name: "find", Arguments: map[string]any{"query": "books"}},
		{Name: "find", Arguments: map[string]any{"query": "none"}},
		{Name: "find", Arguments: map[string]any{"query": "refused"}},
		{Name: "find", Arguments: map[string]any{"query": "internal"}},
		{Name: "find", Arguments: map[string]any{"query": 7}},
		{Name: "nothing"},
	} {
		_, _ = cs.CallTool(ctx, call) // what comes of it is told by the spans
	}
	_ = cs.Close()
	_ = ss.Wait()
}

// conventions makes a span of each request, by the semantic conventions.
func conventions(tracer trace.Tracer) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, span := tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attribute.String("mcp.method.name", method)))
			defer span.End()
			if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok {
				span.SetName(method + " " + p.Name)
				span.SetAttributes(attribute.String("gen_ai.tool.name", p.Name), attribute.String("gen_ai.operation.name", "execute_tool"))
			}
			result, err := next(ctx, method, req)
			var rpc *jsonrpc.Error
			if errors.As(err, &rpc) {
				code := strconv.FormatInt(rpc.Code, 10)
				span.SetAttributes(attribute.String("rpc.response.status_code", code))
				if rpc.Code != -32602 { // the client's fault, and no error by the conventions
					span.SetAttributes(attribute.String("error.type", code))
					span.SetStatus(codes.Error, rpc.Message)
				}
			}
			if r, ok := result.(*mcp.CallToolResult); err == nil && ok && r.IsError {
				span.SetAttributes(attribute.String("error.type", "tool_error"))
				span.SetStatus(codes.Error, r.Content[0].(*mcp.TextContent).Text)
			}
			return result, err
		}
	}
}

type verdict struct {
	Tool    string
	Outcome umpire.Outcome
	Cause   string
}

func TestConventions(t *testing.T) {
	r, exporters := open(t)
	for name, exporter := range exporters {
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "shop-over-"+name))))
		server := newShop()
		server.AddReceivingMiddleware(conventions(provider.Tracer("shop")))
		drive(t, server)
		if err := provider.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string][]verdict{}
	for _, e := range r.Stored() {
		if strings.Contains(e.ErrorMessage, "@example.com") {
			t.Errorf("an e-mail address came through: %s", e.ErrorMessage)
		}
		if e.Kind == "call" {
			got[e.Server.Name] = append(got[e.Server.Name], verdict{e.Tool, e.Outcome, e.Cause})
		}
	}
	want := []verdict{
		{"find", umpire.OK, ""},
		{"find", umpire.OK, ""}, // that it was empty no span says
		{"find", umpire.ToolError, "result"},
		{"find", umpire.Crashed, "protocol"},
		{"find", umpire.BadArgs, "schema"},
		{"nothing", umpire.BadArgs, "invalid_params"}, // the code alone is sent
	}
	if d := cmp.Diff(map[string][]verdict{"shop-over-http": want, "shop-over-grpc": want}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What otelout tells arrives as the event that it was: the same id, judgement, names
// and hashes.
func TestOtelout(t *testing.T) {
	r, exporters := open(t)
	sent := map[umpire.ID]umpire.Event{}
	for _, exporter := range exporters {
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
		tell := otelout.New(otelout.Options{TracerProvider: provider})
		client := umpire.New(umpire.Options{Observer: func(e umpire.Event) {
			if e.Kind == "call" || e.Kind == "session" {
				sent[e.ID] = e
			}
			tell(e)
		}})
		server := newShop()
		gosdk.Watch(server, client)
		drive(t, server)
		client.Record(umpire.Event{Kind: "call", StartedAt: time.Now(), Call: umpire.Call{
			Tool: "died", Outcome: umpire.Crashed, Cause: "process_exit", Evidence: "structure",
		}})
		if err := errors.Join(client.Close(ctx), provider.Shutdown(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	got := map[umpire.ID]umpire.Event{}
	for _, e := range r.Stored() {
		got[e.ID] = e
	}
	if len(sent) < 14 || len(got) != len(sent) {
		t.Errorf("%d events of %d arrived", len(got), len(sent))
	}
	for id, want := range sent {
		e := got[id]
		// What is not in a span, or not in the store as sent.
		want.SDK, e.SDK = umpire.Peer{}, umpire.Peer{}
		want.Arguments, want.Texts, want.Structured, want.SessionID, want.RPCCode = nil, nil, nil, "", 0
		want.Session, want.IsRetry, want.Reworded, want.Repeated = e.Session, false, false, false
		want.StartedAt, e.StartedAt = want.StartedAt.Truncate(time.Microsecond).UTC(), e.StartedAt.Truncate(time.Microsecond).UTC()
		for i := range want.BadParams {
			want.BadParams[i].Near = "" // nor is this
		}
		want.Rejudge() // a call without a fingerprint gets one
		if d := cmp.Diff(want, e, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s %s (-sent +stored):\n%s", want.Kind, want.Tool, d)
		}
	}
}
