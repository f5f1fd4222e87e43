package endtoend_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
	"github.com/umpire-mcp/umpire/otelout"
)

// TestPanicThatEndsTheProcess: the span of the call that killed its process
// arrives, though an exporter batches for an hour.
func TestPanicThatEndsTheProcess(t *testing.T) {
	const address = "OTELOUT_TEST_RECEIVER"
	if url := os.Getenv(address); url != "" {
		die(t, url)
		return
	}
	receiver := newReceiver(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestPanicThatEndsTheProcess$")
	cmd.Env = append(cmd.Environ(), address+"="+receiver.URL)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: the shelf fell") {
		t.Fatalf("the process ended with %v:\n%s", err, out)
	}
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	receiver.onlyCalls()
	if len(receiver.spans) != 1 {
		t.Fatalf("%d spans, want 1", len(receiver.spans))
	}
	if v, _ := receiver.spans[0].Attributes().Get("umpire.cause"); v.AsString() != "panic" {
		t.Errorf("cause %q", v.AsString())
	}
}

func die(t *testing.T, url string) {
	spans, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(url+"/v1/traces"))
	if err != nil {
		t.Fatal(err)
	}
	tp := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans, sdktrace.WithBatchTimeout(time.Hour)))
	client := umpire.New(umpire.Options{
		Observer: otelout.New(otelout.Options{TracerProvider: tp, MeterProvider: metric.NewMeterProvider()}),
	})
	server := mcp.NewServer(&mcp.Implementation{Name: "shop"}, nil)
	server.AddTool(&mcp.Tool{Name: "fall", InputSchema: map[string]any{"type": "object"}}, fall)
	gosdk.Watch(server, client)
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fall"})
	t.Errorf("the process outlived its panic: %v", err)
}

func fall(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	panic("the shelf fell")
}
