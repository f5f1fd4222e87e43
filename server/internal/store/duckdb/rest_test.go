package duckdb

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
)

// When no events have come for a while, what is in memory goes into the file, and what
// comes soon behind that waits a minute.
func TestRest(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "events.duckdb"), Options{Threads: 1, SealRows: 40, MemoryLimit: "256MB"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db := s.(*DB)
	seq := uint64(0)
	apply := func(n int) {
		t.Helper()
		var events []umpire.Event
		for i := range n {
			events = append(events, umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: time.Now().Add(time.Duration(i) * time.Millisecond), Call: umpire.Call{Tool: "t", Outcome: "ok"}})
		}
		if err := db.Apply(ctx, entries(seq+1, events...)); err != nil {
			t.Fatal(err)
		}
		seq += uint64(n)
	}
	want := func(when string, inMemory int, position uint64) {
		t.Helper()
		if db.rows != inMemory || db.position.Load() != position {
			t.Errorf("%s: %d events in memory and %d in the file, want %d and %d", when, db.rows, db.position.Load(), inMemory, position)
		}
	}
	apply(5)
	db.rest()
	want("a few events", 5, 0)
	apply(20)
	db.rest()
	want("as many as are worth a seal", 0, 25)
	apply(20)
	db.rest()
	want("soon again", 20, 25)
	db.rested = db.rested.Add(-restEach)
	db.rest()
	want("a minute later", 0, 45)
}
