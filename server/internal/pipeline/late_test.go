package pipeline

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestRefusedLate: what the store refuses after it took it is a dead letter, as it is in
// the log.
func TestRefusedLate(t *testing.T) {
	r := newRig(t, Options{})
	r.submit(1, call("a"), call("b"))
	r.sync()
	if err := r.refusedLate(2, errors.New("too late")); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := r.DeadLetters(func(l DeadLetter) bool {
		e, err := decode(l.Event)
		if err != nil || l.Seq != 2 || l.Project != 1 || l.ReceivedAt.IsZero() {
			t.Errorf("letter %+v, %v", l, err)
		}
		got = append(got, e.Tool+": "+l.Reason)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"b: too late"}, got); d != "" {
		t.Error(d)
	}
	if err := r.refusedLate(99, errors.New("too late")); err == nil {
		t.Error("an event that is not in the log was set aside")
	}
}

// TestRollbackLeavesLate: a trial that takes its letters back leaves those of the seal.
func TestRollbackLeavesLate(t *testing.T) {
	d, err := openDeadLetters(filepath.Join(t.TempDir(), "letters"), 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	write := func(seq uint64, late bool) {
		t.Helper()
		l := letterOf(store.Entry{Seq: seq, Event: call("t").Event}, errors.New("no"))
		l.Late = late
		if err := d.write(l); err != nil {
			t.Fatal(err)
		}
	}
	write(1, false)
	mark := d.mark()
	write(11, false)
	write(2, true)
	write(12, false)
	write(3, true)
	if err := d.rollback(mark); err != nil {
		t.Fatal(err)
	}
	mark = d.mark()
	write(13, false)
	if err := d.rollback(mark); err != nil {
		t.Fatal(err)
	}
	write(4, false)
	var got []uint64
	if err := d.each(func(l deadLetter) bool { got = append(got, l.Seq); return true }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{1, 2, 3, 4}, got); diff != "" {
		t.Error(diff)
	}
}
