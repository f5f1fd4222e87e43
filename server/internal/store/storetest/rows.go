package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// wholeTables: what is handed out row by row is what the questions count.
func wholeTables(t *testing.T, b *bench) {
	dumper, ok := b.Store.(store.Dumper)
	if !ok {
		t.Fatal("the store hands out no rows")
	}
	events := rapid.SliceOfN(Event(), 60, 60).Example(5)
	events = append(events, umpire.Event{
		ID: umpire.NewID(), Kind: "catalog", StartedAt: Base,
		Tools: []umpire.ToolDefinition{{Name: "find", Definition: "d1", InputSchema: json.RawMessage(`{"type":"object"}`)}},
	})
	b.put(t, 1, events, 7, 20)
	b.put(t, 2, rapid.SliceOfN(Event(), 5, 5).Example(6))
	want, err := b.Totals(context.Background(), raw(store.Filter{Project: 1, From: Base, To: Base.Add(Span)}))
	if err != nil {
		t.Fatal(err)
	}
	read := func(table store.Table) []map[string]any {
		t.Helper()
		return readRows(t, dumper, table)
	}
	sum := func(rows []map[string]any, column string) (n int64) {
		for _, r := range rows {
			n += r[column].(int64)
		}
		return n
	}

	raws := read(store.Events)
	if len(raws) != len(events) {
		t.Errorf("%d rows of events, want %d", len(raws), len(events))
	}
	for _, r := range raws {
		sameEvent(t, b, r)
	}
	for _, table := range append([]store.Table{store.Events, store.Catalog}, store.Rollups...) {
		sameSums(t, dumper, table, read(table))
	}
	hours := read(store.ToolHours)
	for column, n := range map[string]int64{
		"calls": want.Calls, "ok": want.OK, "empty": want.Empty, "crashed": want.Crashed, "retries": want.Retries, "reworded": want.Reworded,
		"first_calls": want.FirstCalls, "first_ok": want.FirstOK, "request_bytes": want.RequestBytes, "response_known": want.ResponseKnown,
		"set_aside": want.SetAside, "cancelled": want.Cancelled, "no_session": want.NoSession,
	} {
		if got := sum(hours, column); got != n {
			t.Errorf("tool_hours has %s %d, want %d", column, got, n)
		}
	}
	latency := store.Histogram{}
	for _, r := range read(store.ToolLatency) {
		latency[int(r["bucket"].(int64))] += r["n"].(int64)
	}
	if d := cmp.Diff(want.Latency, latency); d != "" {
		t.Errorf("tool_latency (-want +got): %s", d)
	}
	if got := sum(read(store.SenderHours), "n"); got != want.Calls {
		t.Errorf("sender_hours has %d calls, want %d", got, want.Calls)
	}
	if got := sum(read(store.FailureHours), "n"); got != want.BadArgs+want.ToolError+want.Crashed {
		t.Errorf("failure_hours has %d failures, want %d", got, want.BadArgs+want.ToolError+want.Crashed)
	}
	listed := read(store.Catalog)
	if len(listed) != 1 || listed[0]["tool"] != "find" || listed[0]["input_schema"] != `{"type":"object"}` {
		t.Errorf("the catalog has %v", listed)
	}
	for _, table := range store.Rollups {
		if rows := read(table); len(rows) == 0 && table.Name != store.KindHours.Name {
			t.Errorf("%s is empty: this test proves nothing", table.Name)
		}
	}
}

// readRows reads the rows of project 1, and holds them to what every table promises.
func readRows(t *testing.T, s store.Dumper, table store.Table) (all []map[string]any) {
	t.Helper()
	var seen [2][]string
	for i := range seen {
		all = nil
		err := s.Rows(context.Background(), table, 1, Base, Base.Add(Span), func(row []any) error {
			m := map[string]any{}
			for c, column := range table.Columns {
				m[column.Name] = row[c]
			}
			if at := m[table.At].(time.Time); m["project"] != int64(1) || at.Before(Base) || !at.Before(Base.Add(Span)) {
				t.Errorf("%s: a row of project %v at %v", table.Name, m["project"], at)
			}
			all = append(all, m)
			seen[i] = append(seen[i], fmt.Sprint(row))
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
	}
	if !slices.Equal(seen[0], seen[1]) {
		t.Errorf("%s: the rows came in another order", table.Name)
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(seen[0]))); len(sorted) != len(seen[0]) {
		t.Errorf("%s has rows twice", table.Name)
	}
	return all
}

// sameSums holds what a table comes to by the hour to its rows.
func sameSums(t *testing.T, s store.Dumper, table store.Table, rows []map[string]any) {
	t.Helper()
	first, last, err := s.Span(context.Background(), table, 1)
	if err != nil || len(rows) > 0 && (!first.Equal(rows[0][table.At].(time.Time)) || !last.Equal(rows[len(rows)-1][table.At].(time.Time))) {
		t.Errorf("%s spans %v to %v, %v", table.Name, first, last, err)
	}
	var want []store.HourSums
	for _, r := range rows {
		hour := r[table.At].(time.Time).Truncate(time.Hour)
		if len(want) == 0 || !want[len(want)-1].Hour.Equal(hour) {
			want = append(want, store.HourSums{Hour: hour, Sums: make([]int64, len(table.Summed()))})
		}
		h := &want[len(want)-1]
		h.Rows++
		for i, name := range table.Summed() {
			switch v := r[name].(type) {
			case int64:
				h.Sums[i] += v
			case bool:
				if v {
					h.Sums[i]++
				}
			}
		}
	}
	got, err := s.Sums(context.Background(), table, 1, Base, Base.Add(Span))
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%s by the hour: %v, rows (-) and sums (+): %s", table.Name, err, d)
	}
	if none, _, err := s.Span(context.Background(), table, 99); err != nil || !none.IsZero() {
		t.Errorf("%s of nobody begins at %v, %v", table.Name, none, err)
	}
}

// sameEvent holds a row of events to what the store says of that event.
func sameEvent(t *testing.T, b *bench, row map[string]any) {
	t.Helper()
	var id umpire.ID
	if err := id.UnmarshalText([]byte(row["id"].(string))); err != nil {
		t.Fatal(err)
	}
	e, err := b.Event(context.Background(), store.Filter{Project: 1, From: Base, To: Base.Add(Span)}, id)
	if err != nil || e == nil {
		t.Fatalf("Event(%s) = %v, %v", id, e, err)
	}
	pointer := func(n *int64) any {
		if n == nil {
			return nil
		}
		return *n
	}
	want := map[string]any{
		"started_at": e.StartedAt, "ended_at": e.EndedAt, "kind": e.Kind, "tool": e.Tool, "outcome": string(e.Outcome), "empty": e.Empty,
		"user": e.User, "session": e.Session, "duration_us": pointer(e.DurationUS), "is_retry": e.IsRetry, "reworded": e.Reworded, "repeated": e.Repeated,
	}
	got := map[string]any{}
	for name := range want {
		got[name] = row[name]
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("event %s (-want +got): %s", id, d)
	}
}
