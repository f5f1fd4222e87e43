// Package amplitude is the door for Amplitude's MCP analytics SDKs.
//
// In: POST /2/httpapi, and /batch by the shape of its body, which PostHog's door
// shares (Offer): {"api_key":…,"events":[…]}. Out: events for the pipeline, judged
// again by outcomes.md; answers as Amplitude gives them. Its times are those at which
// calls ended, and are moved to their beginning. Whatever is not about MCP is counted
// and dropped.
package amplitude
