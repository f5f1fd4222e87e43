package storetest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// oldestFirst sorts so that what is said last is the newest.
func oldestFirst(calls []fact) []fact {
	slices.SortFunc(calls, func(a, b fact) int {
		return cmp.Or(a.start.Compare(b.start), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return calls
}

// clients counts distinct clients of groups.
type clients[K comparable] map[K]map[string]bool

func (c clients[K]) see(key K, client string) int64 {
	if c[key] == nil {
		c[key] = map[string]bool{}
	}
	c[key][client] = true
	return int64(len(c[key]))
}

func (r recount) unknownTools(q store.Filter, limit int) []store.UnknownToolRow {
	rows, seen := map[string]store.UnknownToolRow{}, clients[string]{}
	for _, f := range oldestFirst(r.calls(q)) {
		if f.Cause != "unknown_tool" {
			continue
		}
		row := rows[known(f.Tool)]
		row.Name = known(f.Tool)
		row.Calls++
		row.Clients = seen.see(row.Name, known(f.Client.Name))
		if len(f.Near) > 0 {
			row.Nearest = f.Near
		}
		rows[row.Name] = row
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.UnknownToolRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	}))
}

func first[T any](n int, list []T) []T { return list[:min(n, len(list))] }

func (r recount) badParams(q store.Filter, limit int) []store.BadParamRow {
	rows, seen := map[store.BadParamRow]store.BadParamRow{}, clients[store.BadParamRow]{}
	for _, f := range oldestFirst(r.calls(q)) {
		if f.Outcome != umpire.BadArgs {
			continue
		}
		once := map[umpire.BadParam]bool{}
		for _, p := range f.BadParams {
			if once[p] {
				continue
			}
			once[p] = true
			key := store.BadParamRow{Tool: known(f.Tool), Path: p.Path, Rule: p.Rule}
			row, ok := rows[key]
			if !ok {
				row = key
			}
			row.Calls++
			row.Clients = seen.see(key, known(f.Client.Name))
			row.Near = cmp.Or(p.Near, row.Near)
			rows[key] = row
		}
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.BadParamRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule))
	}))
}

// ranked is names by their number, most first.
func ranked(n map[string]int64) []store.NameCount {
	var all []store.NameCount
	for name, calls := range n {
		all = append(all, store.NameCount{Name: name, Calls: calls})
	}
	slices.SortFunc(all, func(a, b store.NameCount) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func (r recount) emptyRules(q store.Filter) []store.NameCount {
	n := map[string]int64{}
	for _, f := range r.calls(q) {
		if f.Slice() == "empty" {
			n[known(f.EmptyRule)]++
		}
	}
	return ranked(n)
}

func (r recount) suspects(q store.Filter) []store.NameCount {
	n := map[string]int64{}
	for _, f := range r.calls(q) {
		if f.Outcome != umpire.OK {
			continue
		}
		for _, mark := range slices.Compact(slices.Sorted(slices.Values(f.Suspects))) {
			n[mark]++
		}
	}
	return ranked(n)
}

func (r recount) neighbours(q store.Filter, limit int) (before, after []store.NameCount) {
	sessions := map[string][]fact{}
	for _, f := range oldestFirst(r.facts()) {
		if f.judged && f.Session != "" && f.within(q) {
			sessions[f.part] = append(sessions[f.part], f)
		}
	}
	b, a, kinds := map[string]int64{}, map[string]int64{}, r.firsts(q.Project)
	for _, calls := range sessions {
		for i, f := range calls {
			if !f.matches(q) || !f.newSince(q, kinds) {
				continue
			}
			if i > 0 {
				b[known(calls[i-1].Tool)]++
			}
			if i+1 < len(calls) {
				a[known(calls[i+1].Tool)]++
			}
		}
	}
	return first(limit, ranked(b)), first(limit, ranked(a))
}

func (r recount) facets(q store.Filter) store.Facets {
	var n [6]map[string]int64
	for i := range n {
		n[i] = map[string]int64{}
	}
	for _, f := range r.calls(store.Filter{Project: q.Project, From: q.From, To: q.To}) {
		for i, v := range []string{f.Server.Name, f.Server.Version, f.Server.Env, f.Tool, f.Client.Name, f.Platform} {
			n[i][known(v)]++
		}
	}
	names := func(i int) []string {
		var list []string
		for _, c := range first(store.MaxFacets, ranked(n[i])) {
			list = append(list, c.Name)
		}
		return list
	}
	return store.Facets{
		Servers: names(0), Versions: names(1), Envs: names(2), Tools: names(3), Clients: names(4), Platforms: names(5),
	}
}
