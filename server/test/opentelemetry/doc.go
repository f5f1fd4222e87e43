// Package opentelemetry runs the OpenTelemetry SDK for Go, with its real exporters
// over HTTP and gRPC, against the real door: a watched MCP server's spans by the
// semantic conventions, and Umpire's own by otelout, of which nothing may be lost.
package opentelemetry
