package pipeline

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// key is what makes an event unique: ids are unique per project.
type key struct {
	project uint32
	id      umpire.ID
}

// ids knows which events were seen. It is exact for what is on its way (live),
// and for the rest a set of hashes whose hits the store confirms: a hash that is
// not in the set belongs to an id that was not received since recent.since.
type ids struct {
	mu     sync.Mutex
	live   map[key]holder // from the claim until the store has the event
	recent recent
}

// holder is who has an id.
type holder struct {
	flight *flight
	// wins: it is the SDK's word of a call, for which the proxy's gives way
	// (outcomes.md 1.4), or a whole for which a half does (store.Halves).
	wins bool
}

// wins reports whether e comes in although the proxy's event of the id, or a half of
// the call, is here.
func wins(e *umpire.Event) bool {
	return store.Agreed(e.ID) && e.SeenBy == "sdk" || store.Whole(e)
}

// yields reports whether a stored event that was seen so gives way.
func yields(seenBy string) bool { return seenBy == "proxy" || seenBy == store.Half }

// flight is one attempt to write a batch. Whoever finds one of its ids taken
// waits for done.
type flight struct {
	done   chan struct{}
	failed bool // read after done
}

// claim is what one round of a batch got.
type claim struct {
	flight   *flight
	mine     []int // to be written by this batch, unless the store knows them
	suspects []int // those of mine that the store must be asked about
	others   []waiting
	own      int // the same id again within the batch
}

type waiting struct {
	index  int
	flight *flight
	beats  bool // to be claimed again when the flight is over, whatever became of it
}

func newIDs(perGeneration int) *ids {
	return &ids{live: map[key]holder{}, recent: newRecent(perGeneration)}
}

// claim takes, in one step, all of the events that nobody else has. Because a
// batch waits for others only after its own claims are settled, no two batches
// can wait for each other.
func (s *ids) claim(b *batch, todo []int) claim {
	c := claim{flight: &flight{done: make(chan struct{})}, mine: make([]int, 0, len(todo))}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for _, i := range todo {
		p := &b.claims[i]
		if h := s.live[p.key]; h.flight != nil {
			switch beats := p.wins && !h.wins; {
			case h.flight == c.flight && !beats:
				c.own++
				continue
			case h.flight != c.flight && (!beats || !h.flight.over()):
				// What wins comes behind what it beats, in the log and in the store.
				c.others = append(c.others, waiting{i, h.flight, beats})
				continue
			}
		}
		s.live[p.key] = holder{c.flight, p.wins}
		c.mine = append(c.mine, i)
		// A time of the sender's that lies ahead says nothing of the id's age.
		// The horizon moves when the set forgets, which an add may cause.
		if s.recent.add(p.key, time.Now) || p.born.Before(s.recent.horizon(now)) || p.born.After(now.Add(maxAhead)) {
			c.suspects = append(c.suspects, i)
		}
	}
	return c
}

// settle ends a claim. The fresh ones stay live until forget; the others are in
// the store or were not written.
func (s *ids) settle(b *batch, c claim, fresh []int, ok bool) {
	s.mu.Lock()
	n := 0
	for _, i := range c.mine {
		if n < len(fresh) && fresh[n] == i {
			n++
			continue
		}
		s.drop(b.claims[i].key, b.claims[i].wins)
	}
	s.mu.Unlock()
	c.flight.failed = !ok
	close(c.flight.done)
}

// drop ends the hold on k, unless a winner has it meanwhile. The lock is held.
func (s *ids) drop(k key, wins bool) {
	if s.live[k].wins == wins {
		delete(s.live, k)
	}
}

// over reports whether the attempt has ended.
func (f *flight) over() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// forget is told what the store has taken, what was set aside, and what was left in
// the log.
func (s *ids) forget(entries []store.Entry) {
	for piece := range slices.Chunk(entries, 500) { // so that doors need not wait long
		s.mu.Lock()
		for i := range piece {
			s.drop(key{piece[i].Project, piece[i].Event.ID}, wins(&piece[i].Event))
		}
		s.mu.Unlock()
	}
}

// recent is a set of 64-bit hashes in two generations. When the current one is
// full, the older one is dropped.
type recent struct {
	perGeneration int
	seed          [2]uint64
	current, old  generation
	started       time.Time // when current began
	// since: every id received from then on is in the set. It is the zero time
	// as long as that is all ids ever received.
	since time.Time
}

func newRecent(perGeneration int) recent {
	return recent{perGeneration: perGeneration, seed: [2]uint64{rand.Uint64(), rand.Uint64()}}
}

// add adds the key and reports whether it was there, or one of the same hash.
func (r *recent) add(k key, now func() time.Time) (seen bool) {
	h := r.hash(k)
	if r.old.has(h) {
		return true
	}
	if !r.current.add(h) {
		return true
	}
	if r.current.n >= r.perGeneration {
		r.old, r.current = r.current, generation{}
		r.since, r.started = r.started, now()
	}
	return false
}

// horizon is the time before which an event may have been received without
// being in the set. Senders' clocks are allowed to be ahead of ours by a quarter
// of what the set covers, and by 10 minutes at most.
func (r *recent) horizon(now time.Time) time.Time {
	if r.since.IsZero() {
		return time.Time{}
	}
	return r.since.Add(min(now.Sub(r.since)/4, 10*time.Minute))
}

func (r *recent) hash(k key) uint64 {
	a := binary.LittleEndian.Uint64(k.id[:8]) ^ r.seed[0]
	b := binary.LittleEndian.Uint64(k.id[8:]) ^ r.seed[1] ^ uint64(k.project)*0x9e3779b97f4a7c15
	hi, lo := bits.Mul64(a, b)
	hi, lo = bits.Mul64(hi^lo^r.seed[1], b^0xd6e8feb86659fd93)
	return max(hi^lo, 1) // 0 marks a free slot
}

// generation is an open-addressing set of hashes that are never 0.
type generation struct {
	slots []uint64 // a power of two, at most half full
	n     int
}

func (g *generation) has(h uint64) bool {
	if g.n == 0 {
		return false
	}
	mask := uint64(len(g.slots) - 1)
	for i := h & mask; g.slots[i] != 0; i = (i + 1) & mask {
		if g.slots[i] == h {
			return true
		}
	}
	return false
}

// add reports whether h is new.
func (g *generation) add(h uint64) bool {
	if 2*g.n >= len(g.slots) {
		g.grow()
	}
	mask := uint64(len(g.slots) - 1)
	i := h & mask
	for ; g.slots[i] != 0; i = (i + 1) & mask {
		if g.slots[i] == h {
			return false
		}
	}
	g.slots[i] = h
	g.n++
	return true
}

func (g *generation) grow() {
	old := g.slots
	g.slots = make([]uint64, max(1<<12, 2*len(old)))
	mask := uint64(len(g.slots) - 1)
	for _, h := range old {
		if h == 0 {
			continue
		}
		i := h & mask
		for g.slots[i] != 0 {
			i = (i + 1) & mask
		}
		g.slots[i] = h
	}
}

// bornAt is the time inside a version 7 id; for other ids the event's own time.
func bornAt(id umpire.ID, startedAt time.Time) time.Time {
	if id[6]>>4 != 7 {
		return startedAt
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16))
}
