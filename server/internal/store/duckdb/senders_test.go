package duckdb

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestSendersOfOldStores: a store from before the rollup of senders tells of the
// events that it holds, and goes on from there.
func TestSendersOfOldStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.duckdb")
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	event := func(seenBy, sdk, version string, outcome umpire.Outcome) umpire.Event {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start, SeenBy: seenBy, SDK: umpire.Peer{Name: sdk, Version: version}}
		e.Tool, e.Outcome = "t", outcome
		return e
	}
	db := openTest(t, path)
	batch := entries(1,
		event("posthog", "posthog-node-mcp", "0.16.3", umpire.OK), event("posthog", "posthog-node-mcp", "0.16.3", umpire.Crashed),
		event("", "", "", umpire.OK), event("sdk", "umpire-go", "1", ""), // the last is no call: it says no outcome
		umpire.Event{ID: umpire.NewID(), Kind: "session", StartedAt: start, SeenBy: "otlp"})
	if err := db.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	unpack(t, path)
	alter(t, path, "DROP TABLE tool_days", "DROP TABLE tool_latency_days", "DROP TABLE sender_hours", "DROP TABLE failure_hours", "DROP TABLE expired",
		"ALTER TABLE store_state DROP generation", "UPDATE store_state SET schema_version = 2")
	db = openTest(t, path)
	if err := db.Apply(t.Context(), entries(uint64(1+len(batch)), event("posthog", "posthog-node-mcp", "0.16.3", umpire.OK))); err != nil {
		t.Fatal(err)
	}
	f := store.Filter{Project: 1, From: start, To: start.Add(time.Hour)}
	want := []store.SenderRow{
		{SeenBy: "posthog", SDK: "posthog-node-mcp", SDKVersion: "0.16.3", Calls: 3},
		{SeenBy: store.Unknown, SDK: store.Unknown, SDKVersion: store.Unknown, Calls: 1},
	}
	for _, f := range []store.Filter{f, {Project: 1, From: start, To: start.Add(time.Hour), Outcome: []string{"ok", "crashed"}}} {
		got, err := db.Senders(t.Context(), f, 10)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("from rollups %v: %v (-want +got):\n%s", f.FromRollups(), err, diff)
		}
	}
}
