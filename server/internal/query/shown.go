package query

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Shown counts the calls of a project and says what their senders cannot show.
func Shown(ctx context.Context, src Source, f store.Filter) (calls int64, unseen []NotReported, err error) {
	u, err := unseenOf(ctx, src, f)
	if err != nil {
		return 0, nil, err
	}
	totals, err := src.Totals(ctx, f)
	return totals.Calls, u.list, err
}
