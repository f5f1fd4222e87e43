package doctor

import (
	"encoding/json"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// State is what a server tells of itself.
type State struct {
	Version   string    `json:"version"`
	Now       time.Time `json:"now"`
	StartedAt time.Time `json:"started_at"`
	// Role is all, ingest or web; of a node that takes no events Intake is absent.
	Role   string  `json:"role"`
	Intake *Intake `json:"intake,omitempty"`
	Disk   Disk    `json:"disk"`
	// Projects are those that whoever asks may see.
	Projects []Project `json:"projects"`
}

// Intake is how events get from the doors into the store.
type Intake struct {
	// Trouble is why no event can be taken or stored now; empty while all is well.
	Trouble string `json:"trouble,omitempty"`
	Lag     Lag    `json:"lag"`
	// DeadLetters are events that the store could not take.
	DeadLetters DeadLetters `json:"dead_letters"`
	// SetAside counts bodies that nobody could read, since the start, where the
	// sender must not be told.
	SetAside int64 `json:"set_aside"`
	// Damage is where the log could not be read, since the start; LostEvents is how
	// many that may have cost.
	Damage     []Damage `json:"damage"`
	LostEvents int64    `json:"lost_events"`
	// DamagedFiles are parts of the log that were put aside, by name.
	DamagedFiles []string `json:"damaged_files"`
	// ClockSteps counts how often the machine's clock was set since the start.
	ClockSteps int64 `json:"clock_steps"`
	// Ahead counts events that came dated more than 10 minutes ahead, since the start.
	Ahead int64 `json:"events_ahead"`
}

// Lag is what is acknowledged, safe in the log, and not in the store yet.
type Lag struct {
	Events     int     `json:"events"`
	Bytes      int64   `json:"bytes"`
	Seconds    float64 `json:"seconds"` // since the oldest came
	LimitBytes int64   `json:"limit_bytes"`
	// LogBytes is what the log takes on the disk.
	LogBytes int64 `json:"log_bytes"`
}

// DeadLetters sums them up.
type DeadLetters struct {
	Count   int            `json:"count"`
	Oldest  *time.Time     `json:"oldest"`
	Newest  *time.Time     `json:"newest"`
	Reasons map[string]int `json:"reasons"`
}

// Damage is one place of the log.
type Damage struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Lost   int64  `json:"lost_events"`
	Reason string `json:"reason"`
}

// Disk is what the data directory's file system has.
type Disk struct {
	FreeBytes  int64 `json:"free_bytes"`
	TotalBytes int64 `json:"total_bytes"` // 0: not known
}

// Project is what came for one.
type Project struct {
	Name string `json:"name"`
	// WriteKeys counts the keys in force that let events in.
	WriteKeys int `json:"write_keys"`
	// HeardAt is when one of them was last used; null: never.
	HeardAt *time.Time `json:"heard_at"`
	// Calls are those of the last 30 days; Unseen is what their senders cannot show.
	Calls  int64               `json:"calls"`
	Unseen []query.NotReported `json:"not_reported"`
	// Dropped is how many events senders said that they had to drop.
	Dropped int64 `json:"dropped"`
}

// Letter is one dead letter.
type Letter struct {
	// Seq names it.
	Seq        uint64          `json:"seq"`
	Project    string          `json:"project"`
	ID         string          `json:"id"`
	ReceivedAt time.Time       `json:"received_at"`
	SetAsideAt time.Time       `json:"set_aside_at"`
	Reason     string          `json:"reason"`
	Event      json.RawMessage `json:"event,omitempty"`
}

// Aside is a body that a door could not read, or its beginning, redacted.
type Aside struct {
	At     time.Time `json:"at"`
	Door   string    `json:"door"`
	Reason string    `json:"reason"`
	Body   string    `json:"body"`
}
