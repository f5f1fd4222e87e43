package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/generate"
)

// Config says where to send what.
type Config struct {
	Address string           // host:port
	Keys    []string         // a write key for each project; there are as many projects as keys
	Events  generate.Options // Projects is set from Keys

	Batch       int     // events in a request; default 100
	Connections int     // default 8
	Rate        float64 // events a second; 0: as fast as it goes
	// Prepare encodes everything before the clock starts, in memory (about 800 bytes
	// an event): what loads a server shares the machine with it.
	Prepare bool
	// Again is the share of batches that are sent once more after they were
	// acknowledged, some at once and some much later.
	Again float64
	// Shuffle is over how many events their order is mixed up.
	Shuffle int
	// Ledger is written to; nil: nothing is kept but counts.
	Ledger *Ledger
	// Answered is called after each answer and each failed attempt, if it is set.
	Answered func(status int, err error)
}

// Result is how it went.
type Result struct {
	Events, Batches int64 // acknowledged
	Refused         int64 // answers 429 and 503
	Failed          int64 // connections that broke, and requests without an answer
	Again           int64 // batches sent once more and answered
	Doubled         int64 // events of these that were taken for new
	Elapsed         time.Duration
	P50, P99, Max   time.Duration // of acknowledgements
}

func (r Result) String() string {
	return fmt.Sprintf("%d events in %d batches, %.0f events/s, acknowledged in p50 %s p99 %s max %s, %d refused, %d failed, %d again, %d doubled",
		r.Events, r.Batches, float64(r.Events)/r.Elapsed.Seconds(), r.P50, r.P99, r.Max, r.Refused, r.Failed, r.Again, r.Doubled)
}

// batch is one request.
type batch struct {
	project int
	n       int
	events  []umpire.Event // nil without a ledger
	body    []byte
}

// run is a load under way.
type run struct {
	cfg     Config
	batches chan *batch
	spare   sync.Pool // of bodies

	events, sent, refused, failed, again, doubled atomic.Int64

	mu      sync.Mutex
	latency []time.Duration
	err     error
}

// Run sends everything, or until the context ends, and then what is on its way: all
// that it gave a server is acknowledged when it returns without an error. An error
// is an answer that no later attempt can mend, such as 401.
func Run(ctx context.Context, cfg Config) (Result, error) {
	if len(cfg.Keys) == 0 || cfg.Address == "" {
		return Result{}, errors.New("cannot load a server without its address and keys")
	}
	cfg.Events.Projects = len(cfg.Keys)
	if cfg.Batch <= 0 {
		cfg.Batch = 100
	}
	if cfg.Connections <= 0 {
		cfg.Connections = 8
	}
	r := &run{cfg: cfg, batches: make(chan *batch, 2*cfg.Connections)}
	var ready []*batch
	if cfg.Prepare {
		r.produce(ctx, func(b *batch) bool { ready = append(ready, b); return true })
	}
	began := time.Now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for range cfg.Connections {
		wg.Go(func() {
			if err := r.send(); err != nil {
				r.mu.Lock()
				r.err = errors.Join(r.err, err)
				r.mu.Unlock()
				stop()
				for range r.batches { // so that nobody waits for it
				}
			}
		})
	}
	r.feed(ctx, ready, began)
	close(r.batches)
	wg.Wait()
	return r.result(time.Since(began)), r.err
}

// feed hands the batches out at the rate asked for.
func (r *run) feed(ctx context.Context, ready []*batch, began time.Time) {
	sent := 0
	give := func(b *batch) bool {
		if r.cfg.Rate > 0 {
			due := began.Add(time.Duration(float64(sent) / r.cfg.Rate * float64(time.Second)))
			if wait := time.Until(due); wait > 0 {
				select {
				case <-time.After(wait):
				case <-ctx.Done():
				}
			}
		}
		sent += b.n
		select {
		case r.batches <- b:
			return true
		case <-ctx.Done():
			return false
		}
	}
	if !r.cfg.Prepare {
		r.produce(ctx, give)
		return
	}
	for _, b := range ready {
		if !give(b) {
			return
		}
	}
}

// produce makes the batches, each of events of one project.
func (r *run) produce(ctx context.Context, give func(*batch) bool) {
	g := generate.New(r.cfg.Events)
	mix := shuffler{of: r.cfg.Shuffle, rng: rand.New(rand.NewPCG(r.cfg.Events.Seed, 7))}
	open := make([]*batch, len(r.cfg.Keys))
	put := func(m made) bool {
		b := open[m.project]
		if b == nil {
			b = &batch{project: m.project, body: r.buffer()}
			open[m.project] = b
		}
		b.n++
		b.body = append(generate.AppendJSON(b.body, &m.event), '\n')
		if r.cfg.Ledger != nil {
			b.events = append(b.events, m.event)
		}
		if b.n < r.cfg.Batch {
			return true
		}
		open[m.project] = nil
		return give(b)
	}
	for ctx.Err() == nil {
		p, e, ok := g.Next()
		if !ok {
			break
		}
		if m, ok := mix.next(made{p, e}); ok && !put(m) {
			return
		}
	}
	for _, m := range mix.rest() {
		if ctx.Err() != nil || !put(m) {
			return
		}
	}
	for _, b := range open {
		if b != nil && !give(b) {
			return
		}
	}
}

func (r *run) buffer() []byte {
	if b, ok := r.spare.Get().(*[]byte); ok && !r.cfg.Prepare {
		return (*b)[:0]
	}
	return make([]byte, 0, 1000*r.cfg.Batch)
}

func (r *run) result(elapsed time.Duration) Result {
	slices.Sort(r.latency)
	at := func(q float64) time.Duration {
		if len(r.latency) == 0 {
			return 0
		}
		return r.latency[int(q*float64(len(r.latency)-1))].Round(10 * time.Microsecond)
	}
	return Result{
		Events: r.events.Load(), Batches: r.sent.Load(), Refused: r.refused.Load(), Failed: r.failed.Load(),
		Again: r.again.Load(), Doubled: r.doubled.Load(), Elapsed: elapsed, P50: at(.5), P99: at(.99), Max: at(1),
	}
}

type made struct {
	project int
	event   umpire.Event
}

// shuffler mixes up the order of events over a window.
type shuffler struct {
	of   int
	rng  *rand.Rand
	held []made
}

// next takes an event and gives one back once the window is full.
func (s *shuffler) next(m made) (made, bool) {
	if s.of < 2 {
		return m, true
	}
	if len(s.held) < s.of {
		s.held = append(s.held, m)
		return made{}, false
	}
	i := s.rng.IntN(len(s.held))
	m, s.held[i] = s.held[i], m
	return m, true
}

func (s *shuffler) rest() []made {
	s.rng.Shuffle(len(s.held), func(i, k int) { s.held[i], s.held[k] = s.held[k], s.held[i] })
	return s.held
}
