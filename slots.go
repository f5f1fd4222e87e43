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
	p := c.what.holding(e)
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

// Entered adds to what Begin noted that the tool's handler was entered: then
// handler_ran is yes, and not unknown.
func (c *Client) Entered(open uint64) { c.markSlot(open, markEntered) }

// Withdrawn adds to what Begin noted that the client gave the call up: then it
// is no crash but cancelled (outcomes.md 1.2).
func (c *Client) Withdrawn(open uint64) { c.markSlot(open, markWithdrawn) }

func (c *Client) markSlot(open uint64, mark uint32) {
	if c != nil && c.journal != nil && open != 0 {
		c.journal.mark(open, mark)
	}
}

// End takes back what Begin noted. Call it once, after Record, or in its place
// if the call makes no event. An open call that ended already is not touched.
func (c *Client) End(open uint64) {
	if c != nil && c.journal != nil && open != 0 {
		c.journal.exit(open)
	}
}

// slot is what is known in memory of a place for an open call. A number that
// Begin gives is the turn, above the offset in the file.
type slot struct {
	turn  uint32 // 0: free
	marks uint32
}

const (
	markEntered   = 1
	markWithdrawn = 2
)

// enter takes a slot for e.
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
	open := j.takeSlot()
	if open != 0 {
		j.put(int(uint32(open)), s.buf)
	}
	return open
}

func (j *journal) takeSlot() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.left || j.broken.Load() || len(j.slots) == 0 && !j.moreSlots() {
		return 0
	}
	n := len(j.slots) - 1
	at := j.slots[n]
	j.slots = j.slots[:n]
	if more := at/slotBytes + 1 - len(j.state); more > 0 {
		j.state = append(j.state, make([]slot, more)...)
	}
	if j.turn++; j.turn == 0 {
		j.turn = 1
	}
	j.state[at/slotBytes] = slot{turn: j.turn}
	j.open++
	return uint64(j.turn)<<32 | uint64(at)
}

// find returns the slot of an open call, or nil. The journal's lock is held.
func (j *journal) find(open uint64) (s *slot, at int) {
	at = int(uint32(open))
	if i := at / slotBytes; i < len(j.state) && at%slotBytes == 0 && j.state[i].turn == uint32(open>>32) && j.state[i].turn != 0 {
		return &j.state[i], at
	}
	return nil, 0
}

func (j *journal) mark(open uint64, mark uint32) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s, at := j.find(open); s != nil && s.marks&mark == 0 {
		s.marks |= mark
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], s.marks)
		j.put(at+4, b[:])
	}
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

// exit empties the slot of an open call.
func (j *journal) exit(open uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s, at := j.find(open)
	if s == nil {
		return
	}
	j.putNumber(at, 0)
	*s = slot{}
	j.slots = append(j.slots, at)
	if j.open--; j.open == 0 && j.left {
		j.leave(j.keep)
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
		if e.Kind == "cancelled" || e.Meta[metaCancelled] == true {
			continue
		}
		o := Observation{Kind: e.Kind, Tool: e.Tool, Arguments: e.Arguments, Ran: e.HandlerRan, Silent: "process_exit"}
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
