package store

import (
	"time"

	"github.com/umpire-mcp/umpire"
)

// Place is where a list that is read in parts goes on: behind the event that
// started then and has this id. The zero Place is its begin.
type Place struct {
	At time.Time
	ID umpire.ID
}

// Text is the id in its canonical form.
func (p Place) Text() string { return p.ID.String() }

// CallRow is one call in a list. As in every row, what is not known is Unknown;
// what a call need not have is empty.
type CallRow struct {
	ID                          umpire.ID
	StartedAt                   time.Time
	Tool, Server, Version, Env  string
	Client, ClientVersion       string // ClientVersion is empty where it is not known
	Platform, Session, User     string
	SeenBy                      string
	Slice, Outcome              string
	Cause, EmptyRule, Evidence  string
	ErrorType                   string
	ErrorStatus                 int64 // 0: none
	ErrorMessage, Fingerprint   string
	Suspects                    []string
	DurationUS                  *int64
	RequestBytes, ResponseBytes *int64
	ArgsHash                    string
	IsRetry, Reworded, Repeated bool
	Intent                      string
}

// SessionRow is a session, or a part of a derived one, as far as the filter's calls
// make it.
type SessionRow struct {
	Session string
	// FirstAt and LastAt are when the first and the last call started, LastEnd when
	// the last of them to end ended.
	FirstAt, LastAt, LastEnd time.Time
	Counts
	Retries, Reworded, Tools int64
	Loop                     bool // outcomes.md 6.4
	// Of the newest call.
	Client, ClientVersion, User string
}

// SessionsAsked is which sessions of a list are asked for.
type SessionsAsked struct {
	// Behind and Session are the row that the list goes on behind: its LastAt and name.
	Behind  time.Time
	Session string
	// Failed and Loops leave those that hold a failed call, or a loop.
	Failed, Loops bool
}

// SessionPart is a part of a derived session: its calls began from From, and before
// To, which is the From of the next, or of nothing.
type SessionPart struct{ From, To, LastEnd time.Time }

// Stored is an event as it is stored, with what Apply decided about it.
type Stored struct {
	umpire.Event
	ReceivedAt, EndedAt time.Time
}

// IntentRow is a tool's calls, and how many of them tell an intent.
type IntentRow struct {
	Tool        string
	Calls, Told int64
}

// UserRow is a user's calls. FirstSeen is in the range; Returning says that he called
// before it, too, since the moment that was asked for. Days are those in UTC.
type UserRow struct {
	User string
	Counts
	FirstSeen, LastSeen time.Time
	Days                int64
	Returning           bool
}

// UserPoint is the users of one step; New are those who had not called before it.
type UserPoint struct {
	At         time.Time
	Users, New int64
}

// UserTotals are distinct users: lately, in the range, and new in it.
type UserTotals struct{ Day, Week, Month, Range, New int64 }

// Lately are the moments from which on the day, the week and the month of the filter
// are counted.
func (f Filter) Lately() (day, week, month time.Time) {
	end := f.To
	if !f.Now.IsZero() && f.Now.Before(end) {
		end = f.Now
	}
	return end.AddDate(0, 0, -1), end.AddDate(0, 0, -7), end.AddDate(0, 0, -30)
}

// ReadRow is what was read under one registered name. Reads without an outcome were
// given up.
type ReadRow struct {
	Name                            string
	Reads                           int64
	OK, BadArgs, ToolError, Crashed int64
	Clients                         int64
	Latency                         Histogram
	LastSeen                        time.Time
}
