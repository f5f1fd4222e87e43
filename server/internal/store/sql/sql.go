package sql

import (
	"embed"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

//go:embed *.sql
var files embed.FS

// Question is what a statement is written for.
type Question struct {
	Filter store.Filter
	// Rollups: read the hourly rollups, not the events.
	Rollups bool
	Step    time.Duration
	// Split is where the range falls into two parts, asked for apart.
	Split time.Time
	Limit int
	Tool  string
	// Behind is where a list goes on, and ID names an event.
	Behind store.Place
	ID     umpire.ID
	// Key is the name of the session that is asked for, or behind which a list goes on
	// at the same moment.
	Key string
	// Since is the moment that the rows of a list must reach.
	Since time.Time
	// Count is of the user behind whom a list goes on: his calls.
	Count int64
	// Day, Week and Month are moments that long before the end of the range.
	Day, Week, Month time.Time
	// Intents leaves the calls that tell an intent; Missing is what models told of tools
	// that they miss.
	Intents, Missing bool
	// Failed and Loops leave the sessions that hold a failed call, or a loop.
	Failed, Loops bool
	// Table is what is read whole.
	Table store.Table
	// hourly: the dialect has no rollups by the day.
	hourly bool
}

// New returns the question under the filter, of the rollups if they can answer.
func New(f store.Filter) Question {
	return Question{Filter: f, Rollups: f.FromRollups()}
}

// Earliest is the question since the earliest of the moments that it holds.
func (q Question) Earliest() Question {
	for _, t := range []time.Time{q.Day, q.Week, q.Month, q.Filter.From} {
		if t.Before(q.Since) {
			q.Since = t
		}
	}
	return q
}

// Recent is the moment after which a call must have ended to be too recent for
// first-call success; the zero time if there is none.
func (q Question) Recent() time.Time {
	if q.Filter.Now.IsZero() {
		return time.Time{}
	}
	return q.Filter.Now.Add(-store.Recent)
}

const day = 24 * time.Hour

// Days reports whether rollups by the day answer for the whole days of the range: there
// are a few of them, and the steps are days.
func (q Question) Days() bool {
	return q.Rollups && !q.hourly && q.Step%day == 0 && q.LastDay().Sub(q.FirstDay()) >= 3*day
}

// FirstDay is where the first whole day of the range begins, LastDay where the last ends.
func (q Question) FirstDay() time.Time { return q.Filter.From.Add(day - 1).Truncate(day) }

// LastDay is said with FirstDay.
func (q Question) LastDay() time.Time { return q.Filter.To.Truncate(day) }

// CutDay is the day that Split cuts in two; the zero time if there is none.
func (q Question) CutDay() time.Time {
	if at := q.Split.Truncate(day); !at.Equal(q.Split) && !at.Before(q.FirstDay()) && at.Before(q.LastDay()) {
		return at
	}
	return time.Time{}
}

// DayAfter is where the day that begins at t ends.
func (q Question) DayAfter(t time.Time) time.Time { return t.Add(day) }

// Edges reports whether hours of the range lie in no whole day of one part.
func (q Question) Edges() bool {
	return !q.FirstDay().Equal(q.Filter.From) || !q.LastDay().Equal(q.Filter.To) || !q.CutDay().IsZero()
}

// FailureHours reports whether the hourly rollup of failures can answer, as
// Rollups does for the others: it holds all that a filter names but who called.
func (q Question) FailureHours() bool {
	f := q.Filter
	f.Outcome, f.Slice, f.Cause, f.ErrorType, f.ErrorStatus, f.ErrorClass, f.Fingerprint = nil, nil, nil, nil, nil, nil, nil
	f.NewSince = time.Time{}
	return f.FromRollups() && q.Step%time.Hour == 0
}

// Later is the filter with a day and an hour more: until then it is looked what came
// within half an hour after the end of a failure of the range (outcomes.md 6.5), unless
// it took longer than a day.
func (q Question) Later() store.Filter {
	f := q.Filter
	f.To = f.To.Add(25 * time.Hour)
	return f
}

// LookedBack is where Changes begins to look.
func (q Question) LookedBack() time.Time { return q.Filter.From.Add(-store.ChangesBefore) }

// Dimensions are what every rollup is kept by, beside project and hour.
var Dimensions = []string{"server", "version", "env", "tool", "client", "platform"}

// Counters are the additive columns of tool_hours, and what facts.sql counts.
var Counters = []string{
	"calls", "ok", "empty", "bad_args", "tool_error", "crashed", "cancelled", "rounds", "set_aside",
	"retries", "reworded", "no_session", "first_calls", "first_ok",
	"request_bytes", "request_known", "response_bytes", "response_known",
}
