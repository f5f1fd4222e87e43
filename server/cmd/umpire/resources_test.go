package main

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestResources(t *testing.T) {
	const mb = 1_000_000
	for _, c := range []struct {
		name        string
		flags       resourceFlags
		ok          bool
		store, rest int64
	}{
		{"half and half", resourceFlags{Memory: "512MB"}, true, 256 * mb, 256 * mb},
		{"the store takes what is over", resourceFlags{Memory: "8GiB", Threads: 3}, true, 7 << 30, 1 << 30},
		{"too little", resourceFlags{Memory: "100MB"}, false, 0, 0},
		{"no size", resourceFlags{Memory: "much"}, false, 0, 0},
		{"no number of threads", resourceFlags{Threads: -1}, false, 0, 0},
	} {
		got, err := c.flags.resolve()
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if threads := c.flags.Threads; c.ok && (got.store != c.store || got.rest != c.rest || threads > 0 && got.threads != threads || threads == 0 && got.threads != runtime.GOMAXPROCS(0)) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	for _, c := range []struct {
		name               string
		total, limit, want int64
	}{
		{"nothing is known", 0, 0, unknownMemory},
		{"a machine", 16 << 30, 0, 8 << 30},
		{"a container", 16 << 30, 1 << 30, 768 << 20},
		{"a small one", 16 << 30, 128 << 20, leastMemory},
	} {
		if got := defaultMemory(c.total, c.limit); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Memory is given back once behind each time of load, and never during one.
func TestGiveBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stored atomic.Uint64
		var frees atomic.Int32
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			giveBack(ctx, stored.Load, func() { frees.Add(1) })
		}()
		want := func(when string, n int32) {
			t.Helper()
			if got := frees.Load(); got != n {
				t.Errorf("%s: memory was given back %d times, want %d", when, got, n)
			}
		}
		time.Sleep(time.Minute)
		want("nothing was ever stored", 0)
		for range 60 {
			stored.Add(1)
			time.Sleep(time.Second)
		}
		want("under load", 0)
		time.Sleep(2*stillFor + time.Second)
		want("behind it", 1)
		time.Sleep(time.Hour)
		want("an hour later", 1)
		stored.Add(1)
		time.Sleep(2*stillFor + time.Second)
		want("behind another event", 2)
		stop()
		<-done
	})
}
