// Package posthog is the door for PostHog's SDKs: @posthog/mcp, everyone who sends
// $mcp_tool_call by hand, and agentcat's PostHog exporter.
//
// In: POST /batch, /capture, /i/v0/e and /i/v1/analytics/events, with or without a
// slash at the end, plain or gzip, with the key in the body or as a bearer. Out:
// events for the pipeline, judged again by outcomes.md; answers as PostHog gives
// them. An $exception is never a call: it says of the call beside it that it was
// thrown, and under which name. Whatever is not about MCP is counted and dropped.
package posthog
