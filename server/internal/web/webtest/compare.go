package webtest

import (
	"context"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Released is when the server of a Memory went from version 1.4.0 to 1.5.0.
var Released = Now.Add(-60 * time.Hour).Truncate(time.Hour)

// ByRelease is one of the questions of store.Reader.
func (m *Memory) ByRelease(ctx context.Context, f store.Filter) ([]store.ReleaseRow, error) {
	var out []store.ReleaseRow
	for _, v := range []struct {
		name     string
		from, to time.Time
	}{{"1.4.0", time.Time{}, Released}, {"1.5.0", Released, Now.Add(time.Hour)}} {
		of := *m
		of.Calls = slices.DeleteFunc(slices.Clone(m.Calls), func(c Call) bool { return c.At.Before(v.from) || !c.At.Before(v.to) })
		t, err := of.Totals(ctx, f)
		if err != nil || t.Calls == 0 {
			continue
		}
		out = append(out, store.ReleaseRow{
			Server: "orders", Version: v.name, Counts: t.Counts, Latency: t.Latency, Retries: t.Retries, FirstCalls: t.FirstCalls, FirstOK: t.FirstOK,
			Sessions: t.Sessions, Since: of.Calls[0].At.Truncate(time.Hour), LastSeen: of.Calls[len(of.Calls)-1].At,
		})
	}
	slices.SortFunc(out, func(a, b store.ReleaseRow) int { return int(b.Calls - a.Calls) })
	return out, m.Fail["ByRelease"]
}

// Changes is one of the questions of store.Reader.
func (m *Memory) Changes(_ context.Context, f store.Filter) ([]store.ChangeRow, error) {
	var out []store.ChangeRow
	for _, c := range m.Changed {
		if !c.At.Before(f.From) && c.At.Before(f.To) {
			out = append(out, c)
		}
	}
	return out, m.Fail["Changes"]
}

// EmptyTools is one of the questions of store.Reader.
func (m *Memory) EmptyTools(_ context.Context, f store.Filter, limit int) ([]store.ReasonRow, error) {
	rows := map[string]*store.ReasonRow{}
	for _, c := range m.match(f) {
		if c.Slice != "empty" {
			continue
		}
		r := rows[c.Tool]
		if r == nil {
			r = &store.ReasonRow{Tool: c.Tool, Reason: "empty_list", Clients: 2}
			rows[c.Tool] = r
		}
		r.Calls++
		r.LastSeen = c.At
	}
	out := sorted(rows, func(r store.ReasonRow) (int64, string) { return r.Calls, r.Tool })
	return out[:min(limit, len(out))], m.Fail["EmptyTools"]
}

// SuspectTools is one of the questions of store.Reader.
func (m *Memory) SuspectTools(_ context.Context, _ store.Filter, _ int) ([]store.ReasonRow, error) {
	var out []store.ReasonRow
	for i, mark := range m.Marks {
		out = append(out, store.ReasonRow{Tool: m.Listed[i%len(m.Listed)].Tool, Reason: mark.Name, Calls: mark.Calls, Clients: 1, LastSeen: Now.Add(-time.Hour)})
	}
	return out, m.Fail["SuspectTools"]
}

// Pairs is one of the questions of store.Reader.
func (m *Memory) Pairs(_ context.Context, f store.Filter, limit int) ([]store.PairRow, error) {
	counts := map[[2]string]*store.PairRow{}
	calls := m.match(f)
	for i := 1; i < len(calls); i++ {
		if calls[i].Session == "" || calls[i].Session != calls[i-1].Session {
			continue
		}
		key := [2]string{calls[i-1].Tool, calls[i].Tool}
		if counts[key] == nil {
			counts[key] = &store.PairRow{First: key[0], Then: key[1]}
		}
		counts[key].Calls++
	}
	var out []store.PairRow
	for _, p := range counts {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b store.PairRow) int {
		if a.Calls != b.Calls {
			return int(b.Calls - a.Calls)
		}
		return slices.Compare([]string{a.First, a.Then}, []string{b.First, b.Then})
	})
	return out[:min(limit, len(out))], m.Fail["Pairs"]
}

// UnknownAsked is one of the questions of store.Reader.
func (m *Memory) UnknownAsked(context.Context, store.Filter, int) ([]store.PairRow, error) {
	var out []store.PairRow
	for _, u := range m.Unknown {
		out = append(out, store.PairRow{First: u.Name, Then: "cursor-vscode", Calls: u.Calls})
	}
	return out, m.Fail["UnknownAsked"]
}

// UnknownNext is one of the questions of store.Reader.
func (m *Memory) UnknownNext(context.Context, store.Filter, int) ([]store.PairRow, error) {
	var out []store.PairRow
	for _, u := range m.Unknown {
		next := ""
		if len(u.Nearest) > 0 {
			next = u.Nearest[0]
		}
		out = append(out, store.PairRow{First: u.Name, Then: next, Calls: u.Calls})
	}
	return out, m.Fail["UnknownNext"]
}

// ToolLoops is one of the questions of store.Reader.
func (m *Memory) ToolLoops(context.Context, store.Filter, int) ([]store.LoopRow, error) {
	return m.Loops, m.Fail["ToolLoops"]
}
