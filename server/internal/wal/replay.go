package wal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Report is what a Replay came upon.
type Report struct {
	// Items counts the items handed out; First and Last are their ends, 0 if none.
	Items       int64
	First, Last uint64
	// Damage lists what could not be read. It is empty for a sound log.
	Damage []Damage
}

// Replay calls yield with every item that is on disk, from the sequence number
// from on, in order. Damage is passed over, up to the next whole group, and
// reported; an error of yield ends it and is returned. Items that are appended
// meanwhile may or may not be seen.
func (l *Log) Replay(from uint64, yield func(seq uint64, it Item) error) (Report, error) {
	l.mu.Lock()
	segs := append([]*segment(nil), l.segments...)
	end := l.end
	l.mu.Unlock()

	from = max(from, 1)
	r := &replay{expect: from, from: from, yield: yield}
	for i, seg := range segs {
		if i+1 < len(segs) && segs[i+1].first <= from {
			continue // it ends before from
		}
		size := int64(-1)
		if i+1 == len(segs) {
			size = end
		}
		if err := r.segment(seg, size); err != nil {
			l.note(segs, r.report.Damage)
			return r.report, fmt.Errorf("cannot replay the log %q: %w", filepath.Base(seg.path), err)
		}
		if i+1 < len(segs) {
			r.gap(seg, segs[i+1].first, "the segment ends too early")
		}
	}
	l.note(segs, r.report.Damage)
	return r.report, nil
}

// note remembers damage, so that Truncate keeps the files that hold it.
func (l *Log) note(segs []*segment, damage []Damage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range damage {
		// Who reads twice comes upon it twice.
		if !slices.ContainsFunc(l.damage, func(o Damage) bool { return o.File == d.File && o.Offset == d.Offset && o.Bytes == d.Bytes }) {
			l.damage = append(l.damage, d)
		}
		for _, seg := range segs {
			if d.Bytes > 0 && filepath.Base(seg.path) == d.File {
				seg.damaged = true
			}
		}
	}
}

// replay is one walk over the segments.
type replay struct {
	from   uint64
	expect uint64 // the next sequence number, if nothing is missing
	yield  func(uint64, Item) error
	report Report
}

// segment walks one file of the given size; -1 means to its end.
func (r *replay) segment(seg *segment, size int64) error {
	f, err := os.Open(seg.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if size < 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		size = info.Size()
	}
	bad, err := seg.header(f)
	if err != nil {
		return err
	}
	if bad {
		r.damaged(seg, found{bad: min(size, segmentHeaderSize), reason: "the segment's header is damaged"})
	} else {
		r.gap(seg, seg.first, "entries are missing before it")
	}
	return r.groups(seg, newScanner(f, size))
}

func (r *replay) groups(seg *segment, s *scanner) error {
	for {
		f, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if f.bad > 0 {
			r.damaged(seg, f)
			continue
		}
		if f.group.end() <= r.from {
			continue
		}
		r.gap(seg, f.group.first, "entries are missing before a group")
		if err := r.hand(seg, f); err != nil {
			return err
		}
	}
}

// hand yields the items of a group that are due.
func (r *replay) hand(seg *segment, f found) error {
	var stop error
	err := f.group.items(f.raw, func(seq uint64, it Item) error {
		if seq < r.expect {
			return nil // before from, or a number that was already handed out
		}
		if stop = r.yield(seq, it); stop != nil {
			return stop
		}
		r.expect = seq + 1
		r.report.Items++
		if r.report.First == 0 {
			r.report.First = seq
		}
		r.report.Last = seq
		return nil
	})
	if stop != nil {
		return stop
	}
	if err != nil { // the checksum is right: a writer's bug, not the disk's
		size := int64(groupHeaderSize + f.group.payload)
		r.damaged(seg, found{offset: f.offset, bad: size, reason: err.Error()})
	}
	return nil
}

func (r *replay) damaged(seg *segment, f found) {
	r.report.Damage = append(r.report.Damage, Damage{
		File: filepath.Base(seg.path), Offset: f.offset, Bytes: f.bad,
		From: r.expect, To: r.expect - 1, Reason: f.reason,
	})
}

// settle writes into the last damage which entries it may have cost, now that a
// whole group beginning at first was found behind it.
func (r *replay) settle(first uint64) bool {
	n := len(r.report.Damage)
	if n == 0 || first <= r.expect {
		return false
	}
	d := &r.report.Damage[n-1]
	if d.From != r.expect || d.Bytes == 0 {
		return false
	}
	d.To = first - 1
	return true
}

// gap accounts for the entries between what was expected and first.
func (r *replay) gap(seg *segment, first uint64, reason string) {
	if first <= r.expect {
		return
	}
	if !r.settle(first) {
		r.report.Damage = append(r.report.Damage, Damage{
			File: filepath.Base(seg.path), From: r.expect, To: first - 1, Reason: reason,
		})
	}
	r.expect = first
}
