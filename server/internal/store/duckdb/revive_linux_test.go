package duckdb

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// A disk that is full while a checkpoint is written: when there is room again the store
// goes on by itself, whether events come or only questions, and has everything.
func TestDiskFullInACheckpoint(t *testing.T) {
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "events.duckdb")
	s, err := Open(ctx, path, Options{Threads: 2, SealRows: 200, MemoryLimit: "256MB"})
	if err != nil {
		t.Fatal(err)
	}
	db := s.(*DB)
	seq := uint64(0)
	start := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	batch := func(n int) []store.Entry {
		var events []umpire.Event
		for i := range n {
			events = append(events, umpire.Event{
				ID: umpire.NewID(), Kind: "call", StartedAt: start.Add(time.Duration(seq)*time.Second + time.Duration(i)*time.Second),
				Call: umpire.Call{Tool: "t", Outcome: "ok"}, Session: "s",
			})
		}
		seq += uint64(n)
		return entries(seq-uint64(n)+1, events...)
	}
	filter := store.Filter{Project: entries(1, umpire.Event{})[0].Project, From: start.Add(-time.Hour), To: start.Add(24 * time.Hour)}
	calls := func() int64 {
		totals, err := db.Totals(ctx, filter)
		if err != nil {
			return -1
		}
		return totals.Calls
	}
	for round, events := range []bool{true, false, true} {
		if err := db.Apply(ctx, batch(450)); err != nil { // two generations are in the file, or on the way
			t.Fatal(err)
		}
		whole := full(t, path)
		db.cold.Lock()
		db.dirty = true
		failed := db.checkpoint(ctx)
		db.cold.Unlock()
		if failed == nil {
			t.Fatal("the checkpoint was written though the disk is full: this proves nothing")
		}
		late := batch(20)
		if err := db.Apply(ctx, late); err == nil && calls() == int64(seq) {
			t.Log("the store goes on while the disk is full")
		}
		whole()
		for end := time.Now().Add(time.Minute); calls() != int64(seq); time.Sleep(20 * time.Millisecond) {
			if events {
				_ = db.Apply(ctx, late) // as the log does, again and again
			} else if calls() >= 0 {
				_ = db.Apply(ctx, late)
			}
			if time.Now().After(end) {
				t.Fatalf("round %d: %d calls of %d, after %v", round, calls(), seq, failed)
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(ctx, path, Options{Threads: 2, MemoryLimit: "256MB"}); err != nil {
		t.Fatal(err)
	}
	db = s.(*DB)
	defer db.Close()
	if n := calls(); n != int64(seq) {
		t.Errorf("%d calls of %d, opened again", n, seq)
	}
}

// full lets no file of this process grow beyond what the store's has, until the function
// that it returns is called.
func full(t *testing.T, path string) (whole func()) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(info.Size()) / 2, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
	}
}
