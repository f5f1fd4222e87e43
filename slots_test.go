package umpire

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// reread reads the journal as the next process would find it.
func reread(t *testing.T, j *journal) remains {
	t.Helper()
	f, err := os.Open(j.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := readJournal(f, testKey)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOpenCalls(t *testing.T) {
	c := journaled(t)
	first := Event{
		Kind: "call", StartedAt: time.Now().Add(-time.Minute), SessionID: "raw", Arguments: []byte(`{"a":1}`),
		Call: Call{Tool: "first", RequestBytes: new(int64)}, Client: Peer{Name: "claude-code"},
	}
	second := Event{Kind: "call", Call: Call{Tool: "second"}}
	third := Event{Kind: "call", Call: Call{Tool: "third"}}
	one, two, three := c.Begin(&first), c.Begin(&second), c.Begin(&third)
	if one == 0 || two == 0 || three == 0 || first.ID.IsZero() || second.StartedAt.IsZero() {
		t.Fatalf("%d, %d, %d; %+v", one, two, three, second)
	}
	c.Entered(two)
	c.Entered(two + 1<<32) // another call had the slot
	c.Record(third)        // and died before End

	r := reread(t, c.journal)
	if len(r.events) != 3 || r.events[0].Tool != "third" || r.events[0].Outcome != "" {
		t.Fatalf("%d events, want the recorded one and two open: %+v", len(r.events), r.events)
	}
	for i, want := range []Event{first, second} {
		got := r.events[i+1]
		if got.ID != want.ID || got.Tool != want.Tool || !got.StartedAt.Equal(want.StartedAt) || got.SessionID != want.SessionID ||
			!bytes.Equal(got.Arguments, want.Arguments) || got.Client != want.Client {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		if got.Outcome != Crashed || got.Cause != "process_exit" || got.Evidence != "structure" || got.DurationUS != nil {
			t.Errorf("judged %+v", got.Call)
		}
		if got.Meta["umpire.shared"] != true {
			t.Errorf("meta %v, want the mark of a shared death", got.Meta)
		}
	}
	if a, b := r.events[1], r.events[2]; a.HandlerRan != "unknown" || b.HandlerRan != "yes" || a.RequestBytes == nil || b.RequestBytes != nil {
		t.Errorf("ran %q and %q, request_bytes %v and %v", a.HandlerRan, b.HandlerRan, a.RequestBytes, b.RequestBytes)
	}

	c.End(three)
	c.End(two)
	r = reread(t, c.journal)
	if len(r.events) != 2 || r.events[1].Tool != "first" || r.events[1].Meta != nil {
		t.Errorf("left: %+v, want one open call that is alone", r.events)
	}
	c.End(one)
	if r = reread(t, c.journal); len(r.events) != 1 {
		t.Errorf("left: %+v, want the recorded one", r.events)
	}
}

// TestCancelledBeforeDeath: what its client gave up is no call (outcomes.md 1.2).
func TestCancelledBeforeDeath(t *testing.T) {
	c := journaled(t)
	open := c.Begin(&Event{Kind: "call", Call: Call{Tool: "a"}})
	c.Withdrawn(open)
	c.Entered(open)
	if r := reread(t, c.journal); len(r.events) != 1 || r.events[0].Kind != "cancelled" || r.events[0].Outcome != "" {
		t.Errorf("left: %+v", r.events)
	}
}

// TestReadsBeforeDeath: what is no call keeps its kind, withdrawn or not.
func TestReadsBeforeDeath(t *testing.T) {
	c := journaled(t)
	c.Begin(&Event{Kind: "resource", StartedAt: time.Unix(1, 0), Call: Call{Tool: "file:"}})
	c.Withdrawn(c.Begin(&Event{Kind: "prompt", StartedAt: time.Unix(2, 0), Call: Call{Tool: "p"}}))
	r := reread(t, c.journal)
	if len(r.events) != 2 {
		t.Fatalf("%d events, want 2: %+v", len(r.events), r.events)
	}
	died, gone := r.events[0], r.events[1]
	if died.Kind != "resource" || died.Tool != "file:" || died.Outcome != Crashed || died.Cause != "process_exit" {
		t.Errorf("died: %+v", died)
	}
	if gone.Kind != "prompt" || gone.Tool != "p" || gone.Outcome != "" || gone.Meta["umpire.cancelled"] != true {
		t.Errorf("withdrawn: %+v", gone)
	}
}

func TestSlotsAreUsedAgain(t *testing.T) {
	c := journaled(t)
	for range 5000 {
		e := okCall("a")
		c.End(c.Begin(&e))
	}
	if c.journal.made > 64 || c.journal.open != 0 {
		t.Errorf("%d slots, %d open", c.journal.made, c.journal.open)
	}
	var open []uint64
	for i := range 2 * maxSlots {
		e := okCall(fmt.Sprint(i))
		open = append(open, c.Begin(&e))
	}
	noted := c.journal.open
	if noted < maxSlots || noted > maxSlots+64 || open[noted-1] == 0 || open[noted] != 0 {
		t.Errorf("%d calls are noted, want %d or a block more", noted, maxSlots)
	}
	if n := len(reread(t, c.journal).events); n != noted {
		t.Errorf("%d calls are read, want %d", n, noted)
	}
	for _, n := range append(open, open...) { // whoever ends twice ends once
		c.End(n)
	}
	c.End(1 << 40)
	c.End(slotBytes)
	c.Entered(open[0])
	if c.journal.open != 0 || len(c.journal.slots) != c.journal.made {
		t.Errorf("%d open, %d of %d free", c.journal.open, len(c.journal.slots), c.journal.made)
	}
}

func TestLargeOpenCalls(t *testing.T) {
	c := journaled(t)
	for _, e := range []Event{
		{Arguments: bytes.Repeat([]byte(" "), 5<<20), Call: Call{Tool: "args"}},
		{SessionID: strings.Repeat("s", 2000), Call: Call{Tool: "session"}},
		{Client: Peer{Name: strings.Repeat("é", 2000)}, Call: Call{Tool: "client"}},
	} {
		if c.Begin(&e) == 0 {
			t.Errorf("%s is not noted", e.Tool)
		}
	}
	if r := reread(t, c.journal); len(r.events) != 3 || r.events[0].Tool != "args" || r.events[0].Arguments != nil {
		t.Errorf("left: %+v", r.events)
	}
}

func TestNoInFlight(t *testing.T) {
	c := journaled(t)
	c.opts.NoInFlight = true
	e := okCall("a")
	if n := c.Begin(&e); n != 0 || e.ID.IsZero() {
		t.Errorf("noted as %d; id %s", n, e.ID)
	}
	var none *Client
	none.End(none.Begin(&e))
	idle := idleClient()
	idle.End(idle.Begin(&e))
}

// TestClosedWhileCallsAreOpen: the file stays until the last of them ends, and
// if the process ends first, it is found.
func TestClosedWhileCallsAreOpen(t *testing.T) {
	door, dir := newCollector(t, nil), t.TempDir()
	c, _ := testClient(t, Options{Endpoint: door.serve(), SpoolDir: dir})
	e := okCall("slow")
	open := c.Begin(&e)
	if err := c.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	if r := reread(t, c.journal); len(r.events) != 1 || r.events[0].Cause != "process_exit" {
		t.Errorf("left: %+v", r.events)
	}
	if f, err := openLocked(c.journal.path, false); err == nil {
		_ = f.Close()
		t.Error("the file of a living process is not locked")
	}
	late := okCall("late")
	if c.Begin(&late) != 0 {
		t.Error("a closed client noted a call")
	}
	c.Record(e)
	c.End(open)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
}
