package otelout

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/umpire-mcp/umpire"
)

// scope is the instrumentation scope of spans and metrics.
const scope = "github.com/umpire-mcp/umpire/otelout"

// Options says where spans and metrics go. Nil is the global provider of package
// otel; a provider of one of OpenTelemetry's noop packages switches that half off.
type Options struct {
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// MetricAttributes are more attributes of an event's metrics; nil: there are none.
	// Each of them ought to have few values.
	MetricAttributes func(*umpire.Event) []attribute.KeyValue
}

// New returns a function for umpire.Options.Observer.
//
// After the event of a call that ends the process (a panic, an answer of nothing)
// it has both providers export what they hold, for at most a second. At any other
// time that is the owner's to do: shut the providers down after Client.Close.
func New(o Options) func(umpire.Event) {
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	t := &teller{
		providers: o,
		tracer:    o.TracerProvider.Tracer(scope),
		counts:    newCounts(o.MeterProvider.Meter(scope), o.MetricAttributes),
	}
	return t.tell
}

type teller struct {
	providers Options
	tracer    trace.Tracer
	counts    counts
}

func (t *teller) tell(e umpire.Event) {
	switch e.Kind {
	case "call":
		t.counts.add(t.span(&e), &e)
		if e.Cause == "panic" || e.Cause == "no_result" {
			t.flush()
		}
	case "resource", "prompt":
		ctx := t.span(&e)
		if e.Outcome == "" { // given up, or a question back
			return
		}
		t.counts.add(ctx, &e)
		if e.Cause == "panic" || e.Cause == "no_result" {
			t.flush()
		}
	case "cancelled", "round", "session": // no calls: in no rate (outcomes.md 1.2)
		t.span(&e)
	}
}

// flushLimit leaves Client.Flush, which an adapter calls before the process dies
// and which waits for this, time for the Umpire server.
const flushLimit = time.Second

// flush brings out what is held, where a provider can.
func (t *teller) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	for _, p := range []any{t.providers.TracerProvider, t.providers.MeterProvider} {
		if p, ok := p.(interface{ ForceFlush(context.Context) error }); ok {
			_ = p.ForceFlush(ctx) // the SDK has told its own error handler
		}
	}
}
