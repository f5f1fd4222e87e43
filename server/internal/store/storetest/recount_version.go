package storetest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// compared is the part of answers about versions, and about reasons over all tools.
type compared struct {
	Releases               []store.ReleaseRow
	Changes                []store.ChangeRow
	EmptyTools, Suspects   []store.ReasonRow
	Pairs                  []store.PairRow
	UnknownAsked, Followed []store.PairRow
	Loops                  []store.LoopRow
}

func askCompared(r store.Reader, f store.Filter) (c compared, err error) {
	ctx := context.Background()
	var all [8]error
	c.Releases, all[0] = r.ByRelease(ctx, f)
	c.Changes, all[1] = r.Changes(ctx, f)
	c.EmptyTools, all[2] = r.EmptyTools(ctx, f, limit)
	c.Suspects, all[3] = r.SuspectTools(ctx, f, limit)
	c.Pairs, all[4] = r.Pairs(ctx, f, limit)
	c.UnknownAsked, all[5] = r.UnknownAsked(ctx, f, limit)
	c.Followed, all[6] = r.UnknownNext(ctx, f, limit)
	c.Loops, all[7] = r.ToolLoops(ctx, f, limit)
	return c, errors.Join(all[:]...)
}

// checkCompared compares with the recount what is not among answers: releases from the
// rollups if they can answer, and from raw events; the others read from one place.
func (b *bench) checkCompared(t fataler, f store.Filter) {
	t.Helper()
	want := b.all.compared(f)
	got, err := askCompared(b, f)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%+v: differs from the recount (-want +got):\n%s", f, diff)
	}
	releases, err := b.ByRelease(context.Background(), raw(f))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if diff := gocmp.Diff(want.Releases, releases, cmpopts.EquateEmpty()); f.FromRollups() && diff != "" {
		t.Errorf("raw, %+v: releases differ from the recount (-want +got):\n%s", f, diff)
	}
}

func (r recount) compared(q store.Filter) compared {
	return compared{
		Releases: r.byRelease(q), Changes: r.changes(q),
		EmptyTools: r.reasons(q, func(f fact) []string {
			if f.Slice() != "empty" {
				return nil
			}
			return []string{known(f.EmptyRule)}
		}),
		Suspects: r.reasons(q, func(f fact) []string {
			if f.Outcome != umpire.OK {
				return nil
			}
			return slices.Compact(slices.Sorted(slices.Values(f.Suspects)))
		}),
		Pairs:        r.pairs(q, func(_ fact, next string) (string, bool) { return next, next != "" }),
		Loops:        r.toolLoops(q),
		UnknownAsked: r.asked(q),
		Followed:     r.pairs(q, func(f fact, next string) (string, bool) { return next, f.failure(f.Cause) == "unknown_tool" }),
	}
}

func (r recount) byRelease(q store.Filter) []store.ReleaseRow {
	rows, sessions := map[[2]string]store.ReleaseRow{}, map[[3]string]bool{}
	for _, f := range r.calls(q) {
		key := [2]string{known(f.Server.Name), known(f.Server.Version)}
		row := rows[key]
		row.Server, row.Version = key[0], key[1]
		count(&row.Counts, f)
		observe(&row.Latency, f.DurationUS)
		sum(&row.ResponseBytes, &row.ResponseKnown, f.ResponseBytes)
		add(&row.Retries, f.retry)
		first, ok := f.first(q)
		add(&row.FirstCalls, first)
		add(&row.FirstOK, ok)
		row.LastSeen = latest(row.LastSeen, f.start)
		if s := [3]string{key[0], key[1], f.part}; f.Session != "" && !sessions[s] {
			sessions[s] = true
			row.Sessions++
		}
		rows[key] = row
	}
	for _, f := range r.facts() {
		key := [2]string{known(f.Server.Name), known(f.Server.Version)}
		hour := f.start.Truncate(time.Hour)
		if row, there := rows[key]; there && f.judged && f.project == q.Project && hour.Before(q.To) {
			if row.Since.IsZero() || hour.Before(row.Since) {
				row.Since = hour
			}
			rows[key] = row
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b store.ReleaseRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Version, b.Version))
	})
}

func (r recount) changes(q store.Filter) []store.ChangeRow {
	first := map[store.ChangeRow]time.Time{}
	see := func(at time.Time, kind, server, name, value string) {
		key := store.ChangeRow{Kind: kind, Server: server, Name: name, Value: value}
		if have, there := first[key]; !there || at.Before(have) {
			first[key] = at
		}
	}
	for _, f := range r.facts() {
		if f.project != q.Project {
			continue
		}
		server, hour := known(f.Server.Name), f.start.Truncate(time.Hour)
		if f.Kind == "catalog" && any1(q.Server, server) {
			for _, t := range f.Tools {
				if t.Definition != "" && any1(q.Tool, t.Name) {
					see(f.start, store.ChangeDefinition, server, t.Name, t.Definition)
				}
			}
		}
		if f.Rules > 0 && f.within(q) {
			see(f.start, store.ChangeRules, "", "", strconv.Itoa(f.Rules))
		}
		if !f.judged || !hour.Before(q.To) || hour.Before(q.From.Add(-store.ChangesBefore)) || !any1(q.Server, server) {
			continue
		}
		if v := known(f.Server.Version); v != store.Unknown {
			see(hour, store.ChangeVersion, server, server, v)
		}
		if sdk, v := known(f.SDK.Name), known(f.SDK.Version); sdk != store.Unknown && v != store.Unknown {
			see(hour, store.ChangeSDK, "", sdk, v)
		}
	}
	var all []store.ChangeRow
	for c, at := range first {
		c.At = at
		all = append(all, c)
	}
	inOrder := func(a, b store.ChangeRow) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	}
	slices.SortFunc(all, inOrder)
	last := map[[3]string]string{}
	var changed []store.ChangeRow
	for _, c := range all {
		key := [3]string{c.Kind, c.Server, c.Name}
		before, there := last[key]
		last[key] = c.Value
		if c.Before = before; there && !c.At.Before(q.From) && c.At.Before(q.To) {
			changed = append(changed, c)
		}
	}
	return changed
}

// changesAreSeen: a version, a definition, an SDK and the rules that are not what they
// were, each where it first is so.
func changesAreSeen(t *testing.T, b *bench) {
	listed := func(second int, server, definition string) umpire.Event {
		return umpire.Event{
			ID: umpire.NewID(), Kind: "catalog", StartedAt: Base.Add(time.Duration(second) * time.Second), Server: umpire.Peer{Name: server},
			Tools: []umpire.ToolDefinition{{Name: "find", Definition: definition}, {Name: "buy", Definition: "b1"}},
		}
	}
	called := func(hours int, version, sdk string, rules int) umpire.Event {
		e := call(3600*hours, "find", umpire.OK, "a")
		e.Server, e.SDK, e.Rules = umpire.Peer{Name: "shop", Version: version}, umpire.Peer{Name: "umpire-go", Version: sdk}, rules
		return e
	}
	b.put(t, 1, []umpire.Event{
		listed(0, "shop", "f1"), listed(10, "other", "f9"), listed(4000, "shop", "f2"), listed(5000, "shop", "f1"),
		called(0, "1.0", "0.1", 1), called(1, "1.1", "0.1", 1), called(2, "1.0", "0.2", 2),
	}, 2)
	whole := store.Filter{Project: 1, From: Base, To: Base.Add(Span)}
	got, err := b.Changes(context.Background(), whole)
	if err != nil {
		t.Fatal(err)
	}
	want := []store.ChangeRow{
		{Kind: "version", Server: "shop", Name: "shop", Before: "1.0", Value: "1.1", At: Base.Add(time.Hour)},
		{Kind: "definition", Server: "shop", Name: "find", Before: "f1", Value: "f2", At: Base.Add(4000 * time.Second)},
		{Kind: "rules", Before: "1", Value: "2", At: Base.Add(2 * time.Hour)},
		{Kind: "sdk", Name: "umpire-go", Before: "0.1", Value: "0.2", At: Base.Add(2 * time.Hour)},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	for _, f := range []store.Filter{
		whole,
		{Project: 1, From: Base.Add(time.Hour), To: Base.Add(2 * time.Hour)},
		{Project: 1, From: Base.Add(2 * time.Hour), To: Base.Add(3 * time.Hour)},
		{Project: 1, From: Base, To: Base.Add(Span), Server: []string{"other"}},
		{Project: 1, From: Base, To: Base.Add(Span), Tool: []string{"buy"}},
		{Project: 2, From: Base, To: Base.Add(Span)},
	} {
		b.check(t, f)
	}
}

func (r recount) reasons(q store.Filter, of func(fact) []string) []store.ReasonRow {
	rows, seen := map[[2]string]store.ReasonRow{}, clients[[2]string]{}
	for _, f := range r.calls(q) {
		for _, reason := range of(f) {
			key := [2]string{known(f.Tool), reason}
			row := rows[key]
			row.Tool, row.Reason = key[0], key[1]
			row.Calls++
			row.Clients = seen.see(key, known(f.Client.Name))
			row.LastSeen = latest(row.LastSeen, f.start)
			rows[key] = row
		}
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.ReasonRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Reason, b.Reason))
	}))
}

// pairs goes through the sessions call by call; then tells what is counted of a call
// and the tool after it, which is empty at the end.
func (r recount) pairs(q store.Filter, then func(f fact, next string) (string, bool)) []store.PairRow {
	sessions := map[string][]fact{}
	for _, f := range oldestFirst(r.facts()) {
		if f.judged && f.Session != "" && f.within(q) {
			sessions[f.part] = append(sessions[f.part], f)
		}
	}
	n, kinds := map[store.PairRow]int64{}, r.firsts(q.Project)
	for _, calls := range sessions {
		for i, f := range calls {
			next := ""
			if i+1 < len(calls) {
				next = known(calls[i+1].Tool)
			}
			if what, counts := then(f, next); counts && f.matches(q) && f.newSince(q, kinds) {
				n[store.PairRow{First: known(f.Tool), Then: what}]++
			}
		}
	}
	return rankedPairs(n)
}

func (r recount) asked(q store.Filter) []store.PairRow {
	n := map[store.PairRow]int64{}
	for _, f := range r.calls(q) {
		if f.failure(f.Cause) == "unknown_tool" {
			n[store.PairRow{First: known(f.Tool), Then: known(f.Client.Name)}]++
		}
	}
	return rankedPairs(n)
}

func (r recount) toolLoops(q store.Filter) []store.LoopRow {
	parts := map[string][]fact{}
	for _, f := range r.calls(q) {
		if f.Session != "" {
			parts[f.part] = append(parts[f.part], f)
		}
	}
	rows := map[string]store.LoopRow{}
	for _, calls := range parts {
		oldestFirst(calls)
		in, seen := looping(calls), map[string]bool{}
		for _, f := range calls {
			if f.ArgsHash == "" || !in[f.asks()] {
				continue
			}
			row := rows[known(f.Tool)]
			row.Tool = known(f.Tool)
			row.Calls++
			add(&row.Sessions, !seen[row.Tool])
			seen[row.Tool], rows[row.Tool] = true, row
		}
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.LoopRow) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Tool, b.Tool))
	}))
}

func rankedPairs(n map[store.PairRow]int64) []store.PairRow {
	var all []store.PairRow
	for p, calls := range n {
		p.Calls = calls
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b store.PairRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.First, b.First), cmp.Compare(a.Then, b.Then))
	})
	return first(limit, all)
}

func (r recount) clientVersions(q store.Filter, limit int) []store.ClientVersionRow {
	rows := map[[2]string]store.ClientVersionRow{}
	for _, f := range oldestFirst(r.calls(q)) {
		key := [2]string{known(f.Client.Name), known(f.Client.Version)}
		row, there := rows[key]
		if row.Client, row.Version = key[0], key[1]; !there {
			row.FirstSeen = f.start
		}
		count(&row.Counts, f)
		first, ok := f.first(q)
		add(&row.FirstCalls, first)
		add(&row.FirstOK, ok)
		row.LastSeen = f.start
		rows[key] = row
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.ClientVersionRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Version, b.Version))
	}))
}
