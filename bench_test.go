package umpire

import (
	"context"
	"testing"
	"time"
)

// idleClient records into a queue that nobody empties, so that what is
// measured is Record and nothing else.
func idleClient() *Client {
	o := Options{}
	o.QueueSize, o.QueueBytes = 1<<40, 1<<60
	return &Client{opts: o, on: true, wake: make(chan struct{}, 1), batchN: batchEvents, drops: map[string]int{}}
}

// discardQueued empties an idle client as the sender does.
func (c *Client) discardQueued() {
	for ch := c.queue.take(); ch != nil; ch = c.queue.take() {
		c.settled += uint64(len(ch.events))
		c.bytes -= ch.bytes
		c.journal.settle(ch.marks[len(ch.marks)-1])
		ch.reset()
		c.queue.giveBack(ch)
	}
}

var benchArguments = []byte(`{"query":"books about the sea","limit":10,"filters":{"language":"en","in_stock":true},"sort":"rating"}`)

func benchEvent() Event {
	numbers := [3]int64{1500, 101, 4096}
	return Event{
		Kind: "call", StartedAt: time.Now(), Server: Peer{Name: "bookshop", Version: "1.2.3"},
		Client: Peer{Name: "claude-code", Version: "2.0.14"}, Platform: "claude-code", Protocol: "2025-11-25",
		Transport: "http", SessionID: "01234567-89ab-cdef-0123-456789abcdef", Arguments: benchArguments,
		Call: Call{
			Tool: "search_books", Outcome: OK, Evidence: "observed", HandlerRan: "yes",
			DurationUS: &numbers[0], RequestBytes: &numbers[1], ResponseBytes: &numbers[2],
		},
	}
}

func TestRecordAllocates(t *testing.T) {
	c, e := idleClient(), benchEvent()
	n := testing.AllocsPerRun(5000, func() {
		c.Record(e)
		if c.queue.events == batchEvents {
			c.discardQueued()
		}
	})
	if n > 0 {
		t.Errorf("Record of an ok call allocates %v times, want 0", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	c, e := idleClient(), benchEvent()
	b.ReportAllocs()
	for b.Loop() {
		c.Record(e)
		if c.queue.events == batchEvents {
			c.discardQueued()
		}
	}
}

func BenchmarkRecordParallel(b *testing.B) {
	c, e := idleClient(), benchEvent()
	c.opts.QueueSize = 1 // drops nearly all: the lock and the copy are what is measured
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Record(e)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	enc := encoder{}
	b.ReportAllocs()
	for b.Loop() {
		e := benchEvent()
		if _, err := enc.encode(&e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWithin is what Track costs a call that does not use it.
func BenchmarkWithin(b *testing.B) {
	c, e, ctx := idleClient(), benchEvent(), context.Background()
	e.ID = NewID()
	b.ReportAllocs()
	for b.Loop() {
		_ = c.Within(ctx, &e)
	}
}
