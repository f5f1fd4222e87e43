package live

import (
	"context"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Follow asks the store for new calls of a watcher's project until ctx ends: for a
// node that takes no events itself. Calls that arrive long after they began are not
// seen by it.
func Follow(ctx context.Context, src store.Reader, w *Watcher, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var once sync.Once
	seen := map[umpire.ID]time.Time{}
	for {
		now := time.Now().UTC()
		f := store.Filter{Project: w.project, From: now.Add(-lateness), To: now.Add(lateness)}
		rows, err := src.CallList(ctx, f, store.Place{}, buffered)
		var fresh []Event
		for i := len(rows) - 1; err == nil && i >= 0; i-- {
			if _, known := seen[rows[i].ID]; !known {
				seen[rows[i].ID] = rows[i].StartedAt
				fresh = append(fresh, ofRow(rows[i]))
			}
		}
		once.Do(func() { fresh = last(fresh, Recent) })
		w.add(fresh)
		for id, at := range seen {
			if at.Before(f.From) {
				delete(seen, id)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// lateness is how long after it began a call is still seen by Follow.
const lateness = 10 * time.Minute
