package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

var ctx = context.Background()

// rig is a pipeline over a log on disk and a store in memory.
type rig struct {
	t    testing.TB
	dir  string
	opts Options
	mem  *memory
	log  *wal.Log
	*Pipeline
}

func newRig(t testing.TB, opts Options) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), mem: &memory{poison: map[umpire.ID]bool{}}}
	opts.DeadLetters = filepath.Join(r.dir, "dead-letters.jsonl")
	if opts.MaxDelay == 0 {
		opts.MaxDelay = time.Millisecond
	}
	opts.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	r.opts = opts
	r.start()
	t.Cleanup(func() {
		_ = r.Close()
		_ = r.log.Close()
	})
	return r
}

func (r *rig) start() {
	r.t.Helper()
	var err error
	if r.log, err = wal.Open(filepath.Join(r.dir, "wal"), wal.Options{SegmentBytes: 4 << 10}); err != nil {
		r.t.Fatal(err)
	}
	if r.Pipeline, err = New(ctx, r.log, r.mem, r.opts); err != nil {
		r.t.Fatal(err)
	}
}

// restart opens the log anew, as after a crash: what was not applied is replayed.
func (r *rig) restart() {
	r.t.Helper()
	_ = r.Close()
	if err := r.log.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.start()
}

func (r *rig) submit(project uint32, items ...Item) Receipt {
	r.t.Helper()
	receipt, err := r.Submit(ctx, project, time.Now(), items)
	if err != nil {
		r.t.Fatal(err)
	}
	return receipt
}

func (r *rig) sync() {
	r.t.Helper()
	c, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := r.Sync(c); err != nil {
		r.t.Fatal(err)
	}
}

func call(tool string) Item {
	return Item{Event: umpire.Event{
		ID: umpire.NewID(), Kind: "call", StartedAt: time.Now(),
		Call: umpire.Call{Tool: tool, Outcome: umpire.OK},
	}}
}

func calls(n int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i] = call(fmt.Sprint(i))
		items[i].Index = i
	}
	return items
}

func wantCode(t *testing.T, err error, want fault.Code) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != want {
		t.Fatalf("error %v, want code %s", err, want)
	}
	return f
}

func TestSubmitReachesTheStore(t *testing.T) {
	r := newRig(t, Options{})
	got := r.submit(1, call("a"), call("b"))
	if d := cmp.Diff(Receipt{Accepted: 2}, got); d != "" {
		t.Error(d)
	}
	r.submit(2, call("c"))
	r.sync()
	if d := cmp.Diff([]string{"1/a", "1/b", "2/c"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
	if e := r.mem.entries[2]; e.Seq != 3 || e.ReceivedAt.IsZero() {
		t.Errorf("entry %+v", e)
	}
	if s := r.Stats(); s.Accepted != 3 || s.Stored != 3 || s.LagEvents != 0 || s.LagBytes != 0 || s.Err != nil {
		t.Errorf("stats %+v", s)
	}
}

func TestOneBadEventIsRefusedByItself(t *testing.T) {
	r := newRig(t, Options{})
	noID, noKind, noTime := call("x"), call("y"), call("z")
	noID.Event.ID, noID.Index = umpire.ID{}, 4
	noKind.Event.Kind, noKind.Index = "", 5
	noTime.Event.StartedAt, noTime.Index = time.Time{}, 9
	got := r.submit(1, noID, call("good"), noKind, noTime)
	if got.Accepted != 1 || len(got.Rejected) != 3 {
		t.Fatalf("receipt %+v", got)
	}
	for i, want := range []struct {
		index int
		word  string
		id    string
	}{{4, "id", ""}, {5, "kind", noKind.Event.ID.String()}, {9, "time", noTime.Event.ID.String()}} {
		rej := got.Rejected[i]
		if rej.Index != want.index || !strings.Contains(rej.Reason, want.word) || rej.ID != want.id || rej.Hint == "" {
			t.Errorf("rejection %+v, want %+v", rej, want)
		}
	}
	r.sync()
	if d := cmp.Diff([]string{"1/good"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
}

func TestTheSameIDTwiceIsOneEvent(t *testing.T) {
	r := newRig(t, Options{})
	a, b := call("a"), call("b")
	if got := r.submit(1, a, b, a); got.Accepted != 2 || got.Duplicates != 1 {
		t.Errorf("within a batch: %+v", got)
	}
	if got := r.submit(1, b, call("c")); got.Accepted != 1 || got.Duplicates != 1 {
		t.Errorf("not yet applied: %+v", got)
	}
	r.sync()
	if got := r.submit(1, a, b); got.Accepted != 0 || got.Duplicates != 2 {
		t.Errorf("applied: %+v", got)
	}
	if got := r.submit(2, a); got.Accepted != 1 {
		t.Errorf("another project: %+v", got)
	}
	r.restart()
	if got := r.submit(1, a, b); got.Accepted != 0 || got.Duplicates != 2 {
		t.Errorf("after a restart: %+v", got)
	}
	r.sync()
	if d := cmp.Diff([]string{"1/a", "1/b", "1/c", "2/a"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
}

func TestConcurrentIdenticalBatchesCountOnce(t *testing.T) {
	r := newRig(t, Options{MaxLagBytes: 1 << 30})
	for round := range 20 {
		shared := calls(30)
		var mu sync.Mutex
		var total Receipt
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				batch := append([]Item(nil), shared...)
				got, err := r.Submit(ctx, 1, time.Now(), batch)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				total.Accepted += got.Accepted
				total.Duplicates += got.Duplicates
			})
		}
		wg.Wait()
		if total.Accepted != 30 || total.Duplicates != 210 {
			t.Fatalf("round %d: %+v, want 30 accepted, 210 duplicates", round, total)
		}
	}
	r.sync()
	if n := len(r.mem.tools()); n != 600 {
		t.Errorf("%d stored, want 600", n)
	}
}

func TestOldIDsAreLookedUpInTheStore(t *testing.T) {
	r := newRig(t, Options{RecentIDs: 50})
	first := calls(10)
	r.submit(1, append([]Item(nil), first...)...)
	for range 5 {
		r.submit(1, calls(100)...) // pushes the first ones out of the set
	}
	r.sync()
	asked := r.mem.asked
	if got := r.submit(1, append([]Item(nil), first...)...); got.Duplicates != 10 {
		t.Errorf("ids that the set forgot: %+v", got)
	}
	if r.mem.asked == asked {
		t.Error("the store was not asked: this test proves nothing")
	}
}

func TestFreshIDsDoNotAskTheStore(t *testing.T) {
	r := newRig(t, Options{})
	r.submit(1, calls(2000)...)
	r.sync()
	r.restart()
	r.submit(1, calls(2000)...)
	if r.mem.asked != 0 {
		t.Errorf("the store was asked about %d fresh ids", r.mem.asked)
	}
}

func TestReplayAfterACrash(t *testing.T) {
	r := newRig(t, Options{})
	r.submit(1, call("a"))
	r.sync()
	r.mem.set(func(m *memory) { m.down = errors.New("disk gone") })
	item := call("b")
	item.Event.Meta = map[string]any{"n": 12, "s": "x"}
	item.Event.ErrorMessage = "mail max@example.com"
	r.submit(1, item, call("c"))
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "2 events") {
		t.Errorf("Close with a broken store: %v", err)
	}
	r.mem.set(func(m *memory) { m.down = nil })
	r.restart()
	r.sync()
	if d := cmp.Diff([]string{"1/a", "1/b", "1/c"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
	if got := r.mem.entries[1].Event.Meta["s"]; got != "x" {
		t.Errorf("meta after a replay: %v", r.mem.entries[1].Event.Meta)
	}
	if got := r.submit(1, item); got.Duplicates != 1 {
		t.Errorf("a replayed event sent again: %+v", got)
	}
}

func TestTheLogIsShortened(t *testing.T) {
	r := newRig(t, Options{})
	for range 40 {
		r.submit(1, calls(20)...)
		r.sync()
	}
	r.submit(1, calls(1)...)
	r.sync()
	if n := r.log.Segments(); n > 2 {
		t.Errorf("%d segments are left, want the active one and at most one more", n)
	}
}

func TestAStoreBehindRefusesBeforeTheLog(t *testing.T) {
	r := newRig(t, Options{MaxLagBytes: 2000})
	hold := make(chan struct{})
	r.mem.set(func(m *memory) { m.hold = hold })
	taken := 0
	var err error
	for err == nil && taken < 1000 {
		if _, err = r.Submit(ctx, 1, time.Now(), calls(1)); err == nil {
			taken++
		}
	}
	if f := wantCode(t, err, fault.Unavailable); f.RetryAfter <= 0 || f.Hint == "" {
		t.Errorf("refusal %+v", f)
	}
	if next := r.log.Next(); next != uint64(taken)+1 {
		t.Errorf("the log holds %d, acknowledged were %d", next-1, taken)
	}
	close(hold)
	r.sync()
	if got := r.submit(1, calls(1)...); got.Accepted != 1 {
		t.Errorf("after the store caught up: %+v", got)
	}
}

func TestAFailingStoreIsTriedAgain(t *testing.T) {
	r := newRig(t, Options{})
	r.mem.set(func(m *memory) { m.down = errors.New("busy") })
	r.submit(1, calls(50)...)
	for r.Stats().ApplyErrors < 2 {
		time.Sleep(time.Millisecond)
	}
	if r.Stats().Err == nil {
		t.Error("Stats does not tell that the store fails")
	}
	r.mem.set(func(m *memory) { m.down = nil })
	r.sync()
	s := r.Stats()
	if n := len(r.mem.tools()); n != 50 || s.DeadLetters != 0 || s.Err != nil {
		t.Errorf("%d stored, stats %+v", n, s)
	}
	if data, err := os.ReadFile(r.opts.DeadLetters); err != nil || len(data) != 0 {
		t.Errorf("dead letters of a store that was only busy: %s, %v", data, err)
	}
}

func TestPoisonedEventsStopNobody(t *testing.T) {
	r := newRig(t, Options{MaxBatch: 64})
	items := calls(300)
	items[150].Event.Tool = "panic"
	for _, i := range []int{0, 1, 2, 77, 150, 298} {
		r.mem.poison[items[i].Event.ID] = true
	}
	r.submit(1, items...)
	r.sync()
	s := r.Stats()
	if n := len(r.mem.tools()); n != 294 || s.DeadLetters != 6 || s.Stored != 294 {
		t.Errorf("%d stored, stats %+v", n, s)
	}
	data, err := os.ReadFile(r.opts.DeadLetters)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != 6 || !strings.Contains(string(data), items[77].Event.ID.String()) ||
		!strings.Contains(string(data), `"reason":"poison"`) {
		t.Errorf("dead letters:\n%s", data)
	}
	r.restart()
	r.sync()
	if n := len(r.mem.tools()); n != 294 {
		t.Errorf("%d stored after a restart, want 294", n)
	}
}

// The last event of all is refused: that may be the store's fault, so it waits
// for a later one to tell.
func TestAPoisonedLastEventWaitsForTheNext(t *testing.T) {
	r := newRig(t, Options{})
	last := call("poison")
	r.mem.poison[last.Event.ID] = true
	r.submit(1, call("a"), last)
	for r.Stats().ApplyErrors < 2 {
		time.Sleep(time.Millisecond)
	}
	if s := r.Stats(); s.DeadLetters != 0 || s.LagEvents != 1 {
		t.Errorf("stats %+v", s)
	}
	r.restart() // it is tried again, not lost and not listed twice
	r.submit(1, call("b"))
	r.sync()
	if d := cmp.Diff([]string{"1/a", "1/b"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
	if data, _ := os.ReadFile(r.opts.DeadLetters); strings.Count(string(data), "\n") != 1 {
		t.Errorf("dead letters:\n%s", data)
	}
}

func TestDeleteProjectForgetsEverything(t *testing.T) {
	r := newRig(t, Options{})
	secret := call("secret")
	poison := call("poisoned secret")
	r.mem.poison[poison.Event.ID] = true
	r.submit(1, secret, poison)
	r.submit(2, call("kept"))
	r.sync()
	if err := r.DeleteProject(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"2/kept"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
	_, err := r.Submit(ctx, 1, time.Now(), calls(1))
	wantCode(t, err, fault.NotFound)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.holdsNowhere("secret")
}

// holdsNowhere fails the test if a file of the pipeline still holds the text.
func (r *rig) holdsNowhere(text string) {
	r.t.Helper()
	found := 0
	err := filepath.Walk(r.dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			r.t.Errorf("%s still holds %q", path, text)
		}
		found++
		return err
	})
	if err != nil || found < 2 {
		r.t.Errorf("%d files looked at, %v", found, err)
	}
}

func TestALostLogGoesOnBehindTheStore(t *testing.T) {
	r := newRig(t, Options{})
	r.submit(1, calls(10)...)
	r.sync()
	_ = r.Close()
	_ = r.log.Close()
	if err := os.RemoveAll(filepath.Join(r.dir, "wal")); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.submit(1, call("new"))
	r.sync()
	if got := r.mem.entries; len(got) != 11 || got[10].Seq != 11 {
		t.Errorf("%d entries, the last with number %d; want 11", len(got), got[len(got)-1].Seq)
	}
}

func TestCloseDrainsAndRefuses(t *testing.T) {
	r := newRig(t, Options{MaxDelay: time.Hour})
	r.submit(1, calls(10)...)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(r.mem.tools()); n != 10 {
		t.Errorf("%d stored, want 10", n)
	}
	_, err := r.Submit(ctx, 1, time.Now(), calls(1))
	wantCode(t, err, fault.Unavailable)
	if err := r.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestSyncHurriesAndEndsWithItsContext(t *testing.T) {
	r := newRig(t, Options{MaxDelay: time.Hour})
	r.submit(1, calls(1)...)
	r.sync() // would take an hour otherwise
	hold := make(chan struct{})
	defer close(hold)
	r.mem.set(func(m *memory) { m.hold = hold })
	r.submit(1, calls(1)...)
	c, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if err := r.Sync(c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Sync: %v", err)
	}
}
