package store

import (
	"context"
	"time"
)

// Keeper is what retention and erasure need. Its methods may be called beside all
// others.
type Keeper interface {
	// Expire removes the project's raw events that began before raw, and the
	// rollups of the hours before rollups; the zero time removes nothing. Both are
	// midnights in UTC. Rollups of what remains raw are not touched. It returns how
	// many events it removed.
	Expire(ctx context.Context, project uint32, raw, rollups time.Time) (int64, error)
	// Erase removes the raw events of one user or of one session, and by signed
	// deltas what they count for in every rollup; from the rollups of times without
	// raw events it removes the session's name, and what was counted stays. What was
	// a retry of a removed call is none any more.
	Erase(ctx context.Context, project uint32, whose Whose) (Erased, error)
}

// Whose names one user or one session, as its events do.
type Whose struct{ User, Session string }

// Erased is what Erase removed.
type Erased struct {
	Events   int64 `json:"events"`
	Calls    int64 `json:"calls"`
	Sessions int64 `json:"sessions"`
	// Between is when the first and the last of them began.
	From *time.Time `json:"from"`
	To   *time.Time `json:"to"`
}

// Kept is since when a project's events and rollups are all there; the zero time:
// since ever.
type Kept struct{ Raw, Rollups time.Time }
