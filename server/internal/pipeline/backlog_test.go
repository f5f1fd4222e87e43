package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

var errAway = fmt.Errorf("away: %w", store.ErrUnavailable)

// A store that is away: the log takes what memory does not hold, and all of it
// comes into the store in its order, once, when the store is back.
func TestTheLogGrowsWhileTheStoreIsAway(t *testing.T) {
	r := newRig(t, Options{MaxMemory: 20_000, MaxBatch: 30})
	r.mem.set(func(m *memory) { m.down = errAway })
	var want []string
	for i := range 200 {
		items := calls(5)
		for k := range items {
			items[k].Event.Tool = fmt.Sprint(i, "-", k)
			want = append(want, "1/"+items[k].Event.Tool)
		}
		r.submit(1, items...)
	}
	s := r.Stats()
	if s.LagEvents != 1000 || s.LagAge <= 0 || s.LagBytes < 4000 {
		t.Errorf("stats %+v", s)
	}
	if n := r.queue.held; n > 20_000 {
		t.Errorf("%d bytes are held in memory, 20,000 may be", n)
	}
	if n := len(r.ids.live); n > 100 {
		t.Errorf("%d ids are held in memory", n)
	}
	r.mem.set(func(m *memory) { m.down = nil })
	r.sync()
	if d := cmp.Diff(want, r.mem.tools()); d != "" {
		t.Errorf("stored (-want +got):\n%s", d)
	}
	if s := r.Stats(); s.LagEvents != 0 || s.LagBytes != 0 || s.LagAge != 0 || s.Stored != 1000 {
		t.Errorf("stats %+v", s)
	}
	if r.queue.held != 0 || len(r.ids.live) != 0 {
		t.Errorf("%d bytes and %d ids are still held", r.queue.held, len(r.ids.live))
	}
	// From memory again, and not from the log.
	r.submit(1, calls(1)...)
	r.sync()
	if r.queue.behind() {
		t.Error("the queue still reads from the log")
	}
}

// A store that is away for too long: 503 with the time to come back, and nothing
// taken.
func TestAStoreAwayForTooLong(t *testing.T) {
	r := newRig(t, Options{MaxLagAge: 50 * time.Millisecond})
	r.mem.set(func(m *memory) { m.down = errAway })
	r.submit(1, calls(1)...)
	for r.Stats().LagAge < 60*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	_, err := r.Submit(ctx, 1, time.Now(), calls(1))
	if f := wantCode(t, err, fault.Unavailable); f.RetryAfter <= 0 {
		t.Errorf("refusal %+v", f)
	}
	if next := r.log.Next(); next != 2 {
		t.Errorf("the log holds %d entries", next-1)
	}
	r.mem.set(func(m *memory) { m.down = nil })
	r.sync()
	r.submit(1, calls(1)...)
}

// Whatever happens in whatever order, each event is stored once, and in the order of
// the log: a store that fails and comes back, senders that repeat themselves, little
// memory, a set of ids that forgets, kills, poison.
func TestEveryEventOnce(t *testing.T) {
	base := t
	storetest.Check(t, 25, func(t *rapid.T) {
		r := newRig(base, Options{
			MaxMemory: int64(rapid.IntRange(1, 15_000).Draw(t, "memory")), MaxBatch: rapid.IntRange(1, 40).Draw(t, "batch"),
			RecentIDs: rapid.IntRange(3, 100).Draw(t, "ids"), retry: time.Millisecond,
		})
		defer func() { _ = r.Close() }()
		var sent []Item
		poisoned := map[umpire.ID]bool{}
		for range rapid.IntRange(5, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				r.mem.set(func(m *memory) { m.down = errAway })
			case 1:
				r.mem.set(func(m *memory) { m.down = nil })
			case 2:
				r.restart()
			case 3:
				time.Sleep(time.Millisecond)
			default:
				items := calls(rapid.IntRange(1, 12).Draw(t, "new"))
				if rapid.IntRange(0, 5).Draw(t, "poison") == 0 {
					id := items[0].Event.ID
					poisoned[id] = true
					r.mem.set(func(m *memory) { m.poison[id] = true })
				}
				for range rapid.IntRange(0, 6).Draw(t, "again") {
					if len(sent) > 0 {
						items = append(items, sent[rapid.IntRange(0, len(sent)-1).Draw(t, "which")])
					}
				}
				rand.Shuffle(len(items), func(i, k int) { items[i], items[k] = items[k], items[i] })
				sent = append(sent, items...)
				if got := r.submit(1, append([]Item(nil), items...)...); got.Accepted+got.Duplicates != len(items) {
					t.Fatalf("%d events: %+v", len(items), got)
				}
			}
		}
		r.mem.set(func(m *memory) { m.down = nil })
		r.submit(1, calls(1)...) // what is behind a poisoned event
		c, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		if err := r.Sync(c); err != nil {
			q := r.queue
			t.Fatalf("%v: %+v; pass %+v left %+v events %d applied %d pushed %d adopted %d", err, r.Stats(), q.pass, q.left, q.events, q.applied, q.pushed, q.adopted)
		}
		stored := map[umpire.ID]int{}
		last := uint64(0)
		for _, e := range r.mem.entries {
			stored[e.Event.ID]++
			if e.Seq <= last {
				t.Fatalf("%d is stored behind %d", e.Seq, last)
			}
			last = e.Seq
		}
		for _, it := range sent {
			want := 1
			if poisoned[it.Event.ID] {
				want = 0
			}
			if n := stored[it.Event.ID]; n != want {
				t.Fatalf("%s is stored %d times, want %d", it.Event.ID, n, want)
			}
		}
		if s := r.Stats(); s.LagEvents != 0 || s.LagBytes != 0 {
			t.Fatalf("stats %+v", s)
		}
	})
}

// What is lost by damage in the middle of what waits in the log is counted once, and
// what is behind it comes into the store.
func TestDamageInWhatWaits(t *testing.T) {
	r := newRig(t, Options{MaxMemory: 1})
	r.mem.set(func(m *memory) { m.down = errAway })
	for range 60 {
		r.submit(1, calls(5)...)
	}
	_ = r.Close()
	files, err := filepath.Glob(filepath.Join(r.dir, "wal", "*.wal"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d segments, %v", len(files), err)
	}
	data, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 4
	if err := os.WriteFile(files[1], data, 0o600); err != nil {
		t.Fatal(err)
	}
	r.mem.set(func(m *memory) { m.down = nil })
	r.restart()
	r.sync()
	s := r.Stats()
	if s.Damage != 1 || s.Lost != 5 {
		t.Errorf("stats %+v", s)
	}
	if n := len(r.mem.tools()); n != 295 {
		t.Errorf("%d are stored, want 295", n)
	}
	if s.LagEvents != 0 {
		t.Errorf("what was lost is still waited for: %+v", s)
	}
}
