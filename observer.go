package umpire

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"
)

// observer tells Options.Observer what was recorded, on a goroutine of its own:
// neither the caller of Record nor delivery ever waits for it.
type observer struct {
	hear  func(Event)
	enc   encoder
	voice *voice
	wake  chan struct{} // 1 deep: something changed
	ended chan struct{} // closed when the goroutine is gone

	mu      sync.Mutex
	queue   []*Event
	bytes   int    // weight of everything that was not told
	taken   uint64 // events that were queued, ever
	told    uint64 // of those, the ones that were told
	missed  uint64 // that found no room
	waiters []waiter
	closing bool
}

func newObserver(c *Client) *observer {
	o := &observer{
		hear:  c.opts.Observer,
		enc:   encoder{opts: c.opts, what: c.what, redaction: c.redaction},
		voice: c.voice,
		wake:  make(chan struct{}, 1),
		ended: make(chan struct{}),
	}
	go o.run()
	return o
}

// take queues a copy of e that shares nothing with the caller but strings.
func (o *observer) take(e *Event) {
	own, weight := *e, weigh(e)
	detach(&own)
	own.Arguments = bytes.Clone(e.Arguments)
	for _, p := range [3]**int64{&own.DurationUS, &own.RequestBytes, &own.ResponseBytes} {
		if *p != nil {
			n := **p
			*p = &n
		}
	}
	o.mu.Lock()
	if o.closing && missedByNobody(e) {
		o.mu.Unlock()
		return
	}
	if o.closing || o.taken-o.told >= uint64(o.enc.opts.QueueSize) || o.bytes+weight > o.enc.opts.QueueBytes {
		o.missed++
		o.mu.Unlock()
		return
	}
	o.queue = append(o.queue, &own)
	o.bytes += weight
	o.taken++
	o.mu.Unlock()
	o.stir()
}

func (o *observer) stir() {
	select {
	case o.wake <- struct{}{}:
	default: // it is awake already
	}
}

func (o *observer) run() {
	defer close(o.ended)
	for {
		o.mu.Lock()
		events, over := o.queue, o.closing
		o.queue = nil
		o.mu.Unlock()
		for _, e := range events {
			weight := weigh(e)
			o.tell(e)
			o.settle(weight)
		}
		switch {
		case len(events) > 0:
		case over:
			return
		default:
			<-o.wake
		}
	}
}

// tell completes e as it would leave the process, and hands it over. A panic
// there costs the event and not the process.
func (o *observer) tell(e *Event) {
	defer func() {
		if r := recover(); r != nil {
			o.voice.once("Options.Observer panics (%T): it misses events", r)
		}
	}()
	o.enc.ready(e)
	e.Arguments, e.SessionID, e.SessionDerived, e.Texts, e.Structured, e.Cut = nil, "", false, nil, nil, nil
	o.hear(*e)
}

// settle notes that the oldest event was told.
func (o *observer) settle(weight int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told++
	o.bytes -= weight
	o.waiters = letGo(o.waiters, o.told)
}

// close refuses further events.
func (o *observer) close() {
	if o == nil {
		return
	}
	o.mu.Lock()
	o.closing = true
	o.mu.Unlock()
	o.stir()
}

// await returns nil once everything queued before is told and, if the observer
// is closing, its goroutine is gone. A wait that began at the given time ends
// with ctx, or after flushLimit where ctx has no deadline.
func (o *observer) await(ctx context.Context, began time.Time) error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	done := o.ended
	if !o.closing {
		done = make(chan struct{})
		o.waiters = letGo(append(o.waiters, waiter{upTo: o.taken, done: done}), o.told)
	}
	o.mu.Unlock()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, began.Add(flushLimit))
		defer cancel()
	}
	select {
	case <-done:
		return nil
	default:
	}
	select {
	case <-done:
		return nil
	case <-o.ended: // its goroutine was ended from within
		return nil
	case <-ctx.Done():
		o.mu.Lock()
		defer o.mu.Unlock()
		return fmt.Errorf("cannot wait for Options.Observer: %d events are not told: %w", o.taken-o.told, ctx.Err())
	}
}

func (o *observer) unheard() uint64 {
	if o == nil {
		return 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.missed
}
