package query

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// AfterErrorsAnswer answers: what did the models do after each failure?
type AfterErrorsAnswer struct {
	Header
	Next     Next        `json:"next"`     // after all failures
	Failures []NextGroup `json:"failures"` // by group
}

// NextGroup says what came next after one group of failures.
type NextGroup struct {
	Fingerprint string `json:"fingerprint"`
	Tool        string `json:"tool"`
	Outcome     string `json:"outcome"`
	Cause       string `json:"cause"`
	ErrorType   string `json:"error_type,omitempty"`
	ErrorStatus *int64 `json:"error_status"`
	Next        Next   `json:"next"`
}

// Is reports whether the group is that of f.
func (g NextGroup) Is(f Failure) bool {
	status := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	return g.Fingerprint == f.Fingerprint && g.Tool == f.Tool && g.Outcome == f.Outcome && g.Cause == f.Cause &&
		g.ErrorType == f.ErrorType && status(g.ErrorStatus) == status(f.ErrorStatus)
}

// Next counts what sessions did after failures (outcomes.md 6.5). All of them add up
// to the failures.
type Next struct {
	Corrected   int64 `json:"corrected"`
	Repeated    int64 `json:"repeated"`
	TriedAgain  int64 `json:"tried_again"`
	AnotherTool int64 `json:"another_tool"`
	GaveUp      int64 `json:"gave_up"`
	Open        int64 `json:"open"`       // not known yet
	NoSession   int64 `json:"no_session"` // cannot be known
}

// Of is how many failures have one of the five: what a share is of.
func (n Next) Of() int64 { return n.Corrected + n.Repeated + n.TriedAgain + n.AnotherTool + n.GaveUp }

// AfterErrors answers: what did the models do after each failure? It needs single
// events.
func AfterErrors(ctx context.Context, src Source, p Params) (AfterErrorsAnswer, error) {
	return asOne(ctx, src, func(src Source) (AfterErrorsAnswer, error) {
		if err := keptRaw(ctx, src, p.Filter); err != nil {
			return AfterErrorsAnswer{}, err
		}
		total, rows, err := src.AfterFailures(ctx, p.Filter, maxGroups)
		answer := AfterErrorsAnswer{Header: p.header(), Next: nextOf(total), Failures: make([]NextGroup, 0, len(rows))}
		for _, r := range rows {
			answer.Failures = append(answer.Failures, NextGroup{
				Fingerprint: r.Fingerprint, Tool: r.Tool, Outcome: r.Outcome, Cause: r.Cause, ErrorType: r.ErrorType,
				ErrorStatus: known(r.ErrorStatus, r.ErrorStatus), Next: nextOf(r.After),
			})
		}
		return answer, err
	})
}

func nextOf(a store.After) Next {
	return Next{
		Corrected: a.Corrected, Repeated: a.Repeated, TriedAgain: a.TriedAgain, AnotherTool: a.AnotherTool, GaveUp: a.GaveUp,
		Open: a.Open, NoSession: a.NoSession,
	}
}
