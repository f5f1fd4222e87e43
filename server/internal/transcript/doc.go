// Package transcript judges what somebody wrote down of the traffic of an MCP
// server: exchanges as in spec/corpus/calls.jsonl, JSON-RPC messages with or
// without direction and time around them, and log lines that end in a message.
//
// In: lines of text, of any of these shapes, mixed as they come. Out: a verdict
// for each tools/call, and an error for each line that is none of it. The rules
// are those of internal/mcpwire; this package only finds the messages.
package transcript
