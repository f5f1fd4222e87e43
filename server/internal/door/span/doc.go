// Package span reads what a span of an MCP server says of a call, whoever made the
// span: OpenTelemetry's semantic conventions, the instrumentations that came before
// them, Umpire's own otelout, and Sentry.
//
// In: a Span, whichever wire it came over. Out: an event for the pipeline, judged by
// outcomes.md, or nothing: most spans are about something else. A span belongs to
// one call only if it is the server's own of the whole request (Method says how that
// is told). It keeps nothing, and asks nobody: the same spans give the same events,
// in whatever order and batch they come.
package span
