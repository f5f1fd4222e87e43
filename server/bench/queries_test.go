package bench

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/load"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// BenchmarkQueryUnderWrites: one op is one overview of 24 hours over 200,000 events,
// while so many events a second come in over HTTP. What p99 at 20,000 is above p99 at
// none is what a question waits for writes, and for the processor that both need.
func BenchmarkQueryUnderWrites(b *testing.B) {
	for _, rate := range []float64{0, 5_000, 20_000} {
		b.Run(fmt.Sprintf("events=%.0f", rate), func(b *testing.B) { benchmarkQuery(b, rate) })
	}
}

func benchmarkQuery(b *testing.B, rate float64) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	db, err := duckdb.Open(ctx, filepath.Join(dir, "events.duckdb"), duckdb.Options{})
	check(err)
	defer db.Close()
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{})
	check(err)
	defer log.Close() //nolint:errcheck // it is removed
	keys, err := meta.Open(dir)
	check(err)
	defer keys.Close() //nolint:errcheck // it is removed
	project, err := keys.EnsureProject(ctx, "bench")
	check(err)
	key, err := keys.AddKey(ctx, project.ID, meta.Write, "")
	check(err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	pipe, err := pipeline.New(ctx, log, db, pipeline.Options{Logger: quiet})
	check(err)
	server := httptest.NewServer(ingest.New(door.NewFront(pipe, keys, door.Options{Logger: quiet})))
	defer server.Close()

	now := time.Now()
	cfg := load.Config{Address: strings.TrimPrefix(server.URL, "http://"), Keys: []string{key}, Batch: 100}
	cfg.Events = generate.Options{Seed: 1, Events: 200_000, Until: now, Span: 24 * time.Hour}
	_, err = load.Run(ctx, cfg)
	check(err)
	check(pipe.Sync(ctx))
	loaded := make(chan error, 1)
	if rate > 0 {
		cfg.Rate, cfg.Events = rate, generate.Options{Seed: 2, Events: 2_000_000, Until: now, Span: 24 * time.Hour}
		go func() { _, err := load.Run(ctx, cfg); loaded <- err }()
		time.Sleep(time.Second)
	} else {
		loaded <- nil
	}

	to := now.Truncate(time.Hour).Add(time.Hour)
	p := query.Params{Filter: store.Filter{Project: project.ID, From: to.Add(-24 * time.Hour), To: to, Now: now}}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := query.Overview(ctx, db, p); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	stop()
	check(<-loaded)
	slices.Sort(took)
	for name, q := range map[string]float64{"p50-ms": .5, "p99-ms": .99} {
		b.ReportMetric(float64(took[int(q*float64(len(took)-1))].Microseconds())/1000, name)
	}
	_ = pipe.Close() // what the store did not take yet is not what is measured
}
