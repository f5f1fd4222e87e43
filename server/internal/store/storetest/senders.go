package storetest

import (
	"cmp"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

func (r recount) senders(q store.Filter, limit int) []store.SenderRow {
	n := map[store.SenderRow]int64{}
	for _, f := range r.calls(q) {
		n[store.SenderRow{SeenBy: known(f.SeenBy), SDK: known(f.SDK.Name), SDKVersion: known(f.SDK.Version)}]++
	}
	var rows []store.SenderRow
	for row, calls := range n {
		row.Calls = calls
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b store.SenderRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.SeenBy, b.SeenBy), cmp.Compare(a.SDK, b.SDK), cmp.Compare(a.SDKVersion, b.SDKVersion))
	})
	return first(limit, rows)
}
