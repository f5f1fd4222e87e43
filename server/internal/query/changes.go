package query

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Change is a moment from which on something was not as before: what a break in the
// figures may come from.
type Change struct {
	At time.Time `json:"at"`
	// Kind is version (of a server), definition (of a tool), sdk or rules.
	Kind   string `json:"kind"`
	Server string `json:"server,omitempty"`
	Name   string `json:"name,omitempty"`
	Before string `json:"before"`
	Value  string `json:"value"`
}

func changesOf(ctx context.Context, src Source, f store.Filter) ([]Change, error) {
	rows, err := src.Changes(ctx, f)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(rows))
	for _, r := range rows {
		out = append(out, Change{At: r.At, Kind: r.Kind, Server: r.Server, Name: r.Name, Before: r.Before, Value: r.Value})
	}
	return out, nil
}
