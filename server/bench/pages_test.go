//go:build unix

package bench

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/web"
)

// until is when the events of the stores end, and what the pages take for now.
var until = time.Date(2026, 6, 15, 13, 20, 0, 0, time.UTC)

// filled is a store of so many events of the days before until, all of one project.
func filled(b *testing.B, events, days int) store.Store {
	b.Helper()
	ctx := context.Background()
	db, err := duckdb.Open(ctx, filepath.Join(b.TempDir(), "events.duckdb"), duckdb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() }) // it is removed
	made := generate.New(generate.Options{Seed: 1, Events: events, Until: until, Span: time.Duration(days) * 24 * time.Hour, Projects: 1})
	batch := make([]store.Entry, 0, 10_000)
	for seq := uint64(1); ; seq++ {
		_, e, more := made.Next()
		if more {
			batch = append(batch, store.Entry{Seq: seq, Project: 1, ReceivedAt: e.StartedAt, Fresh: true, Event: e})
		}
		if len(batch) == cap(batch) || !more {
			if err := db.Apply(ctx, batch); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
		if !more {
			return db
		}
	}
}

// BenchmarkQuestions: one op is one question over 30 days, of a store that holds little
// more than what planning a statement costs, and of one that holds something.
func BenchmarkQuestions(b *testing.B) {
	ctx := context.Background()
	for _, events := range []int{4_000, 200_000} {
		db := filled(b, events, 30)
		to := until.Truncate(time.Hour).Add(time.Hour)
		p := query.Params{Filter: store.Filter{Project: 1, From: to.Add(-30 * 24 * time.Hour), To: to, Now: until}}
		f := p.Filter
		for _, q := range []struct {
			name string
			ask  func() error
		}{
			{"totals", func() error { _, err := db.Totals(ctx, f); return err }},
			{"series", func() error { _, err := db.Series(ctx, f, 6*time.Hour); return err }},
			{"tools", func() error { _, err := db.ByTool(ctx, f); return err }},
			{"clients", func() error { _, err := db.ByClient(ctx, f); return err }},
			{"facets", func() error { _, err := db.Facets(ctx, f); return err }},
			{"senders", func() error { _, err := db.Senders(ctx, f, 100); return err }},
			{"changes", func() error { _, err := db.Changes(ctx, f); return err }},
			{"failures", func() error { _, err := db.Failures(ctx, f, 100); return err }},
			{"calls", func() error { _, err := db.CallList(ctx, f, store.Place{}, 100); return err }},
			{"Overview", func() error { _, err := query.Overview(ctx, db, p); return err }},
			{"Insights", func() error { _, err := query.Insights(ctx, db, p); return err }},
		} {
			b.Run(fmt.Sprintf("events=%d/%s", events, q.name), func(b *testing.B) {
				began := cpu()
				for b.Loop() {
					if err := q.ask(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((cpu()-began).Seconds()*1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

type oneProject struct{}

func (oneProject) List(context.Context) ([]web.Project, error) {
	return []web.Project{{ID: 1, Name: "bench"}}, nil
}

func (oneProject) ByName(context.Context, string) (web.Project, error) {
	return web.Project{ID: 1, Name: "bench"}, nil
}

// BenchmarkPages: one op is one page as a browser gets it, of the last 30 of 90 days of a
// million events, or of UMPIRE_BENCH_EVENTS.
func BenchmarkPages(b *testing.B) {
	events := 1_000_000
	if v := os.Getenv("UMPIRE_BENCH_EVENTS"); v != "" {
		var err error
		if events, err = strconv.Atoi(v); err != nil {
			b.Fatal(err)
		}
	}
	db := filled(b, events, 90)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h, err := web.New(db, oneProject{}, web.Options{Now: func() time.Time { return until }, Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	call, session, tool := someCall(b, db)
	for _, page := range []string{
		"", "tools", "clients", "errors", "empty", "reported", "unknown-tools", "never-called", "releases", "sessions", "calls",
		"users", "intents", "resources", "live", "tools/" + url.PathEscape(tool), "sessions/" + url.PathEscape(session), "calls/" + call,
	} {
		name := page
		if list, _, one := strings.Cut(page, "/"); one {
			name = "one-of-" + list
		}
		b.Run("page="+name, func(b *testing.B) {
			var first, whole []time.Duration
			var size int64
			used := cpu()
			for b.Loop() {
				began := time.Now()
				r, err := http.Get(server.URL + "/p/bench/" + page + "?last=30d")
				if err != nil {
					b.Fatal(err)
				}
				one := make([]byte, 1)
				if _, err := io.ReadFull(r.Body, one); err != nil || r.StatusCode != http.StatusOK {
					b.Fatal(r.Status, err)
				}
				first = append(first, time.Since(began))
				n, err := io.Copy(io.Discard, r.Body)
				if err != nil {
					b.Fatal(err)
				}
				_ = r.Body.Close()
				whole, size = append(whole, time.Since(began)), n+1
			}
			b.ReportMetric((cpu()-used).Seconds()*1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(p95(first), "first-p95-ms")
			b.ReportMetric(p95(whole), "whole-p95-ms")
			b.ReportMetric(float64(size)/1000, "kB")
		})
	}
}

// someCall is a call of the last day, its session and its tool.
func someCall(b *testing.B, db store.Store) (id, session, tool string) {
	b.Helper()
	ctx, f := context.Background(), store.Filter{Project: 1, From: until.Add(-24 * time.Hour), To: until, Now: until}
	calls, err := db.CallList(ctx, f, store.Place{}, 100)
	if err != nil || len(calls) == 0 {
		b.Fatal("there is no call", err)
	}
	for _, c := range calls {
		if c.Session != "" && c.Tool != "" {
			return c.ID.String(), c.Session, c.Tool
		}
	}
	b.Fatal("no call has a session")
	return "", "", ""
}

// cpu is what the process used of the processor so far: steadier than the clock where
// others use it, too.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func p95(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[int(.95*float64(len(took)-1))].Microseconds()) / 1000
}
