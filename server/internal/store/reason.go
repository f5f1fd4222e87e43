package store

import (
	"context"
	"time"
)

// ReasonReader is the part of Reader that tells, over all tools, why answers said
// nothing or may have lied, and what was called after what. It reads events.
type ReasonReader interface {
	// EmptyTools are the empty answers by tool and rule, most calls first.
	EmptyTools(ctx context.Context, f Filter, limit int) ([]ReasonRow, error)
	// SuspectTools are the ok calls that carry a mark, by tool and mark.
	SuspectTools(ctx context.Context, f Filter, limit int) ([]ReasonRow, error)
	// Pairs counts how often a call of one tool came right after one of another, in
	// the same session and within the range. The rest of the filter narrows the
	// earlier call.
	Pairs(ctx context.Context, f Filter, limit int) ([]PairRow, error)
	// UnknownAsked counts who asked for tools that no server has: Then is the client.
	UnknownAsked(ctx context.Context, f Filter, limit int) ([]PairRow, error)
	// UnknownNext counts what was called right after, in the same session: Then is the
	// tool, or empty where nothing came within the range. Calls in no session are not
	// counted.
	UnknownNext(ctx context.Context, f Filter, limit int) ([]PairRow, error)
	// ToolLoops are the tools that were in a loop of a session (outcomes.md 6.4), most
	// sessions first: asked the same with the same end again and again, or by turns with
	// another question.
	ToolLoops(ctx context.Context, f Filter, limit int) ([]LoopRow, error)
}

// LoopRow is a tool, in how many sessions it was in a loop, and how many calls these
// loops had.
type LoopRow struct {
	Tool            string
	Sessions, Calls int64
}

// ReasonRow is a tool, and why its answers are listed.
type ReasonRow struct {
	Tool, Reason   string
	Calls, Clients int64
	LastSeen       time.Time
}

// PairRow is how often Then came with, or after, First.
type PairRow struct {
	First, Then string
	Calls       int64
}
