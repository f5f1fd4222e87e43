package adapter

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
)

// How long a process that seems to die waits for its last events to be delivered
// or, failing that, to reach the spool; and how long one that turned out to live
// on waits the next time.
const (
	lastFlush  = 2 * time.Second
	againFlush = 200 * time.Millisecond
)

// Farewell delivers what is queued before the process dies. Its zero value is
// ready.
type Farewell struct{ said atomic.Bool }

// Flush waits the longer time once. When it comes again, the process outlived the
// first one, since somebody outside of the adapter recovers, and a client waits.
func (f *Farewell) Flush(client *umpire.Client) {
	limit := lastFlush
	if f.said.Swap(true) {
		limit = againFlush
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_ = client.Flush(ctx) // what was not delivered is in the spool
}
