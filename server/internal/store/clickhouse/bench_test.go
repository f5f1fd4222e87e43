//go:build unix

package clickhouse

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// BenchmarkApply stores generated events of the last minutes, in batches of one size.
// It tells the time of the processor that an event takes: this process's, and the
// engine's, merges of its parts included.
func BenchmarkApply(b *testing.B) {
	const rounds = 4
	for _, n := range []int{1000, 10_000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			engine := enginetest.Start(b, b.TempDir())
			db, err := Open(b.Context(), engine.URL(b, "bench"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			var here, there time.Duration
			seq, events := uint64(0), 0
			g := generate.New(generate.Options{Until: time.Now().UTC()})
			for b.Loop() {
				all := make([]store.Entry, rounds*n)
				now := time.Now().UTC()
				for i := range all {
					_, e, _ := g.Next()
					e.StartedAt = now.Add(time.Duration(i-len(all)) * 100 * time.Microsecond)
					seq++
					all[i] = store.Entry{Seq: seq, Project: 1, ReceivedAt: now, Event: e, Fresh: true}
				}
				before, beforeThere := processorTime(), processorTimeOf(b, engine.Process())
				for batch := range slices.Chunk(all, n) {
					if err := db.Apply(context.Background(), batch); err != nil {
						b.Fatal(err)
					}
				}
				here += processorTime() - before
				there += processorTimeOf(b, engine.Process()) - beforeThere
				events += len(all)
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(here.Microseconds())/float64(events), "cpu-µs/event")
			b.ReportMetric(float64(there.Microseconds())/float64(events), "engine-µs/event")
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

// processorTimeOf is what another process has used, by Linux's /proc; 0 elsewhere.
func processorTimeOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	var ticks int64
	for _, f := range fields[11:13] { // utime, stime
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
