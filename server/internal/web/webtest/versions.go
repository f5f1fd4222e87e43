package webtest

import (
	"cmp"
	"context"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// ClientVersions is one of the questions of store.Reader.
func (m *Memory) ClientVersions(_ context.Context, f store.Filter, limit int) ([]store.ClientVersionRow, error) {
	rows := map[[2]string]*store.ClientVersionRow{}
	for _, c := range m.match(f) { // oldest first
		key := [2]string{c.Client, cmp.Or(c.Version, store.Unknown)}
		r := rows[key]
		if r == nil {
			r = &store.ClientVersionRow{Client: key[0], Version: key[1], FirstSeen: c.At}
			rows[key] = r
		}
		count(&r.Counts, c.Slice)
		r.LastSeen = c.At
		if c.Session != "" && !c.Retry {
			r.FirstCalls++
			if c.Slice == "ok" {
				r.FirstOK++
			}
		}
	}
	out := sorted(rows, func(r store.ClientVersionRow) (int64, string) { return r.Calls, r.Client + r.Version })
	return slices.Clip(out[:min(limit, len(out))]), m.Fail["ClientVersions"]
}
