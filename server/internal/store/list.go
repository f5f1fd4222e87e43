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
	IsRetry, Reworded, Repeated bool
	Intent                      string
}

// Stored is an event as it is stored, with what Apply decided about it.
type Stored struct {
	umpire.Event
	ReceivedAt, EndedAt time.Time
}
