// Package otlp is the door for OpenTelemetry: any server that makes spans of its
// tool calls.
//
// In: OTLP over HTTP, protobuf or JSON, plain or gzip, at /v1/traces, and over gRPC.
// Out: events for the pipeline, judged again by outcomes.md; answers and errors as
// OTLP has them, in the form of the request. What is in /v1/metrics and /v1/logs is
// counted and dropped, as are spans that are about something else: exporters send
// all that they have to one address, and must not be told that it failed.
//
// A body is read span by span, so that one of a few bytes cannot stand for a
// million of them; one that cannot be read is refused by itself.
package otlp
