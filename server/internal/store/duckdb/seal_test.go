package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// killed is what a kill would leave of the store's file: it is copied while nothing
// is being sealed.
func killed(t *rapid.T, db *DB, to string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.sealing != nil {
		<-db.sealing.done
	}
	for _, end := range []string{"", ".wal"} {
		content, err := os.ReadFile(db.path + end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+end, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilled: whatever order events arrive in, however little of them is in memory,
// and wherever the process is killed: what the log has behind the position makes the
// store whole again, with nothing missing, nothing twice and every figure right.
func TestKilled(t *testing.T) {
	dir, n := t.TempDir(), 0
	storetest.Check(t, 8, func(r *rapid.T) {
		opts := Options{Threads: 1, SealRows: rapid.IntRange(3, 40).Draw(r, "seal")}
		open := func() *DB {
			n++
			s, err := Open(context.Background(), filepath.Join(dir, fmt.Sprint(n)), opts)
			if err != nil {
				r.Fatal(err)
			}
			return s.(*DB)
		}
		events := append(rapid.SliceOfN(storetest.Event(), 40, 40).Draw(r, "events"), rapid.SliceOfN(storetest.Call("s"), 25, 25).Draw(r, "calls")...)
		log := entries(1, rapid.Permutation(events).Draw(r, "arrival")...)
		db := open()
		reached := 0
		for next := 0; next < len(log); {
			to := min(len(log), next+rapid.IntRange(1, 25).Draw(r, "batch"))
			if err := db.Apply(context.Background(), log[next:to]); err != nil {
				r.Fatal(err)
			}
			next = to
			reached = max(reached, next)
			if rapid.IntRange(0, 2).Draw(r, "kill") > 0 {
				continue
			}
			killed(r, db, filepath.Join(dir, fmt.Sprint(n+1)))
			if err := db.Close(); err != nil {
				r.Fatal(err)
			}
			db = open()
			position, err := db.Position(context.Background())
			if err != nil || position > uint64(reached) {
				r.Fatalf("position %d of %d, %v", position, reached, err)
			}
			next = max(0, int(position)-rapid.IntRange(0, 5).Draw(r, "again")) // some of it once more
		}
		storetest.Recounted(r, db, log, store.Filter{Project: 1, From: storetest.Base, To: storetest.Base.Add(storetest.Span)})
		storetest.Recounted(r, db, log, storetest.Filter(1).Draw(r, "filter"))
		if err := db.Close(); err != nil {
			r.Fatal(err)
		}
	})
}

// TestSealing: what is in memory and what is in the file answer together as a store
// of one part would.
func TestSealing(t *testing.T) {
	every := 3 // as TestStore
	if os.Getenv("UMPIRE_TEST_FULL") != "" {
		every = 1
	}
	storetest.RunSome(t, every, func(t testing.TB) store.Store {
		s, err := Open(t.Context(), "", Options{SealRows: 16, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, "SDKReplacesProxy", "Catalog", "LateCallsCorrectRetries")
}

// TestReadersWhileSealing: a snapshot sees each event once, whenever it begins.
func TestReadersWhileSealing(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "events.duckdb"), Options{Threads: 1, SealRows: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	done := make(chan error, 1)
	go func() {
		for i := range 24 {
			var batch []umpire.Event
			for range 50 {
				e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start, Session: "s"}
				e.Tool, e.Outcome = "t", umpire.OK
				batch = append(batch, e)
			}
			if err := s.Apply(context.Background(), entries(uint64(1+i*50), batch...)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	rollups := store.Filter{Project: 1, From: start, To: start.Add(time.Hour)}
	raw := rollups
	raw.Outcome = []string{"ok"}
	var last int64
	for applied := false; !applied; {
		select {
		case err := <-done:
			if applied = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
		err := s.Snapshot(t.Context(), func(r store.Reader) error {
			a, err := r.Totals(t.Context(), rollups)
			if err != nil {
				return err
			}
			b, err := r.Totals(t.Context(), raw)
			if diff := cmp.Diff(a, b, cmpopts.EquateEmpty()); diff != "" || a.Calls%50 != 0 || a.Calls < last {
				t.Errorf("after %d calls %d (-rollups +raw):\n%s", last, a.Calls, diff)
			}
			last = a.Calls
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if last != 1200 {
		t.Errorf("%d calls, want 1200", last)
	}
}

// TestLately: the marks that are decided in memory are those of outcomes.md 6.2,
// whatever is inserted, taken out and taken back.
func TestLately(t *testing.T) {
	storetest.Check(t, 100, func(r *rapid.T) {
		all := entries(1, rapid.SliceOfN(storetest.Call("s"), 1, 20).Draw(r, "calls")...)
		l := newLately()
		var there []store.Entry
		for i := range all {
			if !chained(&all[i].Event) {
				continue
			}
			l.begin()
			l.insert(l.of(&all[i], 1))
			gone := -1
			if len(there) > 0 && rapid.IntRange(0, 3).Draw(r, "remove") == 0 {
				gone = rapid.IntRange(0, len(there)-1).Draw(r, "which")
				if !l.remove(l.key(1, "s", "find"), there[gone].Event.ID) {
					r.Fatal("a call was not found")
				}
			}
			if rapid.IntRange(0, 3).Draw(r, "fails") == 0 {
				l.rollback()
				continue
			}
			if gone >= 0 {
				there = slices.Delete(there, gone, gone+1)
			}
			there = append(there, all[i])
		}
		got, want := map[umpire.ID]storetest.Mark{}, map[umpire.ID]storetest.Mark{}
		l.all(func(c *lateCall) {
			got[c.id] = storetest.Mark{IsRetry: c.marks.retry, Reworded: c.marks.reworded, Repeated: c.marks.repeated}
		})
		for id, m := range storetest.Marks(there) {
			want[id] = m
		}
		if diff := cmp.Diff(want, got); diff != "" || l.n != len(want) {
			r.Fatalf("%d calls (-want +got):\n%s", l.n, diff)
		}
	})
}

// TestOnlyTheSealRefuses: an event that only the file refuses is told of and left out,
// and those around it are sealed. While it cannot be told of, nothing goes past it.
func TestOnlyTheSealRefuses(t *testing.T) {
	db := openTest(t, filepath.Join(t.TempDir(), "events.duckdb"))
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	var events []umpire.Event
	for i := range 20 {
		events = append(events, umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start, Call: umpire.Call{Tool: fmt.Sprint("t", i), Outcome: "ok"}})
	}
	// A value of a column that has a rule in the file and none in memory.
	if err := db.Apply(t.Context(), entries(1, events...)); err != nil {
		t.Fatal(err)
	}
	for _, seq := range []int{6, 7, 20} {
		if _, err := db.hot.ExecContext(t.Context(), fmt.Sprintf("UPDATE memory.main.base_1 SET ask_hash = NULL WHERE seq = %d", seq)); err != nil {
			t.Fatal(err)
		}
	}
	var told []uint64
	full := errors.New("the disk is full")
	db.OnRefusal(func(uint64, error) error { return full })
	if err := db.sealAllNow(); !errors.Is(err, full) {
		t.Fatalf("sealed: %v", err)
	}
	if n, err := db.Position(t.Context()); n != 0 || err != nil {
		t.Errorf("Position = %d, %v, want 0", n, err)
	}
	db.OnRefusal(func(seq uint64, cause error) error {
		told = append(told, seq)
		if n, _ := db.Position(t.Context()); n != 0 {
			t.Errorf("told of %d behind Position %d", seq, n)
		}
		return nil
	})
	if err := db.sealAllNow(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(told)
	if want := []uint64{6, 7, 20}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
	if n, err := db.Position(t.Context()); n != 20 || err != nil {
		t.Errorf("Position = %d, %v, want 20", n, err)
	}
	var n, calls int64
	err := db.read.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM events), (SELECT sum(calls) FROM tool_hours)").Scan(&n, &calls)
	if err != nil || n != 17 || calls != 17 {
		t.Errorf("%d events, %d calls counted, %v, want 17", n, calls, err)
	}
}

func (db *DB) sealAllNow() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.sealAll(context.Background())
}
