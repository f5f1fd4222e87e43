package duckdb

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

func openTest(t testing.TB, path string) *DB {
	t.Helper()
	s, err := Open(t.Context(), path, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s.(*DB)
}

// entries numbers events from seq on.
func entries(seq uint64, events ...umpire.Event) []store.Entry {
	var batch []store.Entry
	for i, e := range events {
		batch = append(batch, store.Entry{Seq: seq + uint64(i), Project: 1, ReceivedAt: e.StartedAt, Event: e})
	}
	return batch
}

// TestColumnsAreTheWire: a field has one name (docs/wire.md). What an event is in
// JSON, dots as underscores, is what its columns are called.
func TestColumnsAreTheWire(t *testing.T) {
	want := []string{"project", "received_at", "ended_at"} // what an entry adds
	want = append(want, fieldNames(reflect.TypeFor[umpire.Event](), "")...)
	var have []string
	for _, c := range columns {
		have = append(have, c.name)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("columns (-event +column):\n%s", diff)
	}
	db := openTest(t, "")
	rows, err := db.read.Query("SELECT column_name FROM duckdb_columns() WHERE database_name = 'cold' AND table_name = 'events' ORDER BY column_index")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var table []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		table = append(table, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(have, table); diff != "" {
		t.Errorf("table (-columns +table):\n%s", diff)
	}
}

func fieldNames(t reflect.Type, prefix string) []string {
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous:
			names = append(names, fieldNames(f.Type, prefix)...)
		case f.Type == reflect.TypeFor[umpire.Peer]():
			peer := fieldNames(f.Type, name+"_")
			if name != "server" {
				peer = peer[:2] // only servers have an env
			}
			names = append(names, peer...)
		default:
			names = append(names, prefix+name)
		}
	}
	return names
}

// TestEveryFieldIsStored reads back an event with every field set.
func TestEveryFieldIsStored(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	start := time.Date(2026, 5, 4, 13, 0, 0, 123456789, time.FixedZone("", 2*3600))
	e := umpire.Event{
		ID: umpire.NewID(), Kind: "call", StartedAt: start,
		Server: umpire.Peer{Name: "shop", Version: "1.0", Env: "prod"}, Client: umpire.Peer{Name: "cursor", Version: "2"},
		Platform: "cursor", Protocol: "2025-11-25", Transport: "stdio", Session: "s", User: "u", SeenBy: "sdk",
		SDK: umpire.Peer{Name: "umpire-go", Version: "0.1"}, Rules: 1,
		Call: umpire.Call{
			Tool: "find", Outcome: umpire.BadArgs, Empty: true, EmptyRule: "r", Cause: "schema", Evidence: "observed", HandlerRan: "no",
			ErrorType: "T", ErrorStatus: 404, ErrorMessage: "m", BadParams: []umpire.BadParam{{Path: "/a", Rule: "type", Near: "b"}},
			Near: []string{"x"}, Suspects: []string{"y"}, Fingerprint: "f", Late: true,
			DurationUS: n(5), RequestBytes: n(6), ResponseBytes: n(7), ArgsHash: "a", AskHash: "q",
		},
		InputKeys: []string{"k"}, InputTypes: map[string]string{"k": "string"}, Input: json.RawMessage(`{"k":"<"}`),
		Output: json.RawMessage(`[1]`), Intent: "i", TraceID: "t", SpanID: "p", Definition: "d",
		Tools: []umpire.ToolDefinition{{Name: "find", Bytes: 3}}, Meta: map[string]any{"m": 1},
	}
	db := openTest(t, "")
	received := start.Add(time.Minute)
	if err := db.Apply(t.Context(), []store.Entry{{Seq: 1, Project: 9, ReceivedAt: received, Event: e}}); err != nil {
		t.Fatal(err)
	}
	micro := start.UTC().Truncate(time.Microsecond)
	want := []any{
		uint32(9), received.UTC().Truncate(time.Microsecond), micro.Add(5 * time.Microsecond), e.ID[:], "call", micro,
		"shop", "1.0", "prod", "cursor", "2", "cursor", "2025-11-25", "stdio", "s", "u", "sdk", "umpire-go", "0.1", int64(1),
		"find", "bad_args", true, "r", "schema", "observed", "no", "T", int64(404), "m", `[{"path":"/a","rule":"type","near":"b"}]`,
		`["x"]`, `["y"]`, "f", true, int64(5), int64(6), int64(7), "a", "q", false, false, false,
		`["k"]`, `{"k":"string"}`, `{"k":"<"}`, `[1]`, "i", "t", "p", "d", `[{"name":"find","bytes":3}]`, `{"m":1}`,
	}
	got, into := make([]any, len(want)), make([]any, len(want))
	for i := range got {
		into[i] = &got[i]
	}
	if err := db.read.QueryRow("SELECT * FROM events").Scan(into...); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if at, ok := got[i].(time.Time); ok {
			got[i] = at.UTC()
		}
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", columns[i].name, diff)
		}
	}
}

// TestSliceOfSQLIsThatOfGo: the only two statements of "ok minus empty" agree.
func TestSliceOfSQLIsThatOfGo(t *testing.T) {
	db := openTest(t, "")
	seq := uint64(1)
	storetest.Check(t, 40, func(r *rapid.T) {
		events := rapid.SliceOfN(storetest.Event(), 1, 100).Draw(r, "events")
		want := map[umpire.ID]umpire.Slice{}
		for i := range events {
			events[i].Kind, events[i].Session = "call", "" // no marks: quick
			want[events[i].ID] = events[i].Slice()
			if want[events[i].ID] == "" {
				want[events[i].ID] = store.Unknown
			}
		}
		if err := db.Apply(context.Background(), entries(seq, events...)); err != nil {
			r.Fatal(err)
		}
		seq += uint64(len(events))
		rows, err := db.read.QueryContext(context.Background(), "SELECT id, slice FROM "+factsTable(db.generation))
		if err != nil {
			r.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id duck.UUID
			var slice umpire.Slice
			if err := rows.Scan(&id, &slice); err != nil {
				r.Fatal(err)
			}
			if known, ok := want[umpire.ID(id)]; ok && known != slice {
				r.Errorf("%s is %q in SQL, %q in Go", umpire.ID(id), slice, want[umpire.ID(id)])
			}
			delete(want, umpire.ID(id))
		}
		if err := rows.Err(); err != nil {
			r.Fatal(err)
		}
		if len(want) > 0 {
			r.Errorf("%d events are missing", len(want))
		}
	})
}

// TestMarksOfAnyArrival: whatever order and batches events arrive in, each call
// ends with the marks that the law gives it, repeated included.
func TestMarksOfAnyArrival(t *testing.T) {
	db := openTest(t, "")
	seq, check := uint64(1), 0
	storetest.Check(t, 40, func(r *rapid.T) {
		check++
		session := strconv.Itoa(check) // of this check alone
		events := rapid.SliceOfN(storetest.Call(session), 25, 25).Draw(r, "events")
		all := entries(seq, events...)
		seq += uint64(len(all))
		for rest := all; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "batch")
			if err := db.Apply(context.Background(), rest[:n]); err != nil {
				r.Fatal(err)
			}
			rest = rest[n:]
		}
		want := storetest.Marks(all)
		ids := make([]string, len(events))
		for i := range events {
			ids[i] = events[i].ID.String()
		}
		rows, err := db.read.Query("SELECT id, is_retry, reworded, repeated FROM events WHERE id IN (SELECT unnest($1::VARCHAR[])::UUID)", ids)
		if err != nil {
			r.Fatal(err)
		}
		defer rows.Close()
		got := map[umpire.ID]storetest.Mark{}
		for rows.Next() {
			var id duck.UUID
			var m storetest.Mark
			if err := rows.Scan(&id, &m.IsRetry, &m.Reworded, &m.Repeated); err != nil {
				r.Fatal(err)
			}
			if _, twice := got[umpire.ID(id)]; twice {
				r.Fatalf("%s is there twice", umpire.ID(id))
			}
			got[umpire.ID(id)] = m
		}
		if err := rows.Err(); err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestFailedApplyStoresNothing(t *testing.T) {
	db := openTest(t, filepath.Join(t.TempDir(), "events.duckdb"))
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	f := store.Filter{Project: 1, From: start, To: start.Add(time.Hour)}
	e := func() umpire.Event {
		return umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start, Call: umpire.Call{Tool: "t", Outcome: "ok"}}
	}
	if err := db.Apply(t.Context(), entries(1, e())); err != nil {
		t.Fatal(err)
	}
	broken, cancel := context.WithCancel(t.Context())
	cancel()
	batch := entries(2, e(), e())
	if err := db.Apply(broken, batch); err == nil {
		t.Fatal("Apply under a cancelled context succeeded")
	}
	// A statement in the middle fails: the table it writes to is away.
	away := func(from, to string) {
		t.Helper()
		if _, err := db.hot.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
			t.Fatal(err)
		}
	}
	away("memory.main.base_1", "away")
	if err := db.Apply(t.Context(), batch); err == nil {
		t.Fatal("Apply without a table succeeded")
	}
	away("memory.main.away", "base_1")
	if got, err := db.Totals(t.Context(), f); err != nil || got.Calls != 1 {
		t.Errorf("%d calls, %v, want 1", got.Calls, err)
	}
	if err := db.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Totals(t.Context(), f); err != nil || got.Calls != 3 {
		t.Errorf("%d calls, %v, want 3", got.Calls, err)
	}
	// While the file takes nothing, what was applied is there, and Position stays.
	away("cold.main.session_hours", "away")
	if _, err := db.Expire(t.Context(), 1, time.Time{}, time.Time{}); err == nil {
		t.Fatal("sealed without a table")
	}
	if n, err := db.Position(t.Context()); n != 0 || err != nil {
		t.Errorf("Position = %d, %v, want 0", n, err)
	}
	if err := db.Apply(t.Context(), entries(4, e())); err != nil {
		t.Fatal(err)
	}
	var n int64
	if err := db.read.QueryRowContext(t.Context(), "SELECT count(*) FROM events").Scan(&n); err != nil || n != 4 {
		t.Errorf("%d events, %v, want 4", n, err)
	}
	away("cold.main.away", "session_hours")
	if _, err := db.Expire(t.Context(), 1, time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if n, err := db.Position(t.Context()); n != 4 || err != nil {
		t.Errorf("Position = %d, %v, want 4", n, err)
	}
	if got, err := db.Totals(t.Context(), f); err != nil || got.Calls != 4 {
		t.Errorf("%d calls, %v, want 4", got.Calls, err)
	}
}

// TestReadersDoNotWait: questions are answered while batches are applied, each
// from one state: the parts of an answer agree.
func TestReadersDoNotWait(t *testing.T) {
	db := openTest(t, filepath.Join(t.TempDir(), "events.duckdb"))
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	us := int64(1000)
	done := make(chan error, 1)
	go func() {
		for i := range 20 {
			var events []umpire.Event
			for range 50 {
				e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start, Session: "s"}
				e.Tool, e.Outcome, e.DurationUS = "t", umpire.OK, &us
				events = append(events, e)
			}
			if err := db.Apply(context.Background(), entries(uint64(1+i*50), events...)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	f := store.Filter{Project: 1, From: start, To: start.Add(time.Hour), Now: start}
	for applied := false; !applied; {
		select {
		case err := <-done:
			if applied = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
		got, err := db.Totals(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		for _, k := range got.Latency {
			n += k
		}
		if got.Calls%50 != 0 || n != got.Calls || got.Sessions != min(1, got.Calls) {
			t.Fatalf("torn answer: %+v", got)
		}
	}
	if got, err := db.Totals(t.Context(), f); err != nil || got.Calls != 1000 {
		t.Errorf("%d calls, %v, want 1000", got.Calls, err)
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv("UMPIRE_TEST_HOLD"); path != "" {
		hold(path)
	}
	os.Exit(m.Run())
}
