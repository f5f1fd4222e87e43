package otelout_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/otelout"
)

// An adapter records the calls of a server; here one is recorded by hand. There
// is no endpoint and no key: OpenTelemetry alone hears of it.
func Example() {
	spans := tracetest.NewInMemoryExporter() // in its place: an exporter for your collector
	provider := trace.NewTracerProvider(trace.WithSyncer(spans))
	client := umpire.New(umpire.Options{
		Observer: otelout.New(otelout.Options{TracerProvider: provider}),
	})

	client.Record(umpire.Event{Kind: "call", Call: umpire.Call{Tool: "find_book", Outcome: umpire.OK, Empty: true}})

	_ = client.Close(context.Background()) // then shut the provider down
	for _, s := range spans.GetSpans() {
		fmt.Println(s.Name, s.SpanKind)
	}
	// Output: tools/call find_book server
}
