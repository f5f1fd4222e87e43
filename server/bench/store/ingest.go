package main

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ingest measures a fresh server under load, what its events take on the disk, and how
// it comes back.
func (b *bench) ingest(ctx context.Context) error {
	dir, remove, err := b.temporary()
	if err != nil {
		return err
	}
	defer remove()
	s, err := b.newServer(filepath.Join(dir, "data"), "")
	if err != nil {
		return err
	}
	defer s.kill()
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := b.memory(ctx, s, "resident memory, fresh and idle", "150 MB", 5*time.Second); err != nil {
		return err
	}
	stored, err := b.throughput(ctx, s, "")
	if err != nil {
		return err
	}
	if err := b.steady(ctx, s, ""); err != nil {
		return err
	}
	if err := b.memory(ctx, s, "resident memory, idle after the load", "150 MB", 15*time.Second); err != nil {
		return err
	}
	if err := b.recovery(ctx, s); err != nil {
		return err
	}
	if err := b.opening(ctx, s, fmt.Sprintf("start to the first acknowledgement, more than %d stored", stored)); err != nil {
		return err
	}
	return b.bytes(ctx, dir)
}

// steadyAlone is the part of ingest at a fixed rate: what an acknowledgement takes, and
// the memory under the load and behind it.
func (b *bench) steadyAlone(ctx context.Context) error {
	dir, remove, err := b.temporary()
	if err != nil {
		return err
	}
	defer remove()
	s, err := b.newServer(filepath.Join(dir, "data"), "")
	if err != nil {
		return err
	}
	defer s.kill()
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := b.memory(ctx, s, "resident memory, fresh and idle", "150 MB", 5*time.Second); err != nil {
		return err
	}
	if err := b.steady(ctx, s, ""); err != nil {
		return err
	}
	return b.memory(ctx, s, "resident memory, idle after the load", "150 MB", 15*time.Second)
}

// throughput loads the server in batches of 100, 20 and 1, each in three rounds.
func (b *bench) throughput(ctx context.Context, s *server, suffix string) (stored int, err error) {
	seed := uint64(1)
	for _, l := range []struct {
		name, floor, goal         string
		batch, connections, share int
	}{
		{"events/s, durable and queryable, batches of 100", "120,000", "150,000", 100, 8, 1},
		{"events/s, durable and queryable, batches of 20", "90,000", "110,000", 20, 16, 2},
		{"requests/s of one event, durable and queryable", "28,000", "40,000", 1, 64, 8},
	} {
		var rates, used []float64
		for range 3 {
			n := b.Events / 3 / l.share
			seed++
			before, err := cpu(s.cmd.Process.Pid)
			if err != nil {
				return 0, err
			}
			r, err := s.load(ctx, loadOf{events: n, batch: l.batch, connections: l.connections, until: time.Now(), span: ninetyDays, seed: seed, live: true})
			if err != nil {
				return 0, err
			}
			began := time.Now()
			stored += n
			if err := s.caughtUp(ctx, float64(stored)); err != nil {
				return 0, err
			}
			after, err := cpu(s.cmd.Process.Pid)
			if err != nil {
				return 0, err
			}
			rates = append(rates, float64(n)/(r.Elapsed+time.Since(began)).Seconds())
			used = append(used, float64((after-before).Microseconds())/float64(n))
		}
		b.table.add(l.name+suffix, l.floor, l.goal, rates, whole)
		b.table.add("CPU µs of the server for an event of these"+suffix, "", "", used, percent)
	}
	return stored, nil
}

// pages are what a reader of the dashboard opens one after the other.
var pages = []string{"", "tools", "clients", "errors", "calls", "sessions", "releases", "never-called"}

// steady loads the server with 20,000 live events a second while pages are fetched.
func (b *bench) steady(ctx context.Context, s *server, suffix string) error {
	const rate = 20_000
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var peaks, p50, p99, used []float64
	var mu sync.Mutex
	most := 0.0
	wg.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			_, _, _ = s.request(ctx, http.MethodGet, "/p/p0/"+pages[n%len(pages)]+"?last=24h", "") // a slow page is the figure of another line
			time.Sleep(250 * time.Millisecond)
		}
	})
	wg.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
			if n, err := resident(s.cmd.Process.Pid); err == nil {
				mu.Lock()
				most = max(most, float64(n))
				mu.Unlock()
			}
		}
	})
	for round := range 3 {
		mu.Lock()
		most = 0
		mu.Unlock()
		length := b.For / 3
		before, err := cpu(s.cmd.Process.Pid)
		if err != nil {
			stop()
			wg.Wait()
			return err
		}
		r, err := s.load(ctx, loadOf{
			events: int(rate * length.Seconds()), batch: 100, rate: rate, until: time.Now(), span: time.Hour,
			seed: uint64(100 + round), live: true,
		})
		if err != nil {
			stop()
			wg.Wait()
			return err
		}
		mu.Lock()
		peaks = append(peaks, most)
		mu.Unlock()
		p50, p99 = append(p50, float64(r.P50)), append(p99, float64(r.P99))
		if after, err := cpu(s.cmd.Process.Pid); err == nil {
			used = append(used, (after-before).Seconds()/r.Elapsed.Seconds()*100)
		}
	}
	b.table.add("acknowledgement at 20,000 events/s and pages open, p50"+suffix, "1.5 ms", "", p50, millis)
	b.table.add("acknowledgement at 20,000 events/s and pages open, p99"+suffix, "20 ms", "8 ms", p99, millis)
	b.table.add("CPU of the server at 20,000 events/s and pages open, % of a core"+suffix, "", "", used, percent)
	b.table.add("resident memory at 20,000 events/s and pages open"+suffix, "512 MB", "", peaks, mega)
	stop()
	wg.Wait()
	return nil
}

// memory is what the server holds after so long without anything to do.
func (b *bench) memory(ctx context.Context, s *server, name, floor string, after time.Duration) error {
	if err := s.caughtUp(ctx, 0); err != nil {
		return err
	}
	time.Sleep(after)
	var values []float64
	for range 5 {
		n, err := resident(s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		values = append(values, float64(n))
		time.Sleep(200 * time.Millisecond)
	}
	b.table.add(name, floor, "", values, mega)
	return nil
}

// recovery kills the server under load and takes the time until the next one
// acknowledges.
func (b *bench) recovery(ctx context.Context, s *server) error {
	var took []float64
	for round := range 3 {
		loading, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.load(loading, loadOf{events: 1_000_000, batch: 100, rate: 20_000, until: time.Now(), span: time.Hour, seed: uint64(200 + round)})
		}()
		time.Sleep(2 * time.Second)
		s.kill()
		began := time.Now()
		err := s.start(ctx)
		took = append(took, float64(time.Since(began)))
		stop()
		<-done
		if err != nil {
			return err
		}
	}
	b.table.add("kill -9 at 20,000 events/s, start to the first acknowledgement", "3 s", "", took, seconds)
	return s.caughtUp(ctx, 0)
}

// opening stops and starts the server.
func (b *bench) opening(ctx context.Context, s *server, name string) error {
	var took []float64
	for range 3 {
		if err := s.terminate(); err != nil {
			return err
		}
		began := time.Now()
		if err := s.start(ctx); err != nil {
			return err
		}
		took = append(took, float64(time.Since(began)))
	}
	b.table.add(name, "1 s", "", took, seconds)
	return s.terminate()
}

// bytes is what an event takes in a directory made by the loader with nothing else:
// in the store's file after the server has stopped, and in Parquet.
func (b *bench) bytes(ctx context.Context, scratch string) error {
	dir := filepath.Join(scratch, "bytes")
	s, err := b.newServer(dir, "")
	if err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.kill()
	n := b.Events
	if _, err := s.load(ctx, loadOf{events: n, batch: 100, until: time.Now(), span: ninetyDays, seed: 1, live: true}); err != nil {
		return err
	}
	if err := s.caughtUp(ctx, float64(n)); err != nil {
		return err
	}
	if err := s.terminate(); err != nil {
		return err
	}
	return b.bytesOf(s, n, scratch)
}

func (b *bench) bytesOf(s *server, events int, scratch string) error {
	info, err := os.Stat(filepath.Join(s.dir, "events.duckdb"))
	if err != nil {
		return err
	}
	b.table.add("bytes an event in events.duckdb, rollups included", "125", "115", []float64{float64(info.Size()) / float64(events)}, percent)
	out := filepath.Join(scratch, "parquet")
	if said, err := s.command("export", "--data", s.dir, "--out", out, "--table", "events").CombinedOutput(); err != nil {
		return fmt.Errorf("cannot export: %w: %s", err, said)
	}
	size := int64(0)
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	b.table.add("bytes an event in Parquet", "95", "90", []float64{float64(size) / float64(events)}, percent)
	return err
}
