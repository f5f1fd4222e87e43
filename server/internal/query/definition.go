package query

import "time"

// Definition is one version of a tool's definition.
type Definition struct {
	Definition string    `json:"definition"`
	Bytes      int64     `json:"bytes"`
	FirstSeen  time.Time `json:"first_seen"`
}
