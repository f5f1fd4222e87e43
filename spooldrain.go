package umpire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
)

// drainer reads what earlier processes left, one file after the other.
type drainer struct {
	paths   []string
	file    *os.File
	lines   *bufio.Reader  // of a spool file; nil for a journal, which is read at once
	pending []batch        // read and not settled
	drops   map[string]int // that its process could not tell, and what is lost of the file; told when it is done with
}

func (d *drainer) more() bool { return d.file != nil || len(d.paths) > 0 }

// load returns the next batch to send. nil means that this step only got from
// one file to the next: a file at its end is removed, a file that another
// process holds is left to it.
func (d *drainer) load(s *sender) *batch {
	if len(d.pending) > 0 {
		return &d.pending[0]
	}
	if d.file == nil {
		d.next(s)
		if len(d.pending) > 0 {
			return &d.pending[0]
		}
	}
	if d.file == nil {
		return nil
	}
	err := io.EOF
	if d.lines != nil {
		var b batch
		b, err = readBatch(d.lines)
		if b.damaged > 0 {
			d.drops[dropSpoolDamaged] += b.damaged
		}
		if len(b.ends) > 0 {
			d.pending = append(d.pending, b)
			return &d.pending[0]
		}
	}
	if errors.Is(err, io.EOF) {
		s.c.inherit(d.drops)
		remove(d.file)
		_ = os.Remove(s.spool.dir) // succeeds when it is empty
	} else {
		_ = d.file.Close()
	}
	d.file, d.lines, d.drops = nil, nil, nil
	return nil
}

// next opens a file of an earlier process, or at last the process's own.
func (d *drainer) next(s *sender) {
	if len(d.paths) == 0 {
		d.file, s.spool.file = s.spool.file, nil
		if _, err := d.file.Seek(0, io.SeekStart); err != nil {
			d.close()
			return
		}
		d.lines, d.drops = bufio.NewReader(d.file), map[string]int{}
		return
	}
	path := d.paths[0]
	d.paths = d.paths[1:]
	f, err := openLocked(path, false)
	if err != nil {
		return
	}
	if !strings.HasSuffix(path, journalSuffix) {
		d.file, d.lines, d.drops = f, bufio.NewReader(f), map[string]int{}
		return
	}
	r, err := readJournal(f, s.c.opts.Key)
	if err != nil {
		s.c.voice.debugf("left alone: %v", err)
		_ = f.Close()
		return
	}
	d.file, d.drops = f, r.drops
	d.pending = s.inBatches(r.events)
	if len(r.events) > 0 { // else a closed process left a count of drops
		s.c.voice.debugf("%d events of a process that ended without Close", len(r.events))
	}
}

// inBatches encodes events of a journal. They account for nothing in the queue.
func (s *sender) inBatches(events []Event) []batch {
	var list []batch
	var b batch
	for i := range events {
		line, err := s.enc.encode(&events[i])
		if err != nil {
			continue // it would have been dropped then, too
		}
		if len(b.ends) == batchEvents || len(b.lines)+len(line) > maxBatchBytes {
			list, b = append(list, b), batch{}
		}
		b.lines = append(b.lines, line...)
		b.ends = append(b.ends, len(b.lines))
	}
	if len(b.ends) > 0 {
		list = append(list, b)
	}
	return list
}

// close lets go of a file that is not sent to its end; it stays.
func (d *drainer) close() {
	if d.file != nil {
		_ = d.file.Close()
	}
	*d = drainer{}
}

// readBatch reads the events of one request. Lines that are no JSON object, as
// a write that was cut short leaves one, are skipped and counted. The error is io.EOF when
// nothing follows.
func readBatch(r *bufio.Reader) (batch, error) {
	var b batch
	for len(b.ends) < batchEvents && len(b.lines) < maxBatchBytes-maxEventBytes {
		line, err := r.ReadBytes('\n')
		switch whole := bytes.TrimSpace(line); {
		case len(whole) == 0:
		case len(whole) <= maxEventBytes && whole[0] == '{' && json.Valid(whole):
			b.lines = append(append(b.lines, whole...), '\n')
			b.ends = append(b.ends, len(b.lines))
		default:
			b.damaged++
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}
