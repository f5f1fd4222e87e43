// Package mcpulse is the door for MCPulse's SDKs, built from their published format.
//
// In: POST /v1/ingest with {"batch":[…]} and a bearer. Out: events for the pipeline
// with the outcome that the sender told, which is one of the same four: no text, no
// result and no id is sent to judge from. The answer is 202 with an empty body.
package mcpulse
