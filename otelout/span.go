package otelout

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/umpire-mcp/umpire"
)

// span makes the span of an event, and returns a context that holds it, so that
// a metric can point to it.
func (t *teller) span(e *umpire.Event) context.Context {
	end := e.StartedAt
	if e.DurationUS != nil {
		end = end.Add(time.Duration(*e.DurationUS) * time.Microsecond)
	}
	errorType := errorType(e)
	ctx, span := t.tracer.Start(parent(e), spanName(e),
		trace.WithSpanKind(trace.SpanKindServer),
		trace.WithTimestamp(e.StartedAt),
		trace.WithAttributes(spanAttributes(e, errorType)...), // at the start: samplers read them
	)
	if errorType != "" {
		span.SetStatus(codes.Error, e.ErrorMessage)
	}
	span.End(trace.WithTimestamp(end))
	return ctx
}

// parent is the span of the client, from _meta.traceparent; without one the span
// begins a trace.
func parent(e *umpire.Event) context.Context {
	ctx := context.Background()
	traceID, err := trace.TraceIDFromHex(e.TraceID)
	if err != nil {
		return ctx
	}
	spanID, err := trace.SpanIDFromHex(e.SpanID)
	if err != nil {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID, SpanID: spanID, Remote: true, TraceFlags: trace.TraceFlags(0).WithSampled(!e.Unsampled),
	}))
}

// spanName is the method and the tool or prompt. A name that none has is left out:
// spans are grouped by name, and callers can make up as many as they like.
func spanName(e *umpire.Event) string {
	_, name := target(e)
	if name == "" || e.Kind == "resource" || e.Cause == causeUnknownTool {
		return method(e)
	}
	return method(e) + " " + name
}
