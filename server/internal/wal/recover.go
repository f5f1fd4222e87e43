package wal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// recover finds the end of the log, cuts a torn tail off, and makes a segment to
// append to.
func (l *Log) recover() error {
	segs, err := segments(l.dir)
	if err != nil {
		return err
	}
	l.segments = segs
	l.next = 1
	if len(segs) == 0 {
		return l.roll()
	}
	last := segs[len(segs)-1]
	f, err := os.OpenFile(last.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	usable, err := l.recoverSegment(last, f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if usable {
		l.file = l.opts.wrap(f)
		return nil
	}
	return errors.Join(f.Close(), l.replaceLast(last))
}

// recoverSegment sets next and end from the last segment and cuts its torn tail.
// A segment with damage before its end is left as it is and is not usable for
// more: the log goes on in a new one.
func (l *Log) recoverSegment(seg *segment, f *os.File) (usable bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	size := info.Size()
	headerBad, err := seg.header(f)
	if err != nil {
		return false, fmt.Errorf("cannot read %q: %w", filepath.Base(seg.path), err)
	}
	l.next, l.end = seg.first, min(size, segmentHeaderSize)
	usable = !headerBad
	s := newScanner(f, size)
	for {
		found, err := s.next()
		if errors.Is(err, io.EOF) {
			return usable, nil
		}
		if err != nil {
			return false, err
		}
		switch {
		case found.bad == 0:
			l.next = max(l.next, found.group.end())
			l.end = s.offset
		case !found.last:
			usable = false
		default:
			lost, damaged, err := damagedEnd(f, found)
			if err != nil {
				return false, fmt.Errorf("cannot read %q: %w", filepath.Base(seg.path), err)
			}
			if !damaged {
				return usable, l.cutTail(seg, f, found)
			}
			usable = false
			if lost.first == l.next {
				l.next = lost.end()
			}
		}
	}
}

func (l *Log) cutTail(seg *segment, f *os.File, tail found) error {
	l.damage = append(l.damage, Damage{
		File: filepath.Base(seg.path), Offset: tail.offset, Bytes: tail.bad,
		From: l.next, To: l.next - 1, Torn: true,
		Reason: "the end was cut off, because " + tail.reason,
	})
	if err := f.Truncate(tail.offset); err != nil {
		return err
	}
	return f.Sync()
}

// replaceLast goes on in a new segment behind a damaged one. One that holds
// nothing at all, such as a file whose creation a crash cut, is put aside.
func (l *Log) replaceLast(last *segment) error {
	if l.next == last.first {
		l.damage = append(l.damage, Damage{
			File: filepath.Base(last.path), Bytes: l.end, From: last.first, To: last.first - 1, Torn: true,
			Reason: "the segment holds no entry that could be read; it was put aside",
		})
		if err := os.Rename(last.path, last.path+".damaged"); err != nil {
			return err
		}
		l.segments = l.segments[:len(l.segments)-1]
		l.next = last.first
	}
	return l.roll()
}
