package umpire

// Rules is the version of the classification rules (docs/outcomes.md) that
// this package judges by. It is written on every event. A change that moves
// numbers raises it.
const Rules = 1

// Outcome says how a tools/call ended: exactly one of four values
// (outcomes.md 2). The list never grows: what is new becomes a cause.
type Outcome string

// The four outcomes.
const (
	// OK: the tool answered, and not with an error (outcomes.md 2.8).
	OK Outcome = "ok"
	// BadArgs: the handler never ran, or refused what the schema forbids (outcomes.md 2.2).
	BadArgs Outcome = "bad_args"
	// ToolError: the handler ran and said no (outcomes.md 2.4).
	ToolError Outcome = "tool_error"
	// Crashed: a panic, a broken answer, or none at all (outcomes.md 2.3).
	Crashed Outcome = "crashed"
)

// Known reports whether o is one of the four outcomes.
func (o Outcome) Known() bool {
	return o == OK || o == BadArgs || o == ToolError || o == Crashed
}

// Failed reports whether o counts in the error rate.
func (o Outcome) Failed() bool {
	return o == BadArgs || o == ToolError || o == Crashed
}

// Slice is what a call is counted under on a page: the outcome, with the empty
// answers split off ok.
type Slice string

// Slices lists the five slices in the order in which they are always shown:
// ok, empty, bad_args, tool_error, crashed.
func Slices() [5]Slice {
	return [5]Slice{Slice(OK), sliceEmpty, Slice(BadArgs), Slice(ToolError), Slice(Crashed)}
}

const sliceEmpty Slice = "empty"

// Slice returns the slice of the call. This and the one SQL expression in the
// server's store are the only two statements of "ok minus empty"; a property
// test holds them equal. A call without a known outcome has the slice "".
func (c Call) Slice() Slice {
	switch {
	case !c.Outcome.Known():
		return ""
	case c.Outcome == OK && c.Empty:
		return sliceEmpty
	default:
		return Slice(c.Outcome)
	}
}
