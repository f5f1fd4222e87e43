package umpire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// journaled is an idle client that writes a journal.
func journaled(tb testing.TB) *Client {
	tb.Helper()
	c := idleClient()
	j, err := openJournal(filepath.Join(tb.TempDir(), "spool"), testKey, journalMost)
	if err != nil {
		tb.Fatal(err)
	}
	c.journal = j
	tb.Cleanup(func() { c.journal.close() })
	return c
}

func TestJournalAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector changes what a sync.Pool keeps")
	}
	c, e := journaled(t), benchEvent()
	n := testing.AllocsPerRun(5000, func() {
		open := c.Begin(&e)
		c.Record(e)
		c.End(open)
		if c.queue.events == batchEvents {
			c.discardQueued()
		}
	})
	if n > 0 {
		t.Errorf("Begin, Record and End of an ok call allocate %v times, want 0", n)
	}
}

func BenchmarkRecordJournal(b *testing.B) {
	c, e := journaled(b), benchEvent()
	b.ReportAllocs()
	for b.Loop() {
		c.Record(e)
		if c.queue.events == batchEvents {
			c.discardQueued()
		}
	}
}

func BenchmarkRecordInFlight(b *testing.B) {
	c, e := journaled(b), benchEvent()
	b.ReportAllocs()
	for b.Loop() {
		open := c.Begin(&e)
		c.Record(e)
		c.End(open)
		if c.queue.events == batchEvents {
			c.discardQueued()
		}
	}
}

func tools(list []Event) string {
	var names []string
	for _, e := range list {
		names = append(names, e.Tool)
	}
	return strings.Join(names, " ")
}

func TestJournalHoldsWhatIsNotSettled(t *testing.T) {
	c := journaled(t)
	var marks []mark
	for _, tool := range []string{"a", "b", "c"} {
		e := Event{ID: NewID(), Call: Call{Tool: tool}}
		s := c.journal.recordOf(&e)
		marks = append(marks, c.journal.add(s))
		s.done()
	}
	for i, want := range []string{"b c", "c", ""} {
		if got := tools(reread(t, c.journal).events); i == 0 && got != "a b c" {
			t.Errorf("%q, want all", got)
		}
		c.journal.settle(marks[i])
		if got := tools(reread(t, c.journal).events); got != want {
			t.Errorf("after %d are settled: %q, want %q", i+1, got, want)
		}
	}
	c.journal.settle(marks[1]) // late, and void
	c.Record(Event{Call: Call{Tool: "d"}})
	if got := tools(reread(t, c.journal).events); got != "d" {
		t.Errorf("%q, want the new one only", got)
	}
}

// TestHalvesSettleTheirOwn: while the second half waits, the first is void.
func TestHalvesSettleTheirOwn(t *testing.T) {
	c := journaled(t)
	c.voice = &voice{}
	s := &sender{c: c, enc: encoder{what: c.what, redaction: c.redaction}}
	for _, tool := range []string{"a", "b", "c", "d", "e"} {
		c.Record(okCall(tool))
	}
	s.load()
	first, second := s.pending[0].halve()
	second, third := second.halve()
	for _, half := range []struct {
		batch *batch
		want  string
	}{{&first, "c d e"}, {&second, "d e"}, {&third, ""}} {
		s.settle(half.batch, fate{})
		if got := tools(reread(t, c.journal).events); got != half.want || c.journal.waiting() != len(strings.Fields(got)) {
			t.Errorf("%q and %d are left, want %q", got, c.journal.waiting(), half.want)
		}
	}
}

func TestJournalUsesBlocksAgain(t *testing.T) {
	c, n := journaled(t), 0
	for range 20 {
		for range 30 * batchEvents {
			e := benchEvent()
			e.Tool = fmt.Sprint(n)
			n++
			c.Record(e)
			if c.queue.events > 5*batchEvents {
				ch := c.queue.take()
				c.settled += uint64(len(ch.events))
				c.journal.settle(ch.marks[len(ch.marks)-1])
			}
		}
	}
	left := reread(t, c.journal).events
	if len(left) != c.queue.events {
		t.Fatalf("%d are left, want %d", len(left), c.queue.events)
	}
	for i, e := range left {
		if want := fmt.Sprint(n - len(left) + i); e.Tool != want {
			t.Fatalf("number %d is %s, want %s", i, e.Tool, want)
		}
	}
	if c.journal.blocks > 10 {
		t.Errorf("%d blocks for 500 events that wait", c.journal.blocks)
	}
}

func TestJournalIsBounded(t *testing.T) {
	c := idleClient()
	j, err := openJournal(t.TempDir(), testKey, headBytes+4*blockBytes)
	if err != nil {
		t.Fatal(err)
	}
	c.journal = j
	t.Cleanup(j.close)
	for range 2000 {
		c.Record(benchEvent())
	}
	if info, err := os.Stat(j.path); err != nil || info.Size() != headBytes+4*blockBytes {
		t.Errorf("%v, %v", info.Size(), err)
	}
	if n := len(reread(t, j).events); n < 400 || n > 1500 || !j.fills(3, 4) {
		t.Errorf("%d events are kept; full: %v", n, j.fills(3, 4))
	}
	c.discardQueued()
	c.Record(okCall("next"))
	if got := tools(reread(t, j).events); got != "next" {
		t.Errorf("%.100q, want the next one", got)
	}
}

func TestJournalOfAnEventThatIsTooLarge(t *testing.T) {
	c := journaled(t)
	c.Record(Event{Call: Call{Tool: "values"}, Input: bytes.Repeat([]byte("1"), 2*blockBytes)})
	c.Record(Event{Call: Call{Tool: "near", Near: []string{strings.Repeat("n", 2*blockBytes)}}}) // nobody's
	c.Record(okCall("next"))
	if r := reread(t, c.journal); tools(r.events) != "values next" || r.events[0].Input != nil {
		t.Errorf("%s", tools(r.events))
	}
}

// TestJournalIsSealed: what must not leave the process cannot be read in it, and
// whatever is damaged is passed over.
func TestJournalIsSealed(t *testing.T) {
	c := journaled(t)
	for _, tool := range []string{"a", "b", "c"} {
		e := Event{SessionID: "raw", Arguments: []byte(`{"secret":"hush"}`), Call: Call{Tool: tool, ErrorMessage: "max@example.com"}}
		c.Begin(&e)
		c.Record(e)
	}
	whole, err := os.ReadFile(c.journal.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"raw", "hush", "max@", testKey} {
		if bytes.Contains(whole, []byte(secret)) {
			t.Errorf("%q is on disk", secret)
		}
	}
	checkPrivate(t, c.journal.path)

	read := func(b []byte, key string) (remains, error) {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		return readJournal(f, key)
	}
	if r, err := read(whole, testKey); err != nil || tools(r.events) != "a b c" { // each open call was recorded, too
		t.Fatalf("%s, %v", tools(r.events), err)
	}
	if r, err := read(whole, "another"); err != nil || len(r.events) != 0 {
		t.Errorf("another key reads %s, %v", tools(r.events), err)
	}
	torn := bytes.Clone(whole)
	torn[headBytes+blockHead+recordHead+20] ^= 1
	if r, err := read(torn, testKey); err != nil || !strings.HasSuffix(tools(r.events), "b c a") { // its slot is whole
		t.Errorf("%s, %v", tools(r.events), err)
	}
	if r, err := read(whole[:100], testKey); err != nil || len(r.events) != 0 {
		t.Errorf("%s, %v", tools(r.events), err)
	}
	foreign := bytes.Clone(whole)
	copy(foreign, "umpjrnl9")
	if _, err := read(foreign, testKey); !errors.Is(err, errForeign) {
		t.Errorf("%v, want %v", err, errForeign)
	}
}

// FuzzReadJournal reads files that anything may have happened to.
func FuzzReadJournal(f *testing.F) {
	j, err := openJournal(f.TempDir(), testKey, journalMost)
	if err != nil {
		f.Fatal(err)
	}
	e := benchEvent()
	e.ID = NewID()
	s := j.recordOf(&e)
	j.add(s)
	e.ID = NewID()
	j.enter(&e)
	whole, err := os.ReadFile(j.path)
	if err != nil {
		f.Fatal(err)
	}
	j.leave(false)
	f.Add(uint32(headBytes), uint64(1<<63))
	f.Add(uint32(headBytes+8), uint64(0))
	f.Add(uint32(headBytes+blockHead), uint64(blockBytes))
	f.Add(uint32(headBytes+blockBytes+slotBytes), uint64(1<<32-1))
	f.Add(uint32(markAt), uint64(1<<20|0xfffff))
	f.Add(uint32(dropsAt), uint64(1<<63))
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, at uint32, number uint64) {
		b := bytes.Clone(whole)
		if int(at) < len(b)-8 {
			binary.LittleEndian.PutUint64(b[at:], number)
		} else {
			b = b[:number%uint64(len(b))]
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		r, err := readJournal(file, testKey)
		if err == nil && len(r.events) > 2 {
			t.Fatalf("%d events of two", len(r.events))
		}
	})
}

// TestJournalSurvivesLostPages: pages that cannot be had are no end of the program.
func TestJournalSurvivesLostPages(t *testing.T) {
	c := journaled(t)
	if c.journal.plane.mem == nil {
		t.Skip("not mapped on this system")
	}
	c.Record(okCall("a"))
	if err := os.Truncate(c.journal.path, 0); err != nil {
		t.Fatal(err)
	}
	c.Record(okCall("b"))
	e := okCall("c")
	c.End(c.Begin(&e))
	if !c.journal.broken.Load() || c.queue.events != 2 {
		t.Errorf("broken %v, %d queued", c.journal.broken.Load(), c.queue.events)
	}
}

// TestJournalWithoutMapping writes by system calls what is else copied.
func TestJournalWithoutMapping(t *testing.T) {
	c := journaled(t)
	c.journal.plane.close()
	c.Record(okCall("a"))
	e := okCall("b")
	open := c.Begin(&e)
	if got := tools(reread(t, c.journal).events); got != "a b" {
		t.Errorf("%q", got)
	}
	c.End(open)
	if got := tools(reread(t, c.journal).events); got != "a" {
		t.Errorf("%q", got)
	}
}

// A record is sealed in its place, of whatever size its event is: the seal is a
// little longer than what is sealed.
func TestJournalTakesEverySize(t *testing.T) {
	c := journaled(t)
	e := benchEvent()
	for n := range 6000 {
		e.Arguments = bytes.Repeat([]byte("x"), n)
		c.Record(e)
		if c.queue.events == batchEvents {
			c.discardQueued()
		}
	}
	if got := c.Stats().Recorded; got != 6000 {
		t.Errorf("%d events are recorded, want 6000", got)
	}
}
