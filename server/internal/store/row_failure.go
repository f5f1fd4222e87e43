package store

import "time"

// The classes of failures (outcomes.md 5.7).
const (
	ClassArguments  = "arguments"
	Class4xx        = "4xx"
	Class429        = "429"
	Class5xx        = "5xx"
	ClassTimeout    = "timeout"
	ClassConnection = "connection"
	ClassNamed      = "named"
	ClassUnnamed    = "unnamed"
)

// Classes are all classes, in the order in which they are shown.
func Classes() []string {
	return []string{ClassArguments, Class4xx, Class429, Class5xx, ClassTimeout, ClassConnection, ClassNamed, ClassUnnamed}
}

// FailurePlaceRow says how many failures of a group came from one version of the
// server, one environment and one client.
type FailurePlaceRow struct {
	FailureKey
	Server, Version, Env, Client string
	Calls                        int64
	LastSeen                     time.Time
	Sample                       string // the id of the newest call
}

// After counts what came after failures (outcomes.md 6.5). The five of them, Open
// and NoSession add up to the failures.
type After struct {
	Corrected, Repeated, TriedAgain, AnotherTool, GaveUp int64
	Open, NoSession                                      int64
}

// AfterRow is After of one group of failures.
type AfterRow struct {
	FailureKey
	After
}

// ErrorTypeRow is an error type with its status, over all tools.
type ErrorTypeRow struct {
	ErrorType           string
	ErrorStatus         int64 // 0: none
	Class               string
	Calls               int64
	Tools, Clients      int64 // distinct
	FirstSeen, LastSeen time.Time
}

// ErrorPoint counts the failures of a step that have one outcome and one class.
type ErrorPoint struct {
	At             time.Time // StepStart of the calls counted
	Outcome, Class string
	Calls          int64
}
