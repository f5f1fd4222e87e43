package duckdb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// benchStart is when the events of the benchmarks begin.
var benchStart = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// traffic is n events of a busy server: 60 tools, 12 clients, sessions of about
// nine calls, 5 % failures, spread over the length.
func traffic(random *rand.Rand, seq uint64, n int, from time.Time, length time.Duration) []store.Entry {
	batch := make([]store.Entry, n)
	tools, clients := rand.NewZipf(random, 1.1, 1, 59), rand.NewZipf(random, 1.2, 1, 11)
	session, client := "", ""
	for i := range batch {
		if i%9 == 0 {
			session, client = fmt.Sprintf("%016x", random.Uint64()), fmt.Sprintf("client-%d", clients.Uint64())
		}
		us, request, response := int64(math.Exp(random.NormFloat64()+11)), random.Int64N(500), random.Int64N(8000)
		e := umpire.Event{
			ID: umpire.NewID(), Kind: "call", StartedAt: from.Add(length * time.Duration(i) / time.Duration(n)),
			Server: umpire.Peer{Name: "shop", Version: "1.4.0", Env: "prod"}, Client: umpire.Peer{Name: client, Version: "2.1"},
			Platform: "other", Protocol: "2025-11-25", Transport: "http", Session: session, SeenBy: "sdk",
			SDK: umpire.Peer{Name: "umpire-go", Version: "0.1.0"}, Rules: 1, InputKeys: []string{"query", "limit"}, Definition: "0123456789abcdef",
		}
		e.Tool, e.Outcome, e.Evidence, e.HandlerRan = fmt.Sprintf("tool_%d", tools.Uint64()), umpire.OK, "observed", "yes"
		e.DurationUS, e.RequestBytes, e.ResponseBytes = &us, &request, &response
		e.ArgsHash = fmt.Sprintf("%012x", random.Uint64N(1<<48))
		e.AskHash = e.ArgsHash
		switch random.IntN(40) {
		case 0:
			e.Outcome, e.Cause, e.Fingerprint = umpire.BadArgs, "schema", fmt.Sprintf("%016x", random.IntN(50))
			e.BadParams = []umpire.BadParam{{Path: "/query", Rule: "required"}}
		case 1:
			e.Outcome, e.Cause, e.Fingerprint, e.ErrorType = umpire.ToolError, "returned", fmt.Sprintf("%016x", random.IntN(50)), "net.OpError"
			e.ErrorMessage = "upstream answered 503"
		case 2:
			e.Empty, e.EmptyRule = true, "no_content"
		}
		batch[i] = store.Entry{Seq: seq + uint64(i), Project: 1, ReceivedAt: e.StartedAt, Event: e}
	}
	return batch
}

// benched is a store of 200,000 events of 30 days, made once.
var benched = sync.OnceValues(func() (store.Store, error) {
	s, err := Open(context.Background(), "", Options{})
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		batch := traffic(random, uint64(1+i*10_000), 10_000, benchStart.Add(time.Duration(i)*36*time.Hour), 36*time.Hour)
		if err := s.Apply(context.Background(), batch); err != nil {
			return nil, err
		}
	}
	return s, nil
})

// BenchmarkQuestions asks each question of 30 days, of rollups and of raw events.
func BenchmarkQuestions(b *testing.B) {
	s, err := benched()
	if err != nil {
		b.Fatal(err)
	}
	whole := store.Filter{Project: 1, From: benchStart, To: benchStart.AddDate(0, 0, 30), Now: benchStart.AddDate(0, 0, 30)}
	raw, tool := whole, whole
	raw.Outcome = []string{"ok", "bad_args", "tool_error", "crashed"}
	tool.Tool = []string{"tool_3"}
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		filter store.Filter
		ask    func(f store.Filter) error
	}{
		{"totals/rollups", whole, func(f store.Filter) error { _, err := s.Totals(ctx, f); return err }},
		{"totals/raw", raw, func(f store.Filter) error { _, err := s.Totals(ctx, f); return err }},
		{"series/rollups", whole, func(f store.Filter) error { _, err := s.Series(ctx, f, 24*time.Hour); return err }},
		{"series/raw", raw, func(f store.Filter) error { _, err := s.Series(ctx, f, 24*time.Hour); return err }},
		{"tools/rollups", whole, func(f store.Filter) error { _, err := s.ByTool(ctx, f); return err }},
		{"tools/raw", raw, func(f store.Filter) error { _, err := s.ByTool(ctx, f); return err }},
		{"clients/rollups", whole, func(f store.Filter) error { _, err := s.ByClient(ctx, f); return err }},
		{"clients/raw", raw, func(f store.Filter) error { _, err := s.ByClient(ctx, f); return err }},
		{"facets", whole, func(f store.Filter) error { _, err := s.Facets(ctx, f); return err }},
		{"unknown_tools", whole, func(f store.Filter) error { _, err := s.UnknownTools(ctx, f, 50); return err }},
		{"failures", tool, func(f store.Filter) error { _, err := s.Failures(ctx, f, 50); return err }},
		{"bad_params", tool, func(f store.Filter) error { _, err := s.BadParams(ctx, f, 50); return err }},
		{"empty_rules", tool, func(f store.Filter) error { _, err := s.EmptyRules(ctx, f); return err }},
		{"suspects", tool, func(f store.Filter) error { _, err := s.Suspects(ctx, f); return err }},
		{"neighbours", tool, func(f store.Filter) error { _, _, err := s.Neighbours(ctx, f, 10); return err }},
		{"known", whole, func(store.Filter) error { _, err := s.Known(ctx, 1, []umpire.ID{umpire.NewID()}); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.ask(c.filter); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
