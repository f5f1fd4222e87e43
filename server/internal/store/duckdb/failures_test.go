package duckdb

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestFailuresOfOldStores: a store from before the rollup of failures tells of those
// that it holds as it did before, and goes on from there.
func TestFailuresOfOldStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.duckdb")
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	event := func(minute int, client, fingerprint, message string, outcome umpire.Outcome) umpire.Event {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start.Add(time.Duration(minute) * time.Minute), Client: umpire.Peer{Name: client}}
		e.Tool, e.Outcome, e.Fingerprint, e.ErrorMessage, e.ErrorStatus = "t", outcome, fingerprint, message, 404
		return e
	}
	db := openTest(t, path)
	batch := entries(1,
		event(0, "a", "f", "first", umpire.ToolError), event(1, "b", "f", "second", umpire.ToolError), event(2, "b", "f", "", umpire.ToolError),
		event(3, "a", "", "", umpire.Crashed), event(4, "a", "f", "fine", umpire.OK))
	if err := db.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	f := store.Filter{Project: 1, From: start, To: start.Add(time.Hour)}
	want, err := db.Failures(t.Context(), f, 10)
	if err != nil || len(want) != 2 || want[0].Message != "second" || want[0].Calls != 3 || want[0].Clients != 2 {
		t.Fatalf("Failures = %+v, %v", want, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	unpack(t, path)
	alter(t, path, "DROP TABLE tool_days", "DROP TABLE tool_latency_days", "DROP TABLE failure_hours", "ALTER TABLE store_state DROP generation", "UPDATE store_state SET schema_version = 4")
	db = openTest(t, path)
	got, err := db.Failures(t.Context(), f, 10)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-before +after):\n%s", err, diff)
	}
	if err := db.Apply(t.Context(), entries(uint64(1+len(batch)), event(5, "c", "f", "third", umpire.ToolError))); err != nil {
		t.Fatal(err)
	}
	if got, err = db.Failures(t.Context(), f, 10); err != nil || got[0].Message != "third" || got[0].Calls != 4 || got[0].Clients != 3 {
		t.Errorf("Failures = %+v, %v", got, err)
	}
}
