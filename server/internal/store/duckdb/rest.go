package duckdb

import (
	"context"
	"time"
)

const (
	// restAfter is for how long no events have come before memory is given back.
	restAfter = 5 * time.Second
	// restRows is how many events must be in memory to be sealed for that. They take some
	// 14 MB, and a seal of fewer costs more than they do.
	restRows = 8192
	// restEach is how often that is done at most: each seal adds rows to the rollups, and
	// what does not fill a row group is written again with the next.
	restEach = time.Minute
)

// rest runs when no events have come for a while: what is in memory goes into the file,
// and what DuckDB let go of back to the system. A failure is no loss.
func (db *DB) rest() {
	ctx := context.Background()
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return
	}
	if db.rows >= db.opts.restRows() || db.bytes >= db.opts.sealBytes()/4 {
		if wait := restEach - time.Since(db.rested); wait > 0 {
			db.quiet.Reset(wait)
		} else if db.rotate(ctx) == nil {
			db.rested = time.Now()
		}
	}
	s := db.sealing
	db.mu.Unlock()
	if s != nil {
		<-s.done
	}
	db.cold.Lock()
	defer db.cold.Unlock()
	if db.gone {
		return
	}
	_ = db.checkpoint(ctx)
	if limit := db.opts.MemoryLimit; limit != "" {
		// The only statement behind which all arenas are purged.
		_, _ = db.write.ExecContext(ctx, "SET memory_limit = '"+limit+"'")
	}
}

// restRows is less where a generation is smaller.
func (o Options) restRows() int { return min(restRows, max(o.sealRows()/4, 1)) }
