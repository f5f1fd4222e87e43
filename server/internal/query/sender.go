package query

import "strings"

// What a sender of events may be unable to show, by the name of the figure that
// would be zero, or too low, for that reason alone.
const (
	unseenEmpty     = "empty"
	unseenBadArgs   = "bad_args"
	unseenUnknown   = "unknown_tools"
	unseenToolError = "tool_error"
	unseenCrashed   = "crashed"
	unseenCancelled = "cancelled"
	unseenBytes     = "bytes"
	unseenSessions  = "sessions"
	unseenClients   = "clients"
	unseenNames     = "error_type"
	unseenMessages  = "error_message"
)

// profile is what a kind of sender can show of the calls that it tells of.
type profile struct {
	seenBy string
	// sdk is a part of sdk.name, version how sdk.version begins; empty: any.
	sdk, version string
	// never names what is always zero, partly what is a lower bound.
	never, partly []string
	note          string
}

const generic = "A span holds what its instrumentation puts into it; what is not there is not counted."

// profiles are the senders that show less than Umpire's own SDK, which shows it all.
// The first that fits counts. They say what is left after the doors judged again
// (docs/outcomes.md), measured where there is a sample in spec/corpus/doors (a test
// holds the two together), and else from the published format.
var profiles = []profile{
	{
		seenBy: "proxy", partly: []string{unseenCrashed, unseenNames},
		note: "From outside, an exception and a refusal look the same in most SDKs, and few errors have a name.",
	},
	{
		seenBy: "import", partly: []string{unseenCrashed, unseenNames},
		note: "In a transcript, an exception and a refusal look the same in most SDKs, and few errors have a name.",
	},
	{
		seenBy: "posthog", sdk: "posthog-node-mcp", never: []string{unseenCancelled}, partly: []string{unseenCrashed},
		note: "A cancelled call arrives as a success. Crashes are told from refusals by $exception events, empty answers and refused arguments by responses and messages: only while the app sends them.",
	},
	{
		seenBy: "posthog", sdk: "posthog-python-mcp", never: []string{unseenCancelled}, partly: []string{unseenCrashed},
		note: "Of a cancelled call nothing is sent. Crashes are told from refusals by $exception events, empty answers and refused arguments by responses and messages: only while the app sends them.",
	},
	{
		seenBy: "posthog", never: []string{unseenCancelled},
		partly: []string{unseenEmpty, unseenBadArgs, unseenUnknown, unseenCrashed, unseenBytes, unseenSessions, unseenClients, unseenNames, unseenMessages},
		note:   "Events made by hand show what their author put into them.",
	},
	{
		seenBy: "agentcat", sdk: "-go", never: []string{unseenCancelled, unseenCrashed}, partly: []string{unseenNames},
		note: "The Go SDK gives every error the same type and a made-up stack: crashes arrive as tool errors, and a cancelled call as a success.",
	},
	{
		seenBy: "agentcat", sdk: "-python", never: []string{unseenCancelled}, partly: []string{unseenSessions},
		note: "Of a cancelled call nothing arrives, or a success. A call in which the model does not send the session id that it was given is a session of its own.",
	},
	{
		seenBy: "agentcat", never: []string{unseenCancelled},
		note: "A cancelled call arrives as a success.",
	},
	{
		seenBy: "mcpulse", never: []string{unseenUnknown, unseenCancelled, unseenNames, unseenMessages}, partly: []string{unseenBadArgs, unseenSessions},
		note: "Outcomes are taken as the SDK tells them, without names or messages. Its Go SDK counts refused arguments as tool errors, and a session is a process.",
	},
	{
		seenBy: "mcpspan", never: []string{unseenCancelled}, partly: []string{unseenEmpty},
		note: "Results are not sent: an answer counts as empty only where its size says so. A cancelled call arrives as a success.",
	},
	{
		seenBy: "yavio", never: []string{unseenBadArgs, unseenUnknown, unseenCancelled, unseenNames},
		partly: []string{unseenEmpty, unseenToolError, unseenBytes, unseenClients},
		note:   "Refused arguments and unknown tools are not sent at all. A refusal arrives as a success, and is seen as one, or as empty, only where outputs are sent.",
	},
	{
		seenBy: "amplitude", sdk: "python", partly: []string{unseenEmpty, unseenNames, unseenSessions},
		note: "Results are not sent: an answer counts as empty only where its size says so.",
	},
	{
		seenBy: "amplitude", never: []string{unseenCancelled}, partly: []string{unseenEmpty, unseenNames, unseenSessions},
		note: "Results are not sent: an answer counts as empty only where its size says so. A cancelled call arrives as a success.",
	},
	{
		seenBy: "sentry", version: "10.", never: []string{unseenBadArgs, unseenUnknown},
		partly: []string{unseenEmpty, unseenCancelled, unseenBytes, unseenSessions, unseenNames, unseenMessages},
		note:   "Refused arguments and unknown tools arrive as error results without their text, and count as tool errors.",
	},
	{
		seenBy: "sentry", partly: []string{unseenEmpty, unseenBadArgs, unseenUnknown, unseenCancelled, unseenBytes, unseenSessions, unseenNames, unseenMessages},
		note: "Much is known only while the app lets Sentry record results. Traces that are sampled away are not counted.",
	},
	{
		seenBy: "otlp", sdk: "shinzo", never: []string{unseenEmpty, unseenBadArgs, unseenUnknown, unseenCancelled, unseenBytes, unseenClients},
		partly: []string{unseenToolError, unseenSessions},
		note:   "It sees thrown errors only: error results arrive as successes, and refused arguments and unknown tools are not sent at all. A session is a process.",
	},
	{
		seenBy: "otlp", sdk: "opentel-mcp-python", never: []string{unseenEmpty, unseenBadArgs, unseenUnknown, unseenBytes, unseenSessions, unseenClients},
		partly: []string{unseenNames, unseenMessages},
		note:   "It tells what was thrown; refused arguments and unknown tools arrive as tool errors, whose messages are not sent.",
	},
	{
		seenBy: "otlp", sdk: "opentel-mcp", never: []string{unseenEmpty, unseenCancelled, unseenBytes, unseenSessions, unseenClients, unseenNames, unseenMessages},
		partly: []string{unseenUnknown, unseenCrashed},
		note:   "Crashes and unknown tools arrive as tool errors in versions that do not say through which channel a call failed.",
	},
	{
		seenBy: "otlp", sdk: "mcp-go", never: []string{unseenEmpty, unseenCancelled, unseenBytes, unseenClients}, partly: []string{unseenBadArgs, unseenSessions, unseenNames, unseenMessages},
		note: "A span tells an error result from a failed request, and nothing of what was answered. Over stdio there is no session.",
	},
	{
		seenBy: "otlp", sdk: "agentcat", never: []string{unseenEmpty, unseenBadArgs, unseenUnknown, unseenCrashed, unseenCancelled, unseenBytes, unseenNames, unseenMessages},
		note: "AgentCat's exporter tells that a call failed, and nothing else: all failures are tool errors. Its own wire tells more (docs/migrate).",
	},
	{
		seenBy: "otlp", sdk: "traceloop", never: []string{unseenNames}, partly: []string{unseenCrashed, unseenBytes, unseenSessions, unseenClients},
		note: "Traceloop watches from within the agent, where an exception and a refusal look the same.",
	},
	{
		seenBy: "otlp",
		partly: []string{unseenEmpty, unseenBadArgs, unseenUnknown, unseenCrashed, unseenCancelled, unseenBytes, unseenSessions, unseenClients, unseenNames, unseenMessages},
		note:   generic,
	},
}

// profileOf finds what is known of a sender; nil if it shows everything, or nobody
// knows.
func profileOf(seenBy, sdk, version string) *profile {
	for i := range profiles {
		p := &profiles[i]
		if p.seenBy == seenBy && strings.Contains(strings.ToLower(sdk), p.sdk) && strings.HasPrefix(version, p.version) {
			return p
		}
	}
	return nil
}

// SenderLimits are all kinds of senders that show less than Umpire's own SDK, whether
// they sent anything or not.
func SenderLimits() []NotReported {
	out := make([]NotReported, 0, len(profiles))
	for _, p := range profiles {
		sdk := p.sdk
		if p.version != "" {
			sdk = strings.TrimSpace(sdk + " " + p.version)
		}
		out = append(out, NotReported{Sender: p.seenBy, SDK: sdk, Note: p.note, What: append([]string{}, p.never...), LowerBound: append([]string{}, p.partly...)})
	}
	return out
}
