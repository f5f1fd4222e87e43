package meta

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// maxDays is the longest retention but for ever.
const maxDays = 36500

// Retention is how many days of events a project keeps; 0 is for ever.
type Retention struct{ RawDays, RollupDays int }

// SetRetention changes how long the project keeps events and rollups.
func (db *DB) SetRetention(ctx context.Context, project uint32, r Retention) error {
	switch {
	case r.RawDays < 0 || r.RawDays > maxDays || r.RollupDays < 0 || r.RollupDays > maxDays:
		return fault.New(fault.BadRequest, "this is no number of days to keep something", "use 1 to 36500 days, or for ever")
	case r.RollupDays != 0 && (r.RawDays == 0 || r.RollupDays < r.RawDays):
		return fault.New(fault.BadRequest, "rollups cannot be kept shorter than raw events", "give rollups at least as many days as raw")
	}
	return db.changeOne(ctx, project, "change the retention of", `UPDATE projects SET raw_days = $2, rollup_days = $3 WHERE id = $1`, r.RawDays, r.RollupDays)
}
