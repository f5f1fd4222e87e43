package format

// Sender names who told of calls, by seen_by and sdk.name of the events: PostHog
// (posthog-node-mcp). What is not known is left out.
func Sender(seenBy, sdk string) string {
	name, known := senderWords[seenBy]
	if !known {
		name = seenBy
	}
	if sdk == "" || sdk == "unknown" || sdk == seenBy || seenBy == "proxy" || seenBy == "import" {
		return name
	}
	return name + " (" + sdk + ")"
}

var senderWords = map[string]string{
	"sdk": "Umpire's SDK", "proxy": "the proxy", "import": "an import", "otlp": "OpenTelemetry", "posthog": "PostHog", "agentcat": "AgentCat",
	"mcpulse": "MCPulse", "yavio": "Yavio", "amplitude": "Amplitude", "sentry": "Sentry",
}

// Unseen names what a sender may not report, by the names of the figures in the read
// API.
func Unseen(what string) string {
	if words, known := unseenWords[what]; known {
		return words
	}
	return what
}

var unseenWords = map[string]string{
	"empty": "empty answers", "bad_args": "refused arguments", "unknown_tools": "unknown tools", "tool_error": "tool errors",
	"crashed": "crashes", "cancelled": "cancelled requests", "bytes": "sizes", "sessions": "sessions", "clients": "clients",
	"error_type": "names of errors", "error_message": "messages of errors",
}
