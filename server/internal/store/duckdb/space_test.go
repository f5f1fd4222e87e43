package duckdb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Space that retention frees comes back: the file is smaller after the next start,
// and answers as before.
func TestSpaceComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "it's", "events.duckdb")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	opts := Options{CompactFrom: 1 << 20}
	open := func() store.Store {
		db, err := Open(t.Context(), path, opts)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	db := open()
	first := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	var batch []store.Entry
	for i := range 20_000 {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: first.Add(time.Duration(i) * 8 * time.Second), Session: fmt.Sprint("s", i/9)}
		e.Tool, e.Outcome = "find", umpire.OK
		e.Input = []byte(fmt.Sprintf("%q", strings.Repeat(umpire.NewID().String(), 12)))
		batch = append(batch, store.Entry{Seq: uint64(i + 1), Project: 1, ReceivedAt: e.StartedAt, Event: e})
	}
	for part := range 4 { // each is written to the file, over one before it
		if err := db.Apply(t.Context(), batch[part*5000:(part+1)*5000]); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Expire(t.Context(), 1, time.Time{}, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	f := store.Filter{Project: 1, From: first, To: first.AddDate(0, 0, 3)}
	before, err := db.Totals(t.Context(), f)
	if err != nil || before.Calls != 20_000 {
		t.Fatal(before, err)
	}
	if n, err := db.Expire(t.Context(), 1, first.AddDate(0, 0, 2), time.Time{}); err != nil || n != 20_000 {
		t.Fatal(n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	full := size()
	db = open()
	if small := size(); small > full/2 {
		t.Errorf("the file has %d bytes of %d", small, full)
	}
	after, err := db.Totals(t.Context(), f)
	if diff := cmp.Diff(before, after); err != nil || diff != "" {
		t.Errorf("%v: the answer changed: %s", err, diff)
	}
	if position, err := db.Position(t.Context()); position != 20_000 || err != nil {
		t.Errorf("position %d, %v", position, err)
	}
	batch[0].Seq = 20_001
	if err := db.Apply(t.Context(), batch[:1]); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}
