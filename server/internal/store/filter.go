package store

import "time"

// Unknown is the name of what is not known: a row, a facet or a filter value for
// calls whose client, version, session … is empty. Every answer says it, and
// every filter takes it. (A value that is spelled "unknown" by its sender, as a
// platform may be, is the same.) Of the filters that describe a failure (cause,
// error type, error status, fingerprint) it means the failed calls without one;
// of outcome and slice, the events without a known outcome; of the rule of an
// empty answer, the empty answers without one. There is always a mark, or none.
const Unknown = "unknown"

// Outside is the name under which a backend counts, beside the kinds of events,
// the calls that were seen from outside: no kind is spelled so.
const Outside = "calls seen from outside"

// Recent is how long a call must have ended before first-call success counts it
// (outcomes.md 6.3), and how soon after the end of a call another one of the
// same tool is its rewording (outcomes.md 6.2).
const Recent = 30 * time.Second

const (
	// DerivedSession begins the name of a session that its sender derived from a
	// user or a token, who may come and go for ever (outcomes.md 6.1).
	DerivedSession = "derived-"
	// Silence ends a derived session: the call that begins so long after all earlier
	// ones of it ended, or later, is the first of the next. A call that took longer
	// than a day counts here as if it took one.
	Silence = 30 * time.Minute
)

// Filter narrows a question. A list means any of its values; an empty list
// narrows nothing. The names are the same in the query string, the flags and
// the tools' arguments (docs/wire.md).
type Filter struct {
	Project uint32
	// From and To bound started_at: From <= t < To, both UTC, in microseconds.
	From, To time.Time
	// Now is when the question is asked: a call that ended less than 30 seconds
	// before it is not yet in first-call success (outcomes.md 6.3). The zero Now
	// waits for nothing.
	Now time.Time

	// Held by the hourly rollups.
	Server, Version, Env, Tool, Client, Platform []string
	// Held by raw events only.
	Outcome, Slice, Cause, ErrorType, ErrorStatus, ErrorClass, Fingerprint, Session, User []string
	// EmptyRule lets through the empty answers by these rules (outcomes.md 3.3), Mark the
	// ok calls that carry any of these marks (outcomes.md 4).
	EmptyRule, Mark []string
	// ClientVersion is what the client of a call says it is; raw events only.
	ClientVersion []string
	// NewSince, unless zero, lets through the failures alone whose kind (tool and
	// fingerprint) was never seen in the project before.
	NewSince time.Time
}

// FromRollups reports whether the hourly rollups can answer: both edges are
// whole hours, and no filter is set that only raw events hold.
func (f Filter) FromRollups() bool {
	for _, list := range [][]string{f.Outcome, f.Slice, f.Cause, f.ErrorType, f.ErrorStatus, f.ErrorClass, f.Fingerprint, f.Session, f.User, f.EmptyRule, f.Mark, f.ClientVersion} {
		if len(list) > 0 {
			return false
		}
	}
	return f.NewSince.IsZero() && wholeHour(f.From) && wholeHour(f.To)
}

func wholeHour(t time.Time) bool { return t.Equal(t.Truncate(time.Hour)) }

// monday is where all steps are counted from, so that steps of days begin at
// midnight UTC and steps of weeks on a Monday.
var monday = time.Date(1969, time.December, 29, 0, 0, 0, 0, time.UTC)

// StepStart is the start of the step that t lies in: the points of a series lie
// at multiples of the step, counted from a Monday at midnight UTC.
func StepStart(t time.Time, step time.Duration) time.Time {
	since := t.Sub(monday)
	down := since % step
	if down < 0 {
		down += step
	}
	return t.Add(-down).UTC()
}
