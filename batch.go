package umpire

import (
	"errors"
	"time"
)

// batch is up to batchEvents events, encoded.
type batch struct {
	lines []byte // NDJSON, each line with its line feed
	ends  []int  // where each line ends in lines

	damaged int // lines of the spool that were passed over for being unreadable

	// What the batch accounts for in the queue. A batch from the spool
	// accounts for nothing.
	taken       int // events, the ones that could not be encoded included
	weight      int
	mark        mark   // in the journal: what is settled with it
	marks       []mark // the same, of each line
	tooLarge    int
	unencodable int
}

func (b *batch) line(i int) []byte {
	from := 0
	if i > 0 {
		from = b.ends[i-1]
	}
	return b.lines[from:b.ends[i]]
}

// halve splits a batch of two or more events in the middle.
func (b *batch) halve() (batch, batch) {
	half := len(b.ends) / 2
	at := b.ends[half-1]
	first, second := batch{lines: b.lines[:at], ends: b.ends[:half]}, *b
	second.lines, second.ends = b.lines[at:], nil
	for _, end := range b.ends[half:] {
		second.ends = append(second.ends, end-at)
	}
	if b.taken > 0 {
		first.taken, first.weight = half, b.weight/2
		second.taken, second.weight = b.taken-half, b.weight-first.weight
		first.mark = b.marks[half-1]
		first.marks, second.marks = b.marks[:half], b.marks[half:]
	}
	return first, second
}

// load takes the oldest chunk of the queue and encodes it.
func (s *sender) load() bool {
	c := s.c
	c.mu.Lock()
	ch := c.queue.take()
	c.mu.Unlock()
	if ch == nil {
		return false
	}
	s.dueAt = time.Time{}
	for _, b := range s.encode(ch) {
		if len(b.ends) > 0 {
			s.pending = append(s.pending, b)
		} else {
			if len(s.pending) > 0 {
				b.mark = 0 // what waits before it stays in the journal
			}
			s.settle(&b, fate{})
		}
	}
	ch.reset()
	c.mu.Lock()
	c.queue.giveBack(ch)
	c.mu.Unlock()
	return true
}

// encode makes batches of a chunk: one, unless its events are so large that
// a request would come near the door's limit.
func (s *sender) encode(ch *chunk) []batch {
	var list []batch
	var b batch
	for i := range ch.events {
		e := &ch.events[i]
		line, err := s.enc.encode(e)
		if len(b.lines)+len(line) > maxBatchBytes {
			list, b = append(list, b), batch{}
		}
		b.taken++
		b.mark = ch.marks[i]
		switch {
		case errors.Is(err, errTooLarge):
			b.tooLarge++
		case err != nil:
			b.unencodable++
		default:
			b.lines = append(b.lines, line...)
			b.ends = append(b.ends, len(b.lines))
			b.marks = append(b.marks, b.mark)
		}
		if s.c.voice.debug {
			s.c.voice.debugf("event %s", describe(e, err))
		}
	}
	list = append(list, b)
	list[len(list)-1].weight = ch.bytes
	return list
}
