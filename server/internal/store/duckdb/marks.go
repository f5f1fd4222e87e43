package duckdb

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/cell"
)

// A call bears on another's marks up to 30 seconds after its end (outcomes.md 6.2).
const soon = int64(store.Recent / time.Microsecond)

// lately knows the calls that ended last, of every session and tool, so that the
// marks of a new call are decided without a look into the store. It knows all
// stored calls that ended after horizon. Times are in microseconds.
type lately struct {
	horizon int64
	calls   []lateCall
	free    int32             // the first of calls that is free; -1: none
	chains  map[uint64]*chain // of a session and tool
	n       int               // in use
	sweepAt int               // how many calls make a sweep worth it
	undo    []change          // since begin
	seed    maphash.Seed
}

// chain is the calls of a session and tool in the order in which they ended.
type chain struct {
	calls []int32
	last  int64 // no call began later; it is not taken back
}

// lateCall is what of a call bears on others.
type lateCall struct {
	key        uint64
	start, end int64
	args, ask  uint64 // hashes; 0: not known
	id         umpire.ID
	generation int64 // where it is stored
	project    uint32
	free       int32 // the next free one
	ok         bool  // it was plainly ok
	marks      marks
}

type marks struct{ retry, reworded, repeated bool }

// change is one step of a batch, to be taken back if the batch fails.
type change struct {
	kind    byte // 'i' inserted, 'r' removed, 'm' marked
	at      int32
	was     marks
	removed lateCall
}

const (
	// sweepFrom is how many calls are kept in any case, sweepTo at most.
	sweepFrom, sweepTo = 1 << 18, 1 << 22
	// sweepKeeps is for how long calls are kept beyond that: they may be followed by
	// calls that arrive late.
	sweepKeeps = 75 * time.Second
)

func newLately() *lately {
	return &lately{horizon: math.MinInt64, free: -1, chains: map[uint64]*chain{}, sweepAt: sweepFrom, seed: maphash.MakeSeed()}
}

// chained reports whether the event is a call that has marks, as apply_touched.sql
// says it.
func chained(e *umpire.Event) bool {
	return e.Kind == "call" && e.Outcome.Known() && e.Session != "" && e.Tool != ""
}

func (l *lately) key(project uint32, session, tool string) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	_, _ = h.Write([]byte{byte(project), byte(project >> 8), byte(project >> 16), byte(project >> 24)})
	_, _ = h.WriteString(cell.Text(session))
	_ = h.WriteByte(0xff) // which is in no valid text
	_, _ = h.WriteString(cell.Text(tool))
	return h.Sum64()
}

func (l *lately) hash(s string) uint64 {
	if s == "" {
		return 0
	}
	return max(1, maphash.String(l.seed, cell.Text(s)))
}

func (l *lately) of(e *store.Entry, generation int64) lateCall {
	c := &e.Event
	return lateCall{
		key: l.key(e.Project, c.Session, c.Tool), start: startedAt(c).UnixMicro(), end: endedAt(c).UnixMicro(),
		args: l.hash(c.ArgsHash), ask: l.hash(c.AskHash), id: c.ID, project: e.Project, generation: generation,
		ok: c.Outcome == umpire.OK && !c.Empty,
	}
}

// near reports whether all calls that bear on c, or it on them, are known here.
func (l *lately) near(c *lateCall) bool { return c.start-soon > l.horizon }

// begin starts a batch, that rollback can take back.
func (l *lately) begin() { l.undo = l.undo[:0] }

// insert chains the call, decides its marks and those of the calls that it turns
// out to precede.
func (l *lately) insert(c lateCall) (at int32) {
	at = l.add(c)
	l.undo = append(l.undo, change{kind: 'i', at: at})
	l.calls[at].marks = l.judge(at)
	l.judgeAfter(&l.calls[at])
	return at
}

// add chains a call that is stored.
func (l *lately) add(c lateCall) (at int32) {
	at = l.free
	if at < 0 {
		l.calls = append(l.calls, lateCall{})
		at = int32(len(l.calls) - 1)
	} else {
		l.free = l.calls[at].free
	}
	l.n++
	l.calls[at] = c
	l.link(at)
	return at
}

// remove takes a call out, and decides anew for those that it preceded. It reports
// whether the call was there.
func (l *lately) remove(key uint64, id umpire.ID) bool {
	c := l.chains[key]
	if c == nil {
		return false
	}
	place := slices.IndexFunc(c.calls, func(at int32) bool { return l.calls[at].id == id })
	if place < 0 {
		return false
	}
	at := c.calls[place]
	gone := l.calls[at]
	l.undo = append(l.undo, change{kind: 'r', at: at, removed: gone})
	l.unlink(at)
	l.n--
	l.judgeAfter(&gone)
	l.calls[at] = lateCall{free: l.free}
	l.free = at
	return true
}

// place is where the call stands in its chain, or would.
func (l *lately) place(c *chain, call *lateCall) int {
	n, _ := slices.BinarySearchFunc(c.calls, call, func(at int32, call *lateCall) int { return byEnd(&l.calls[at], call) })
	return n
}

// link puts the call in its place among those of its session and tool.
func (l *lately) link(at int32) {
	call := &l.calls[at]
	c := l.chains[call.key]
	if c == nil {
		c = &chain{last: call.start}
		l.chains[call.key] = c
	}
	c.calls = slices.Insert(c.calls, l.place(c, call), at)
	c.last = max(c.last, call.start)
}

func (l *lately) unlink(at int32) {
	call := &l.calls[at]
	c := l.chains[call.key]
	n := l.place(c, call)
	for c.calls[n] != at { // of the same id
		n++
	}
	if c.calls = slices.Delete(c.calls, n, n+1); len(c.calls) == 0 {
		delete(l.chains, call.key)
	}
}

// judgeAfter decides anew for the calls that began after this one ended. They end
// after it, too.
func (l *lately) judgeAfter(call *lateCall) {
	c := l.chains[call.key]
	if c == nil || c.last < call.end {
		return
	}
	for _, s := range c.calls[l.place(c, call):] {
		if follows(&l.calls[s], call) {
			l.mark(s, l.judge(s))
		}
	}
}

func (l *lately) mark(at int32, m marks) {
	if was := l.calls[at].marks; was != m {
		l.undo = append(l.undo, change{kind: 'm', at: at, was: was})
		l.calls[at].marks = m
	}
}

// judge is what outcomes.md 6.2 says of the call.
func (l *lately) judge(at int32) (m marks) {
	c := &l.calls[at]
	all := l.chains[c.key].calls
	n, _ := slices.BinarySearchFunc(all, c, func(p int32, c *lateCall) int {
		if follows(c, &l.calls[p]) {
			return -1
		}
		return 1
	})
	if n == 0 {
		return m
	}
	earlier := &l.calls[all[n-1]]
	if c.start-earlier.end > soon {
		return m
	}
	m.reworded = c.ask != 0 && earlier.ask != 0 && c.ask != earlier.ask
	m.retry = m.reworded && !earlier.ok
	m.repeated = c.args != 0 && c.args == earlier.args
	return m
}

// byEnd is the order of ends in which apply_marks.sql walks a session.
func byEnd(a, b *lateCall) int {
	return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.endPhase(), b.endPhase()), cmp.Compare(a.start, b.start), bytes.Compare(a.id[:], b.id[:]))
}

// follows reports whether c began after p ended, in the order of apply_marks.sql: at
// the same instant first the ends of calls that took time, then the calls that took
// none, by id, then the starts of calls that took time.
func follows(c, p *lateCall) bool {
	phase := 2
	if c.end == c.start {
		phase = 1
	}
	return cmp.Or(cmp.Compare(p.end, c.start), cmp.Compare(p.endPhase(), phase), cmp.Compare(p.start, c.start), bytes.Compare(p.id[:], c.id[:])) < 0
}

func (c *lateCall) endPhase() int {
	if c.end > c.start {
		return 0
	}
	return 1
}

// rollback takes back what was done since begin.
func (l *lately) rollback() {
	for _, u := range slices.Backward(l.undo) {
		switch u.kind {
		case 'm':
			l.calls[u.at].marks = u.was
		case 'i':
			l.unlink(u.at)
			l.calls[u.at] = lateCall{free: l.free}
			l.free = u.at
			l.n--
		case 'r':
			l.free = l.calls[u.at].free
			l.calls[u.at] = u.removed
			l.link(u.at)
			l.n++
		}
	}
	l.undo = l.undo[:0]
}

// sweep lets the oldest calls go when there are many, and moves the horizon.
func (l *lately) sweep(now time.Time) {
	if l.n < l.sweepAt {
		return
	}
	ends := make([]int64, 0, l.n)
	l.all(func(c *lateCall) { ends = append(ends, c.end) })
	slices.Sort(ends)
	cut := min(now.Add(-sweepKeeps).UnixMicro(), ends[len(ends)-sweepFrom/2])
	if len(ends) > sweepTo {
		cut = max(cut, ends[len(ends)-sweepTo/2])
	}
	l.cut(cut)
	l.sweepAt = max(sweepFrom, l.n+l.n/4)
}

// cut forgets the calls that ended up to then.
func (l *lately) cut(then int64) {
	kept := newLately()
	kept.seed, kept.horizon = l.seed, max(l.horizon, then)
	l.all(func(c *lateCall) {
		if c.end > then {
			kept.add(*c)
		}
	})
	*l = *kept
}

func (l *lately) all(do func(*lateCall)) {
	for _, c := range l.chains {
		for _, at := range c.calls {
			do(&l.calls[at])
		}
	}
}

// forget takes a session's calls of a tool out, to be said anew.
func (l *lately) forget(key uint64) {
	c := l.chains[key]
	if c == nil {
		return
	}
	for _, at := range c.calls {
		l.calls[at] = lateCall{free: l.free}
		l.free = at
		l.n--
	}
	delete(l.chains, key)
}

// changed are the calls from before the batch whose marks it changed. It is not ok if
// one of them is not in the generation.
func (l *lately) changed(generation int64) (calls []lateCall, ok bool) {
	before := map[int32]marks{} // by the first step that touched it
	inserted := map[int32]bool{}
	for _, u := range l.undo {
		switch u.kind {
		case 'i':
			inserted[u.at] = true
		case 'r':
			delete(before, u.at)
		case 'm':
			if _, known := before[u.at]; !known && !inserted[u.at] {
				before[u.at] = u.was
			}
		}
	}
	for at, was := range before {
		c := &l.calls[at]
		if was == c.marks {
			continue
		}
		if c.generation != generation {
			return nil, false
		}
		calls = append(calls, *c)
	}
	return calls, true
}
