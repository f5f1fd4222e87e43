// Package yavio is the door for two vendors who share a path: Yavio's SDK, and
// mcpspan's SDKs. The shape of an event tells them apart: event_type against
// toolName.
//
// In: POST /v1/events with {"events":[…]} and a bearer, and Yavio's
// /v1/widget-tokens. Out: events for the pipeline, judged again by outcomes.md;
// answers as each vendor gives them. Yavio's SDK waits for /v1/widget-tokens before
// every successful call is answered, so that is answered at once, whatever its key,
// in a way that the SDK remembers and that adds nothing to results.
package yavio
