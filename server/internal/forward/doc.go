// Package forward tells an OpenTelemetry collector of the events that this node
// stored: spans and metrics under the names of package otelout.
//
// In: batches that the store took, and what the log still holds of those before.
// Out: OTLP over HTTP. What leaves is what was stored, redacted; inputs, outputs and
// intents leave only if an option says so.
//
// It never makes anybody wait. A span that was not taken is sent again; its ids are
// made from the event's, so that what is sent twice is the same span. Every span and
// metric is marked, and the door for OTLP passes over what is so marked: a collector
// that sends to Umpire makes no events of events.
package forward
