// Package endtoend holds the test of package otelout that needs OpenTelemetry's
// exporters and another house's reader of OTLP. It is a module of its own, so
// that none of these is a requirement of otelout.
package endtoend
