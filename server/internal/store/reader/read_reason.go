package reader

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// EmptyTools implements store.Reader.
func (in *reader) EmptyTools(ctx context.Context, f store.Filter, limit int) ([]store.ReasonRow, error) {
	return in.reasons(ctx, "empty_tools", f, limit)
}

// SuspectTools implements store.Reader.
func (in *reader) SuspectTools(ctx context.Context, f store.Filter, limit int) ([]store.ReasonRow, error) {
	return in.reasons(ctx, "suspect_tools", f, limit)
}

func (in *reader) reasons(ctx context.Context, name string, f store.Filter, limit int) ([]store.ReasonRow, error) {
	var all []store.ReasonRow
	err := in.each(ctx, name, limited(f, limit), func(scan func(...any) error) error {
		var r store.ReasonRow
		err := scan(&r.Tool, &r.Reason, &r.Calls, &r.Clients, &r.LastSeen)
		r.LastSeen = r.LastSeen.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// Pairs implements store.Reader.
func (in *reader) Pairs(ctx context.Context, f store.Filter, limit int) ([]store.PairRow, error) {
	return in.pairs(ctx, "pairs", f, limit)
}

// UnknownAsked implements store.Reader.
func (in *reader) UnknownAsked(ctx context.Context, f store.Filter, limit int) ([]store.PairRow, error) {
	return in.pairs(ctx, "unknown_asked", f, limit)
}

// UnknownNext implements store.Reader.
func (in *reader) UnknownNext(ctx context.Context, f store.Filter, limit int) ([]store.PairRow, error) {
	return in.pairs(ctx, "unknown_next", f, limit)
}

func (in *reader) pairs(ctx context.Context, name string, f store.Filter, limit int) ([]store.PairRow, error) {
	var all []store.PairRow
	err := in.each(ctx, name, limited(f, limit), func(scan func(...any) error) error {
		var p store.PairRow
		err := scan(&p.First, &p.Then, &p.Calls)
		all = append(all, p)
		return err
	})
	return all, err
}

// ToolLoops implements store.Reader.
func (in *reader) ToolLoops(ctx context.Context, f store.Filter, limit int) ([]store.LoopRow, error) {
	var all []store.LoopRow
	err := in.each(ctx, "tool_loops", limited(f, limit), func(scan func(...any) error) error {
		var r store.LoopRow
		err := scan(&r.Tool, &r.Sessions, &r.Calls)
		all = append(all, r)
		return err
	})
	return all, err
}
