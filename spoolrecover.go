package umpire

import (
	"bytes"
	"cmp"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// remains is what a process left in its journal.
type remains struct {
	events []Event // recorded and not settled, in order, and then the open calls
	drops  map[string]int
}

// waiting counts the events in the file that are not settled. It is for the
// sender of a client that takes no more.
func (j *journal) waiting() int {
	if j == nil {
		return 0
	}
	b, err := io.ReadAll(io.NewSectionReader(j.file, 0, journalMost))
	if err != nil || len(b) < headBytes {
		return 0
	}
	events, _ := recordsIn(b)
	return len(events)
}

// errForeign is a journal that another version of this package wrote, or one
// that the key does not open. It is left alone.
var errForeign = errors.New("cannot read the journal: it is of another version or key")

// readJournal reads the journal of a process that is no more. Whatever in it is
// damaged, as the last record of a process that was killed may be, is passed
// over.
func readJournal(f *os.File, key string) (remains, error) {
	var r remains
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return r, fmt.Errorf("cannot read the journal: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(f, journalMost))
	if err != nil {
		return r, fmt.Errorf("cannot read the journal: %w", err)
	}
	if len(b) < headBytes {
		return r, nil // its process died while it made it
	}
	if !bytes.HasPrefix(b, []byte(journalMagic)) {
		return r, errForeign
	}
	seal, err := journalSeal(key, b[saltAt:saltAt+len(ID{})])
	if err != nil {
		return r, errForeign
	}
	r.drops = dropsIn(b)
	events, slots := recordsIn(b)
	seen := make(map[ID]bool, len(events))
	for _, record := range events {
		if e, ok := unseal(seal, record); ok && !seen[e.ID] {
			seen[e.ID] = true
			r.events = append(r.events, e)
		}
	}
	var open []Event
	for _, record := range slots {
		if e, ok := unseal(seal, record); ok && !seen[e.ID] { // its event was recorded, but End not reached
			seen[e.ID] = true
			marks := binary.LittleEndian.Uint32(record[4:])
			if marks&markEntered != 0 {
				e.HandlerRan = ranYes
			}
			if marks&markWithdrawn != 0 {
				e.withdrawn()
			}
			open = append(open, e)
		}
	}
	slices.SortStableFunc(open, func(a, b Event) int { return a.StartedAt.Compare(b.StartedAt) })
	r.events = append(r.events, died(open)...)
	return r, nil
}

// withdrawn says that the client gave e up (outcomes.md 1.2).
func (e *Event) withdrawn() {
	if !isRead(e.Kind) {
		e.Kind = "cancelled"
		return
	}
	if e.Meta == nil {
		e.Meta = make(map[string]any, 1)
	}
	e.Meta[metaCancelled] = true
}

// unseal reads a record, unless it is damaged or another's.
func unseal(seal cipher.AEAD, record []byte) (Event, bool) {
	n := binary.LittleEndian.Uint32(record)
	if int64(n) > int64(len(record)-recordHead) {
		return Event{}, false
	}
	var nonce [12]byte
	copy(nonce[:], record[16:recordHead])
	text, err := seal.Open(nil, nonce[:], record[recordHead:recordHead+int(n)], nil)
	if err != nil {
		return Event{}, false
	}
	e, err := readEvent(text)
	return e, err == nil
}

// dropsIn reads the counts of the head. More than anybody dropped is damage.
func dropsIn(head []byte) map[string]int {
	drops := map[string]int{}
	for i, reason := range dropReasons {
		if n := binary.LittleEndian.Uint64(head[dropsAt+8*i:]); n > 0 && n < 1<<40 {
			drops[reason] = int(n)
		}
	}
	return drops
}

// recordsIn finds the records that are not void, in order, and the slots in use.
func recordsIn(file []byte) (events, slots [][]byte) {
	settled := mark(binary.LittleEndian.Uint64(file[markAt:]))
	type part struct {
		era  uint64
		text []byte
	}
	var parts []part
	for from := headBytes; from+blockBytes <= len(file); from += blockBytes {
		block := file[from : from+blockBytes]
		era := binary.LittleEndian.Uint64(block[8:])
		switch binary.LittleEndian.Uint64(block) {
		case roleSlots:
			slots = append(slots, slotsIn(block)...)
		case roleEvents:
			if era >= settled.era() {
				parts = append(parts, part{era, block})
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.era, b.era) })
	for _, p := range parts {
		at := blockHead
		if p.era == settled.era() {
			at = max(at, settled.at()&^7)
		}
		for at+recordHead <= blockBytes {
			n := int(binary.LittleEndian.Uint32(p.text[at:]))
			if n == 0 || binary.LittleEndian.Uint64(p.text[at+8:]) != p.era || n > blockBytes-at-recordHead {
				break
			}
			end := (at + recordHead + n + 7) &^ 7
			events = append(events, p.text[at:min(end, blockBytes)])
			at = end
		}
	}
	return events, slots
}
