package otelout

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/umpire-mcp/umpire"
)

// bounds, in seconds, are those that the conventions advise.
var bounds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

type counts struct {
	duration metric.Float64Histogram
	calls    metric.Int64Counter
	more     func(*umpire.Event) []attribute.KeyValue // nil: no more attributes
}

// newCounts never fails: a meter that refuses an instrument returns one that
// does nothing, and the owner's error handler is told.
func newCounts(m metric.Meter, more func(*umpire.Event) []attribute.KeyValue) counts {
	duration, err := m.Float64Histogram("mcp.server.operation.duration",
		metric.WithUnit("s"),
		metric.WithDescription("The duration of an MCP request as observed on the receiver."),
		metric.WithExplicitBucketBoundaries(bounds...))
	if err != nil {
		otel.Handle(err)
	}
	calls, err := m.Int64Counter("umpire.calls",
		metric.WithUnit("{call}"),
		metric.WithDescription("Tool calls, also those that were never answered and have no duration."))
	if err != nil {
		otel.Handle(err)
	}
	return counts{duration: duration, calls: calls, more: more}
}

// add counts a call, a resource or a prompt, of which the latter two are in no
// count of calls. One that was never answered has no duration, and is not given
// one.
func (c counts) add(ctx context.Context, e *umpire.Event) {
	attributes := metricAttributes(e)
	if c.more != nil {
		attributes = append(attributes, c.more(e)...)
	}
	labels := metric.WithAttributeSet(attribute.NewSet(attributes...))
	if !isRead(e) {
		c.calls.Add(ctx, 1, labels)
	}
	if e.DurationUS != nil {
		c.duration.Record(ctx, float64(*e.DurationUS)/1e6, labels)
	}
}

func metricAttributes(e *umpire.Event) []attribute.KeyValue {
	l := make(list, 0, 12)
	l.shared(e, errorType(e))
	switch key, name := target(e); {
	case e.Kind == "resource": // its URI is for spans; the conventions leave it out of metrics
	case e.Kind == "prompt" || isTool(e):
		l.word(key, name)
	}
	return l
}

// isTool reports whether the name is known to be one that the server gave and
// not one that a caller made up.
func isTool(e *umpire.Event) bool {
	return e.Cause != causeUnknownTool && (e.Definition != "" || e.HandlerRan == "yes" || e.Outcome == umpire.OK)
}
