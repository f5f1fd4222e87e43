package duckdb

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// unpack makes a closed store's events what they were before version 8.
func unpack(t *testing.T, path string) {
	t.Helper()
	alter(t, path, "CREATE TABLE before AS FROM events", "DROP VIEW events", "DROP VIEW stored_events", "DROP TABLE packed_events",
		"ALTER TABLE before RENAME TO events", "UPDATE store_state SET schema_version = 7")
}

// TestPacked: what the file holds in fewer bytes is read as it came, and so it is in a
// file that version 7 wrote.
func TestPacked(t *testing.T) {
	start := time.Date(2026, 5, 4, 12, 0, 0, 123_000, time.UTC)
	took, none := int64(1_500_000), int64(0)
	var events []umpire.Event
	add := func(change func(e *umpire.Event)) {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start.Add(time.Duration(len(events)) * time.Second)}
		e.Session, e.Tool, e.Outcome = "s", "t", umpire.OK
		change(&e)
		events = append(events, e)
	}
	add(func(*umpire.Event) {})
	for _, hash := range []string{"0123456789ab", "000000000000", "0123456789AB", "0123456789ab0", "abc", "0x3456789abc", "no digits ", "0123456789ab\n"} {
		add(func(e *umpire.Event) { e.ArgsHash, e.AskHash, e.TraceID, e.SpanID = hash, hash, hash, hash })
		add(func(e *umpire.Event) { e.ArgsHash = hash })
		add(func(e *umpire.Event) { e.AskHash = hash })
		add(func(e *umpire.Event) { e.ArgsHash, e.AskHash = hash, "ffffffffffff" })
	}
	for _, trace := range []string{"0af7651916cd43dd8448eb211c80319c", "00000000000000000000000000000000", "0AF7651916CD43DD8448EB211C80319C", "0af76519-16cd-43dd-8448-eb211c80319c", strings.Repeat("f", 32)} {
		add(func(e *umpire.Event) { e.TraceID, e.SpanID = trace, trace[:16] })
	}
	for _, bodies := range [][2]string{{`"1:2"`, ""}, {"", `{"a": ":"}`}, {"12:", "3:4"}, {`"e\u0301é👩‍👩‍👧"` + "e\u0301é👩‍👩‍👧", "👩‍👩‍👧:"}, {strings.Repeat("x", 70_000), strings.Repeat("é", 70_000)}} {
		add(func(e *umpire.Event) { e.Input, e.Output = []byte(bodies[0]), []byte(bodies[1]) })
	}
	add(func(e *umpire.Event) { e.DurationUS, e.Intent, e.Near = &took, "find it", []string{"a", "b"} })
	add(func(e *umpire.Event) { e.DurationUS, e.Suspects, e.Fingerprint = &none, []string{"u"}, "f" })
	add(func(e *umpire.Event) { e.StartedAt, e.DurationUS = time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC), &took })

	path := filepath.Join(t.TempDir(), "events.duckdb")
	db := openTest(t, path)
	read := func(when string) (rows []string) {
		t.Helper()
		got, err := db.read.QueryContext(t.Context(), "SELECT e::VARCHAR FROM events e ORDER BY started_at, id")
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		defer got.Close()
		for got.Next() {
			var row string
			if err := got.Scan(&row); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		if err := got.Err(); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		return rows
	}
	if err := db.Apply(t.Context(), entries(1, events...)); err != nil {
		t.Fatal(err)
	}
	want := read("in memory")
	if len(want) != len(events) {
		t.Fatalf("%d events of %d", len(want), len(events))
	}
	for _, in := range []string{"the file", "a file of version 7"} {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if in != "the file" {
			unpack(t, path)
		}
		db = openTest(t, path)
		if diff := cmp.Diff(want, read(in)); diff != "" {
			t.Errorf("in %s (-in memory +there):\n%s", in, diff)
		}
	}
	// It goes on from there: what was stored is marked when another call comes before it.
	first := events[0]
	first.ID, first.StartedAt, first.ArgsHash, first.AskHash = umpire.NewID(), events[1].StartedAt.Add(-time.Millisecond), "0123456789ab", "0123456789ab"
	if err := db.Apply(t.Context(), entries(uint64(len(events)+1), first)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, path)
	got, err := db.Totals(t.Context(), store.Filter{Project: 1, From: start.AddDate(-200, 0, 0), To: start.AddDate(1, 0, 0)})
	if err != nil || got.Calls != int64(len(events)+1) {
		t.Errorf("%d calls, %v, want %d", got.Calls, err, len(events)+1)
	}
	var repeated bool
	if err := db.read.QueryRowContext(t.Context(), "SELECT repeated FROM events WHERE id = $1::UUID", events[1].ID.String()).Scan(&repeated); err != nil || !repeated {
		t.Errorf("repeated = %v, %v", repeated, err)
	}
}
