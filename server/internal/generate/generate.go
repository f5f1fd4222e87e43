package generate

import (
	"container/heap"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/umpire-mcp/umpire"
)

// Options say what to make. The zero value, but for Until, is the data set of
// the benchmarks: one million events over 90 days.
type Options struct {
	Seed   uint64
	Events int           // default 1,000,000
	Until  time.Time     // no event is younger; the zero time is not allowed
	Span   time.Duration // from the oldest event to Until; default 90 days

	Projects int // default 4: 60, 25, 10 and 5 in a hundred
	Tools    int // default 60, by zipf's law with exponent 1.1, in another order for each project
	Clients  int // default 12, with exponent 1.2
	// IDTime is written into all ids (they are of version 7). The zero time: each
	// has its event's own, as an SDK would write it. What is loaded into a server
	// long after it is said to have happened is asked for in the store, event by
	// event, in case it came before.
	IDTime time.Time
	// Plain leaves out bodies, intents and traces: for drills, which count.
	Plain bool
}

func (o Options) withDefaults() Options {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&o.Events, 1_000_000)
	def(&o.Projects, 4)
	def(&o.Tools, 60)
	def(&o.Clients, 12)
	if o.Span <= 0 {
		o.Span = 90 * 24 * time.Hour
	}
	return o
}

const (
	// perSession is the mean number of events in a session.
	perSession = 9
	// tail is how long before Until the last session begins, so that most sessions
	// have an end.
	tail = 15 * time.Minute
)

// shares are the projects' parts of all sessions, in a hundred; the rest of the
// projects, if there are more, shares the last one's.
var shares = []int{60, 25, 10, 5}

// Generator makes the events one after the other. It is not for use by several
// goroutines at once.
type Generator struct {
	o        Options
	rng      *rand.Rand
	tools    *rand.Zipf
	clients  *rand.Zipf
	order    [][]int // of the tools, by project
	known    []tool
	open     sessions
	begun    int // sessions
	sessions int // that are planned
	made     int
	next     time.Time // when the next session begins
	last     time.Time // of the event made last
	listed   map[release]bool
	text     []byte // scratch
}

// New returns a generator. It panics without a time to end at.
func New(o Options) *Generator {
	if o.Until.IsZero() {
		panic("BUG: generated events need a time to end at")
	}
	o = o.withDefaults()
	g := &Generator{
		o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x756d70697265)),
		sessions: o.Events/perSession + 1, listed: map[release]bool{},
	}
	g.tools = rand.NewZipf(g.rng, 1.1, 1, uint64(o.Tools-1))
	g.clients = rand.NewZipf(g.rng, 1.2, 1, uint64(o.Clients-1))
	for range o.Projects {
		g.order = append(g.order, g.rng.Perm(o.Tools))
	}
	g.known = makeTools(g.rng, o.Tools)
	g.last = o.Until.Add(-min(tail, o.Span)).Truncate(time.Microsecond)
	g.next = g.start(0)
	return g
}

// Next returns the next event and the number of its project, from 0; ok is false
// when all were made. Times rise from one event to the next.
func (g *Generator) Next() (project int, e umpire.Event, ok bool) {
	if g.made == g.o.Events {
		return 0, e, false
	}
	// When all are begun, and were shorter than planned, further ones follow one by one.
	for len(g.open) == 0 || g.begun < g.sessions && !g.next.After(g.open[0].at) {
		if g.begun >= g.sessions {
			g.next = g.last
		}
		heap.Push(&g.open, g.begin(g.next))
		g.begun++
		g.next = g.start(g.begun)
	}
	s := g.open[0]
	g.last = s.at
	e = g.event(s)
	if s.left--; s.left > 0 && s.at.Before(g.o.Until) {
		heap.Fix(&g.open, 0)
	} else {
		heap.Pop(&g.open)
	}
	g.made++
	return s.project, e, true
}

// hourly is how busy the hours of a day are, in UTC: quiet at night.
var hourly = [24]float64{.3, .25, .2, .2, .25, .3, .45, .7, 1.1, 1.5, 1.7, 1.75, 1.6, 1.7, 1.9, 1.9, 1.8, 1.6, 1.3, 1.05, .9, .7, .5, .35}

// start is when the n-th session begins: evenly over the days, and over the hours
// of a day by hourly.
func (g *Generator) start(n int) time.Time {
	span := g.o.Span - tail
	if n >= g.sessions || span <= 0 {
		return g.last
	}
	at := time.Duration((float64(n) + g.rng.Float64()) / float64(g.sessions) * float64(span))
	if g.o.Span > 3*24*time.Hour {
		day := at.Truncate(24 * time.Hour)
		at = min(day+byHour(float64(at-day)/float64(24*time.Hour)), span)
	}
	begin := g.o.Until.Add(at - g.o.Span).Truncate(time.Microsecond)
	if begin.Before(g.next) {
		return g.next
	}
	return begin
}

// byHour turns a share of a day's sessions into the time of the day.
func byHour(share float64) time.Duration {
	var sum, before float64
	for _, w := range hourly {
		sum += w
	}
	for h, w := range hourly {
		if share*sum < before+w {
			return time.Duration((float64(h) + (share*sum-before)/w) * float64(time.Hour))
		}
		before += w
	}
	return 24*time.Hour - 1
}

// id is a UUID of version 7, drawn from the seed.
func (g *Generator) id(at time.Time) (id umpire.ID) {
	if !g.o.IDTime.IsZero() {
		at = g.o.IDTime
	}
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|g.rng.Uint64()&0xfff)
	binary.BigEndian.PutUint64(id[8:], g.rng.Uint64())
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// sessions are those that are open, as a heap: the one with the earliest next
// event is the first.
type sessions []*session

func (s sessions) Len() int           { return len(s) }
func (s sessions) Less(a, b int) bool { return s[a].at.Before(s[b].at) }
func (s sessions) Swap(a, b int)      { s[a], s[b] = s[b], s[a] }
func (s *sessions) Push(v any)        { *s = append(*s, v.(*session)) }
func (s *sessions) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}
