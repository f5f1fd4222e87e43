//go:build unix

package duckdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// generated are the events of a million in 90 days, as many as are asked for.
func generated(n int) []store.Entry {
	g := generate.New(generate.Options{Until: benchStart.AddDate(0, 0, 90)})
	all := make([]store.Entry, n)
	for i := range all {
		_, e, _ := g.Next()
		all[i] = store.Entry{Seq: uint64(i + 1), Project: 1, ReceivedAt: benchStart.Add(time.Duration(i) * 10 * time.Microsecond), Event: e, Fresh: true}
	}
	return all
}

// BenchmarkApply stores 250,000 generated events in a file: in memory, sealed and
// checkpointed. It tells the time of the processor (of all threads) that an event
// takes, and its bytes in the file.
func BenchmarkApply(b *testing.B) {
	all := generated(250_000)
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var spent time.Duration
			var size int64
			for b.Loop() {
				path := filepath.Join(b.TempDir(), "events.duckdb")
				db := openTest(b, path)
				before := processorTime()
				for batch := range slices.Chunk(all, n) {
					if err := db.Apply(context.Background(), batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}
				spent += processorTime() - before
				info, err := os.Stat(path)
				if err != nil {
					b.Fatal(err)
				}
				size += info.Size()
			}
			events := float64(b.N * len(all))
			b.ReportMetric(events/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(spent.Microseconds())/events, "cpu-µs/event")
			b.ReportMetric(float64(size)/events, "B/event")
		})
	}
}

// processorTime is what the process has used of the processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
