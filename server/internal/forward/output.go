package forward

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelmetric "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/otelout"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// maxSeries bounds the labels of the metrics; beyond it, the SDK counts under
// otel.metric.overflow.
const maxSeries = 2000

// told is an event and the name of its project.
type told struct {
	entry   *store.Entry
	project string
}

// output makes spans and metrics and sends them. It is the worker's own.
type output struct {
	exporter sdktrace.SpanExporter
	tell     func(umpire.Event)
	tracer   *sdktrace.TracerProvider
	meter    *metric.MeterProvider

	now   told
	made  []sdktrace.ReadOnlySpan
	owner *resource.Resource // of the span that is made
}

func newOutput(ctx context.Context, opts Options) (*output, error) {
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(opts.URL+"/v1/traces"),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	if err != nil {
		return nil, err
	}
	points, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(opts.URL+"/v1/metrics"),
		otlpmetrichttp.WithCompression(otlpmetrichttp.GzipCompression), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	if err != nil {
		return nil, err
	}
	var instance [8]byte
	_, _ = rand.Read(instance[:]) // it never fails
	self := resource.NewSchemaless(
		attribute.String("service.name", "umpire"), attribute.String("service.version", opts.Version),
		attribute.String("service.instance.id", hex.EncodeToString(instance[:])), attribute.Bool(Mark, true))
	o := &output{exporter: spans}
	o.tracer = sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithSpanProcessor(o), sdktrace.WithIDGenerator(o))
	o.meter = metric.NewMeterProvider(metric.WithResource(self), metric.WithCardinalityLimit(maxSeries), metric.WithReader(metric.NewPeriodicReader(points)))
	o.tell = otelout.New(otelout.Options{TracerProvider: tracers{o.tracer}, MeterProvider: meters{o.meter}, MetricAttributes: o.labels})
	return o, nil
}

// tracers and meters are providers that cannot be flushed: otelout would have them,
// after a call that ended its process, and it is not this process.
type (
	tracers struct{ trace.TracerProvider }
	meters  struct{ otelmetric.MeterProvider }
)

// labels are those that the metrics of several projects and servers need.
func (o *output) labels(e *umpire.Event) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("umpire.project", o.now.project), attribute.String("umpire.server.name", e.Server.Name)}
}

// spans makes the spans of events, and counts them.
func (o *output) spans(events []told) []sdktrace.ReadOnlySpan {
	o.made = make([]sdktrace.ReadOnlySpan, 0, len(events))
	for _, t := range events {
		e := &t.entry.Event
		o.now, o.owner = t, resourceOf(t.project, &e.Server)
		o.tell(*e)
	}
	return o.made
}

func resourceOf(project string, server *umpire.Peer) *resource.Resource {
	l := []attribute.KeyValue{attribute.String("umpire.project", project), attribute.Bool(Mark, true)}
	for _, a := range []struct{ key, value string }{
		{"service.name", server.Name}, {"service.version", server.Version}, {"deployment.environment.name", server.Env},
	} {
		if a.value == "" && a.key == "service.name" {
			a.value = store.Unknown
		}
		if a.value != "" {
			l = append(l, attribute.String(a.key, a.value))
		}
	}
	return resource.NewSchemaless(l...)
}

// owned is a span of somebody else's service.
type owned struct {
	sdktrace.ReadOnlySpan
	of *resource.Resource
}

func (s owned) Resource() *resource.Resource { return s.of }

// What follows makes the output a sdktrace.SpanProcessor and a sdktrace.IDGenerator.

func (o *output) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

func (o *output) OnEnd(s sdktrace.ReadOnlySpan) {
	o.made = append(o.made, owned{s, o.owner})
}

func (o *output) Shutdown(context.Context) error   { return nil }
func (o *output) ForceFlush(context.Context) error { return nil }

// NewIDs makes the ids from the event's: the same event is the same span.
func (o *output) NewIDs(context.Context) (t trace.TraceID, s trace.SpanID) {
	sum := sha256.Sum256([]byte(o.now.project + "\x00" + o.now.entry.Event.ID.String()))
	copy(t[:], sum[:16])
	copy(s[:], sum[16:24])
	return t, s
}

func (o *output) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, s := o.NewIDs(ctx)
	return s
}

// answered is an error that the collector told. Final: it never takes these.
type answered struct {
	error
	final bool
}

func (e *answered) Unwrap() error { return e.error }

var partial = regexp.MustCompile(`\((\d+) spans rejected\)`)

// send has the collector take the spans, but for those that it rejected.
func (o *output) send(ctx context.Context, spans []sdktrace.ReadOnlySpan) (rejected int, err error) {
	if err = o.exporter.ExportSpans(ctx, spans); err == nil {
		return 0, nil
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "partial success"):
		if m := partial.FindStringSubmatch(text); m != nil {
			rejected, _ = strconv.Atoi(m[1])
		}
		return min(rejected, len(spans)), nil
	case strings.Contains(text, "failed to send to"): // a status that the exporter does not try again
		final := false
		for _, status := range []string{"400 ", "413 ", "422 "} {
			final = final || strings.Contains(text, ": "+status)
		}
		return 0, &answered{fmt.Errorf("the collector refuses: %w", err), final}
	}
	return 0, err
}

// close sends the metrics as they are now.
func (o *output) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := o.meter.Shutdown(ctx)
	_ = o.tracer.Shutdown(ctx)
	return err
}
