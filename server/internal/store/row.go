package store

import "time"

// Counts are the additive counters of a set of calls: events of kind call with
// a known outcome. OK + BadArgs + ToolError + Crashed = Calls, and Empty is a
// part of OK.
type Counts struct {
	Calls, OK, Empty, BadArgs, ToolError, Crashed int64
}

// Totals is everything additive about a set of calls.
type Totals struct {
	Counts
	Cancelled, Rounds int64
	// SetAside counts call events that carry no outcome and nothing to judge
	// one from; they are in no rate.
	SetAside int64
	// OtherKinds counts events of a kind that this version does not know, by
	// their raw name.
	OtherKinds map[string]int64
	// Outside counts the calls that were seen on the wire alone, by the proxy.
	Outside int64
	// Retries and Reworded: outcomes.md 6.2. NoSession counts calls in no session.
	Retries, Reworded, NoSession int64
	// FirstCalls is the denominator of first-call success, FirstOK those of them
	// that were ok and not empty (outcomes.md 6.3).
	FirstCalls, FirstOK int64
	// RequestBytes sums over the RequestKnown calls whose size is known; the
	// response alike.
	RequestBytes, RequestKnown   int64
	ResponseBytes, ResponseKnown int64
	Latency                      Histogram
	// Sessions counts distinct sessions with at least one call.
	Sessions int64
}

// Histogram counts durations by their Bucket.
type Histogram map[int]int64

// Point is one step of a series.
type Point struct {
	At time.Time // StepStart of the calls counted
	Counts
	// FirstCalls, FirstOK, Latency and Sessions are as in Totals.
	FirstCalls, FirstOK int64
	Latency             Histogram
	Sessions            int64
}

// ToolRow is one tool's calls. LastSeen is when the last of them started.
type ToolRow struct {
	Tool string
	Counts
	Latency                      Histogram
	ResponseBytes, ResponseKnown int64
	Retries                      int64
	FirstCalls, FirstOK          int64
	LastSeen                     time.Time
}

// ClientRow is one client's calls, over all of its versions. LastSeen is when
// the last of them started.
type ClientRow struct {
	Client string
	// Versions are those that the calls came from, in the order in which they
	// were first seen in the range.
	Versions []string
	Counts
	Latency  Histogram
	Sessions int64
	LastSeen time.Time
}

// SenderRow is who told of calls, and of how many.
type SenderRow struct {
	SeenBy, SDK, SDKVersion string
	Calls                   int64
}

// CatalogRow is a tool that a server lists, by its newest definition. FirstSeen
// is when the tool was first listed, in any definition.
type CatalogRow struct {
	Server, Env, Tool, Title, Description, Definition string
	Bytes                                             int64
	InputSchema                                       string
	FirstSeen, LastSeen                               time.Time
}

// DefinitionRow is one version of a tool's definition.
type DefinitionRow struct {
	Definition, Title, Description, InputSchema string
	Bytes                                       int64
	FirstSeen, LastSeen                         time.Time
}

// UnknownToolRow is a name that was asked for and that no server has (cause
// unknown_tool).
type UnknownToolRow struct {
	Name    string
	Calls   int64
	Nearest []string
	Clients int64
}

// FailureKey is what the calls of a group of failures have in common.
type FailureKey struct {
	Fingerprint, Tool, Outcome, Cause, ErrorType string
	ErrorStatus                                  int64 // 0: none
}

// FailureRow is a group of failures with one fingerprint.
type FailureRow struct {
	FailureKey
	Message             string // of the newest call that has one
	Sample              string // the id of the newest call
	Calls, Clients      int64
	FirstSeen, LastSeen time.Time // in the filter's range
	// FirstEver is when the project saw the fingerprint of the tool for the first
	// time, whatever the range and the filter, as far back as rollups are kept.
	FirstEver time.Time
}

// BadParamRow is an argument that was refused by a rule.
type BadParamRow struct {
	Tool, Path, Rule string
	Calls, Clients   int64
	Near             string
}

// NameCount is a name and how often it occurred.
type NameCount struct {
	Name  string
	Calls int64
}

// Facets are the values that occur, most called first, at most MaxFacets each.
type Facets struct {
	Servers, Versions, Envs, Tools, Clients, Platforms []string
}

// MaxFacets bounds each list of Facets: what a menu can show.
const MaxFacets = 500
