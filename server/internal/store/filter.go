package store

import "time"

// Filter narrows a question. A list means any of its values; an empty list
// narrows nothing. The names are the same in the query string, the flags and
// the tools' arguments (docs/wire.md).
type Filter struct {
	Project uint32
	// From and To bound started_at: From <= t < To, both UTC.
	From, To time.Time
	// Now is when the question is asked: a call that ended less than 30 seconds
	// before it is not yet in first-call success (outcomes.md 6.3).
	Now time.Time

	// Held by the hourly rollups.
	Server, Version, Env, Tool, Client, Platform []string
	// Held by raw events only.
	Outcome, Slice, Cause, ErrorType, ErrorStatus, Fingerprint, Session, User []string
}

// FromRollups reports whether the hourly rollups can answer: both edges are
// whole hours, and no filter is set that only raw events hold.
func (f Filter) FromRollups() bool {
	for _, list := range [][]string{f.Outcome, f.Slice, f.Cause, f.ErrorType, f.ErrorStatus, f.Fingerprint, f.Session, f.User} {
		if len(list) > 0 {
			return false
		}
	}
	return f.From.Equal(f.From.Truncate(time.Hour)) && f.To.Equal(f.To.Truncate(time.Hour))
}
