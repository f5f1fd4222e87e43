package umpire

import (
	"encoding/binary"
	"time"
)

// Begin notes on disk that the call e is being served, and returns a number
// for End. Should the process die before End, in whatever way, the next client
// with the same endpoint and key records the call as crashed/process_exit
// (outcomes.md 1.3). Begin fills the ID and StartedAt of e where they are zero:
// the event that is recorded at last must have the same.
//
// It returns 0, which End ignores, where nothing was noted: without a place on
// disk, with Options.NoInFlight, and when more than 1,000 calls are open.
func (c *Client) Begin(e *Event) (open uint64) {
	if c == nil || !c.on {
		return 0
	}
	p := c.what.of(e.Tool)
	if p.leavesOut(e) {
		return 0
	}
	if e.StartedAt.IsZero() {
		e.StartedAt = time.Now()
	}
	if e.ID.IsZero() {
		e.ID = newID(e.StartedAt)
	}
	if c.journal == nil || c.opts.NoInFlight {
		return 0
	}
	return c.journal.enter(e)
}

// End takes back what Begin noted. Call it once, after Record, or in its place
// if the call makes no event.
func (c *Client) End(open uint64) {
	if c != nil && c.journal != nil && open != 0 {
		c.journal.leaveSlot(int(open))
	}
}

// enter takes a slot for e and returns its offset in the file, or 0.
func (j *journal) enter(e *Event) uint64 {
	light := *e
	light.Input, light.Output, light.Texts, light.Structured = nil, nil, nil, nil
	if len(light.Arguments) > slotBytes/2 {
		light.Arguments = nil
	}
	s := j.record(&light, false)
	if len(s.buf) > slotBytes {
		s.done()
		s = j.record(e, true)
	}
	defer s.done()
	if len(s.buf) > slotBytes {
		return 0
	}
	at := j.takeSlot()
	if at != 0 {
		j.put(at, s.buf)
	}
	return uint64(at)
}

func (j *journal) takeSlot() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.left || j.broken.Load() || len(j.slots) == 0 && !j.moreSlots() {
		return 0
	}
	n := len(j.slots) - 1
	at := j.slots[n]
	j.slots = j.slots[:n]
	if i := at / slotBytes; i >= len(j.taken) {
		j.taken = append(j.taken, make([]bool, i+1-len(j.taken))...)
	}
	j.taken[at/slotBytes] = true
	j.open++
	return at
}

// moreSlots makes a block of slots. The journal's lock is held.
func (j *journal) moreSlots() bool {
	if j.made >= maxSlots {
		return false
	}
	block, ok := j.allocate()
	if !ok {
		return false
	}
	from := headBytes + block*blockBytes
	// A block that held events before must not show one in a slot.
	j.put(from, zeros[:])
	j.putRole(block, roleSlots, 0)
	for at := from + (blockBytes-slotBytes)/slotBytes*slotBytes; at > from; at -= slotBytes {
		j.slots = append(j.slots, at)
		j.made++
	}
	return true
}

// leaveSlot empties a slot. A number that is no slot in use does nothing.
func (j *journal) leaveSlot(at int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := at / slotBytes
	if at%slotBytes != 0 || i < 0 || i >= len(j.taken) || !j.taken[i] {
		return
	}
	j.putNumber(at, 0)
	j.taken[i] = false
	j.slots = append(j.slots, at)
	if j.open--; j.open == 0 && j.left {
		j.leave(false)
	}
}

// slotsIn returns the records of the open calls in a block of slots.
func slotsIn(block []byte) [][]byte {
	var list [][]byte
	for at := slotBytes; at+slotBytes <= len(block); at += slotBytes {
		if slot := block[at : at+slotBytes]; binary.LittleEndian.Uint32(slot) != 0 {
			list = append(list, slot)
		}
	}
	return list
}

// died judges calls that were open when their process ended (outcomes.md 1.3).
// When they were several, one of them may have ended it, or none: the mark says
// that no one is to be blamed alone.
func died(open []Event) []Event {
	for i := range open {
		e := &open[i]
		if e.Kind == "cancelled" { // its client gave it up before (outcomes.md 1.2)
			continue
		}
		o := Observation{Tool: e.Tool, Arguments: e.Arguments, Ran: e.HandlerRan, Silent: "process_exit"}
		size := e.RequestBytes
		e.Call = o.Judge()
		e.RequestBytes = size
		if len(open) > 1 {
			if e.Meta == nil {
				e.Meta = make(map[string]any, 1)
			}
			e.Meta["umpire.shared"] = true
		}
	}
	return open
}
