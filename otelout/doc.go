// Package otelout tells OpenTelemetry of the calls that an umpire.Client records:
//
//	client := umpire.New(umpire.Options{Observer: otelout.New(otelout.Options{})})
//	gosdk.Watch(server, client)
//
// What flows in: umpire.Events, from Options.Observer, as they would leave the
// process: redacted, hashed and held to Options.Capture. What flows out: for
// each tools/call a server span, and for each that is a call by outcomes.md 1 a
// point of the histogram mcp.server.operation.duration and of the counter
// umpire.calls; for each resources/read and prompts/get a span and a point of the
// histogram alone; for each handshake a span. Names are those of the OpenTelemetry semantic conventions for
// MCP; what they have no word for is called umpire.* (docs/otel.md).
//
// The package never makes an exporter, never sets a global, and never runs on
// the path of a call: a span is made when the call is over, with the times of
// the call. No unknown tool's name, no argument's name and no fingerprint ever
// becomes an attribute of a metric.
package otelout
