package forward

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/once"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

const (
	// Mark is the attribute of the resource of all that leaves here.
	Mark = "umpire.forwarded"
	// maxBatch is how many events one request holds.
	maxBatch = 512
	// maxBytes bounds what waits in memory, beside Options.Queue.
	maxBytes = 32 << 20
	// keepEvery is how often the position is kept while it moves.
	keepEvery = time.Second
	// remembered is how many ids are known again, when two watchers saw one call.
	remembered = 100_000
	// patience is for how long a collector that answers with an error is given the
	// same events. One that does not answer is waited for.
	patience = time.Hour
	// lastRetry is the longest wait between two attempts; the first is Options.Retry.
	lastRetry = time.Minute
)

// Options of a Forwarder.
type Options struct {
	// URL is the collector's address, to which /v1/traces and /v1/metrics are added.
	// Headers, certificates and timeouts are OpenTelemetry's own (OTEL_EXPORTER_OTLP_*).
	URL string
	// Bodies lets inputs, outputs and intents leave.
	Bodies bool
	// Dir is where the position is kept.
	Dir string
	// Project tells the name of a project; false if it is gone.
	Project func(uint32) (string, bool)
	// Version is of this server.
	Version string
	// Queue is how many events wait in memory; what is more is read from the log
	// again. Default 20,000.
	Queue int
	Retry time.Duration // 0: a second
	Log   *slog.Logger  // nil: slog.Default
}

// Source hands out what was stored: a *pipeline.Pipeline.
type Source interface {
	Follow(after, upto uint64, yield func(store.Entry) error) (lost uint64, err error)
	AppliedTo() uint64
	LoggedTo() uint64
}

// Stats are counted since the start.
type Stats struct {
	Sent, Dropped, Failures int64
}

// Forwarder is made by New, runs from Start to Close. Its methods may be called from
// many goroutines.
type Forwarder struct {
	opts   Options
	out    *output
	source Source
	seen   *once.Set // the worker's
	kept   uint64    // the worker's: the position on disk

	mu      sync.Mutex
	queue   []store.Entry
	bytes   int64
	gap     bool // what is behind the queue's end is in the log only
	newest  uint64
	at      uint64 // all up to it was delivered or dropped
	fresh   bool   // it is not known where to begin
	stats   Stats
	closing bool

	wake    chan struct{}
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	done    chan struct{}
	started bool
}

// New reads the position; it connects to nothing.
func New(opts Options) (*Forwarder, error) {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.Retry <= 0 {
		opts.Retry = time.Second
	}
	if opts.Queue <= 0 {
		opts.Queue = 20_000
	}
	opts.URL = strings.TrimRight(opts.URL, "/")
	f := &Forwarder{opts: opts, seen: once.New(remembered), wake: make(chan struct{}, 1), done: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	at, there, err := readPosition(f.file())
	if err != nil {
		return nil, err
	}
	f.at, f.fresh = at, !there
	if f.out, err = newOutput(f.ctx, opts); err != nil {
		return nil, fmt.Errorf("cannot forward to %q: %w", opts.URL, err)
	}
	return f, nil
}

func (f *Forwarder) file() string { return filepath.Join(f.opts.Dir, "otlp-out.json") }

// Start begins behind the position; without one, with what is stored from now on, and
// a process that is killed is followed by one that knows where this one began.
func (f *Forwarder) Start(source Source) {
	f.source, f.started = source, true
	applied := source.AppliedTo()
	f.mu.Lock()
	if f.fresh || f.at > source.LoggedTo() { // new, or the log of another directory
		f.at = applied
		if len(f.queue) > 0 {
			f.at = f.queue[0].Seq - 1
		}
	}
	f.newest = max(f.newest, applied)
	f.gap = f.gap || f.at < applied
	f.mu.Unlock()
	f.keep()
	go f.run()
}

// Applied takes a batch that the store took. It never waits for the collector.
func (f *Forwarder) Applied(batch []store.Entry) {
	if len(batch) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = max(f.newest, batch[len(batch)-1].Seq)
	for i := range batch {
		if f.gap {
			break
		}
		if len(f.queue) >= f.opts.Queue || f.bytes > maxBytes {
			f.gap = true
			break
		}
		e := batch[i]
		f.strip(&e.Event)
		f.queue = append(f.queue, e)
		f.bytes += size(&e.Event)
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// strip takes out what is not to leave.
func (f *Forwarder) strip(e *umpire.Event) {
	if !f.opts.Bodies {
		e.Input, e.Output, e.Intent = nil, nil, ""
	}
	e.Tools = nil
}

func size(e *umpire.Event) int64 { return int64(1024 + len(e.Input) + len(e.Output) + len(e.Intent)) }

// Position is up to where all was delivered, or given up.
func (f *Forwarder) Position() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// Stats tells what became of the events so far.
func (f *Forwarder) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}

// Close delivers what waits in memory until the context ends or the collector fails;
// the rest follows from the log at the next start.
func (f *Forwarder) Close(ctx context.Context) error {
	f.mu.Lock()
	f.closing = true
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
	if f.started {
		stop := context.AfterFunc(ctx, f.cancel)
		<-f.done
		stop()
	}
	err := f.out.close(ctx)
	f.cancel()
	if f.started {
		return writePosition(f.file(), f.Position())
	}
	return err
}
