package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/redact"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// Options tune a pipeline. The zero value is right for a server, but for
// DeadLetters.
type Options struct {
	// DeadLetters is the file for events that the store cannot take, one JSON
	// object a line. Without it such an event is only logged.
	DeadLetters string
	// MaxLagBytes bounds what is acknowledged but not yet in the store, in bytes
	// of log bodies; default 1 GiB. Beyond it Submit answers Unavailable, as it does
	// when the oldest of it has been waiting for MaxLagAge; default 0, for ever.
	MaxLagBytes int64
	MaxLagAge   time.Duration
	// MaxMemory bounds what of that is held in memory; default 96 MiB. The rest is
	// read from the log again.
	MaxMemory int64
	// MaxBatch and MaxDelay bound a batch for the store: default 10,000 events,
	// and 200 ms after the first of them came, or up to 600 ms where the store is slow.
	MaxBatch int
	MaxDelay time.Duration
	// Retention is how far back an event's time may lie; default 90 days, below
	// zero for no limit. An older event is kept with the time received.
	Retention time.Duration
	// RetentionOf is the Retention of a project; nil: Retention, for all.
	RetentionOf func(project uint32) time.Duration
	// RecentIDs is how many ids a generation of the set of recent ids holds;
	// default 2 million, 32 MiB. There are two.
	RecentIDs int
	// RecentWindow is how far back that set is filled after a restart; default 24 h.
	RecentWindow time.Duration
	// RedactOff names the rules of package redact that are off. An unknown name
	// does nothing.
	RedactOff []string
	// Applied is told of each batch that the store took. It must not wait. nil: nobody is.
	Applied func([]store.Entry)
	// Followed is up to where somebody has read who needs the log (Follow): what is
	// behind that is kept for it, the newest MaxFollowed bytes of it; default 1 GiB.
	// nil: nobody needs it.
	Followed    func() uint64
	MaxFollowed int64
	// Rules are those of a project; nil: there are none. It is called for each
	// batch.
	Rules  func(project uint32) []Rule
	Logger *slog.Logger

	retry time.Duration // before a failing store is tried again, for the first time: 100 ms
}

func (o Options) withDefaults() Options {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&o.MaxBatch, 10_000)
	def(&o.RecentIDs, 2_000_000)
	if o.MaxLagBytes <= 0 {
		o.MaxLagBytes = 1 << 30
	}
	if o.MaxFollowed <= 0 {
		o.MaxFollowed = 1 << 30
	}
	if o.retry <= 0 {
		o.retry = 100 * time.Millisecond
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = 96 << 20 // some 60,000 events without bodies: three seconds of 20,000
	}
	if o.MaxDelay <= 0 {
		o.MaxDelay = 200 * time.Millisecond
	}
	if o.Retention == 0 {
		o.Retention = 90 * 24 * time.Hour
	}
	if o.RetentionOf == nil {
		o.RetentionOf = func(uint32) time.Duration { return o.Retention }
	}
	if o.RecentWindow <= 0 {
		o.RecentWindow = 24 * time.Hour
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Item is one event from a door.
type Item struct {
	// Index is the event's place in what the sender sent, for the receipt.
	Index int
	Event umpire.Event
	// Extra is what the door could not place: fields of a newer version, values
	// of the wrong type. It ends in the event's meta.
	Extra map[string]any
}

// Receipt says what became of a batch: Accepted are on disk, Duplicates were
// there before.
type Receipt struct {
	Accepted, Duplicates int
	Rejected             []Rejection
}

// Rejection is an event that was refused by itself.
type Rejection struct {
	Index  int    `json:"index"`
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

// Pipeline is open from New to Close. Its methods may be called from many
// goroutines.
type Pipeline struct {
	opts   Options
	log    *wal.Log
	store  store.Writer
	logg   *slog.Logger
	redact *redact.Redactor // nil: the standard rules

	clock     clock
	ids       *ids
	strangers strangers
	queue     *queue
	dead      *deadLetters
	count     counters
	twice     map[uint64]bool                  // entries of the log found at the start whose ids were seen before them
	there     atomic.Pointer[map[key]struct{}] // ids that the log held then, until the store has them

	// gate is held for reading by each Submit, so that DeleteProject and Close
	// can wait for those that are under way.
	gate    sync.RWMutex
	closed  bool
	deleted map[uint32]bool

	// quiet is held for reading by each Submit, too, and by Erase while events wait
	// to be applied, which takes the gate.
	quiet sync.RWMutex

	applierDone chan struct{}
	closeOnce   sync.Once
}

// New makes a pipeline from an open log and a store, which stay the caller's to
// close, after Close. What the log holds and the store does not is on its way
// into the store when New returns.
func New(ctx context.Context, log *wal.Log, writer store.Writer, opts Options) (*Pipeline, error) {
	opts = opts.withDefaults()
	p := &Pipeline{
		opts: opts, log: log, store: writer, logg: opts.Logger,
		clock: newClock(), ids: newIDs(opts.RecentIDs), queue: newQueue(queueLimits{opts.MaxLagBytes, opts.MaxLagAge, opts.MaxMemory}),
		deleted: map[uint32]bool{}, twice: map[uint64]bool{}, applierDone: make(chan struct{}),
	}
	if len(opts.RedactOff) > 0 {
		p.redact = redact.New(redact.Options{Off: opts.RedactOff})
	}
	position, err := writer.Position(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read the store's position: %w", err)
	}
	if p.dead, err = openDeadLetters(opts.DeadLetters, position, log.Next()); err != nil {
		return nil, err
	}
	if err := p.alignLog(position); err != nil {
		return nil, err
	}
	if err := p.loadRecent(ctx, position); err != nil {
		return nil, err
	}
	if r, ok := writer.(store.Refuser); ok {
		r.OnRefusal(p.refusedLate)
	}
	p.queue.setApplied(position)
	if err := p.scan(position); err != nil {
		return nil, errors.Join(err, p.dead.close())
	}
	go p.applyLoop()
	return p, nil
}

// Submit takes the events of one project and returns when all that it accepts
// are on disk. It may change the items. An error is a *fault.Error, and then
// nothing was taken, or only what a repetition finds to be duplicates.
func (p *Pipeline) Submit(ctx context.Context, project uint32, receivedAt time.Time, items []Item) (Receipt, error) {
	p.quiet.RLock()
	defer p.quiet.RUnlock()
	p.gate.RLock()
	defer p.gate.RUnlock()
	if err := p.open(project); err != nil {
		return Receipt{}, err
	}
	b := p.prepare(project, receivedAt, items, p.retentionOf(ctx, project))
	if len(b.entries) == 0 {
		p.count.add(b.receipt)
		return b.receipt, nil
	}
	p.queue.waitForRoom(ctx, roomWait)
	if refusal := p.queue.reserve(b.bytes); refusal != "" {
		p.count.refusedBatches.Add(1)
		return Receipt{}, busy(refusal, nil)
	}
	err := p.take(ctx, b)
	p.queue.release(b.bytes - b.appended)
	if err != nil {
		p.count.refusedBatches.Add(1)
		return Receipt{}, err
	}
	p.count.add(b.receipt)
	return b.receipt, nil
}

// roomWait is how long a batch waits for room in memory before it goes on into the
// log alone.
const roomWait = 2 * time.Second

func (p *Pipeline) open(project uint32) error {
	switch {
	case p.closed:
		return busy("the server is stopping", nil)
	case p.deleted[project]:
		return fault.New(fault.NotFound, "the project was deleted", "make a new project and a key for it")
	}
	return nil
}

// busy is the answer when nothing can be taken now.
func busy(why string, cause error) *fault.Error {
	err := fault.Wrap(cause, fault.Unavailable, why, "nothing was taken; send the same events again a little later")
	err.RetryAfter = 2 * time.Second
	return err
}

// Sync returns when everything that was acknowledged before it was called is in
// the store, or set aside.
func (p *Pipeline) Sync(ctx context.Context) error {
	if err := p.queue.sync(ctx, p.applierDone); err != nil {
		return fmt.Errorf("cannot wait for the store: %w", err)
	}
	return nil
}

// DeleteProject removes everything of the project: what is on its way, what is
// stored, what the log still holds, what was set aside. From then on Submit
// refuses the project's number.
func (p *Pipeline) DeleteProject(ctx context.Context, project uint32) error {
	p.gate.Lock()
	p.deleted[project] = true
	p.gate.Unlock()
	if err := p.Sync(ctx); err != nil {
		return fmt.Errorf("cannot delete project %d: %w", project, err)
	}
	err := p.store.DeleteProject(ctx, project)
	if err == nil {
		err = p.dead.forget(project)
	}
	if err == nil {
		err = p.log.Rotate()
	}
	if err != nil {
		return fmt.Errorf("cannot delete project %d: %w", project, err)
	}
	p.truncate()
	return nil
}

// Close takes nothing more, waits until what was acknowledged is in the store,
// and stops. A store that fails all the while is given up after some seconds;
// the log keeps what it did not take.
func (p *Pipeline) Close() error {
	p.closeOnce.Do(func() {
		p.gate.Lock()
		p.closed = true
		p.gate.Unlock()
		p.queue.close()
	})
	<-p.applierDone
	left := p.queue.depth()
	err := p.dead.close()
	if left.events > 0 {
		err = errors.Join(err, fmt.Errorf("%d events are not in the store yet; they are safe in the log and will follow at the next start", left.events))
	}
	return err
}
