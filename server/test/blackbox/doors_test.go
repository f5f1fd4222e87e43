package blackbox

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/umpire-mcp/umpire/internal/away"
)

// The doors that are closed unless they are asked for, in the binary: gRPC and
// Sentry. OpenTelemetry over HTTP is open.
func TestDoorsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := must(t, "key", "add", "--data", data, "--project", "shop", "--write")
	grpc := away.Address(t)
	s := serve(t, []string{"UMPIRE_DOOR_SENTRY=true"}, "--data", data, "--otlp-grpc", grpc)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	headers := map[string]string{"Authorization": "Bearer " + key}
	overGRPC, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(grpc), otlptracegrpc.WithInsecure(), otlptracegrpc.WithHeaders(headers))
	if err != nil {
		t.Fatal(err)
	}
	overHTTP, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(s.url+"/v1/traces"), otlptracehttp.WithHeaders(headers))
	if err != nil {
		t.Fatal(err)
	}
	for _, exporter := range []sdktrace.SpanExporter{overGRPC, overHTTP} {
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
		_, span := provider.Tracer("shop").Start(ctx, "tools/call find", trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", "find")))
		span.End()
		if err := provider.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
	}
	envelope := fmt.Sprintf(`{"sdk":{"name":"sentry.javascript.node","version":"11.12.0"}}
{"type":"span"}
{"version":2,"items":[{"name":"tools/call buy","span_id":"9fa29cd8e454ea0c","trace_id":"672c56e46f384bd2a7e16cee322043fc","start_timestamp":%[1]d,"end_timestamp":%[1]d,"status":"ok",
"attributes":{"mcp.method.name":{"value":"tools/call"},"mcp.tool.name":{"value":"buy"},"mcp.tool.result.content_count":{"value":0}}}]}`, time.Now().Unix())
	envelope = strings.ReplaceAll(envelope, ",\n", ",")
	if status, text := s.request(http.MethodPost, "/api/1/envelope/?sentry_key="+key, "", envelope); status != http.StatusOK {
		t.Errorf("Sentry's door answered %d %s", status, text)
	}
	got := parse[reportJSON](t, must(t, "report", "--data", data, "--project", "shop", "--json"))
	if o := got.Overview; o.Calls != 3 || o.Slices.Empty != 1 {
		t.Errorf("%+v; want three calls, one of them empty", o)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("umpire serve stopped with %d:\n%s", code, s.log)
	}
	if _, err := os.Stat(filepath.Join(data, "set-aside.jsonl")); err == nil {
		t.Error("something was set aside")
	}
}
