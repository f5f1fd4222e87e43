package main

import (
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
)

// A clock far ahead of the newest call removes nothing, until the process has waited.
func TestClockPlausible(t *testing.T) {
	db, err := duckdb.Open(t.Context(), "", duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got, err := clockPlausible(t.Context(), db, []uint32{1, 2}, time.Now(), time.Now()); !got || err != nil {
		t.Errorf("an empty store: %v, %v", got, err)
	}
	newest := time.Date(2026, time.May, 4, 11, 20, 0, 0, time.UTC)
	e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: newest}
	e.Tool, e.Outcome = "find", umpire.OK
	if err := db.Apply(t.Context(), []store.Entry{{Seq: 1, Project: 2, ReceivedAt: newest, Event: e}}); err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	for _, c := range []struct {
		name       string
		ahead, ran time.Duration
		want       bool
	}{
		{"the call is of this hour", time.Minute, 0, true},
		{"29 days without calls", 29 * day, 0, true},
		{"31 days: perhaps the clock", 31 * day, 0, false},
		{"years ahead", 4000 * day, 6 * day, false},
		{"nothing came in a week", 4000 * day, 7 * day, true},
		{"a clock that is behind: by it, the call is to come", -31 * day, 0, true},
	} {
		now := newest.Add(c.ahead)
		got, err := clockPlausible(t.Context(), db, []uint32{1, 2}, now.Add(-c.ran), now)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}
