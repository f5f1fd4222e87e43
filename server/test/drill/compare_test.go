//go:build linux

package drill

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/load"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// difference is where the store and the ledger do not agree.
type difference struct {
	lost, doubled  int64
	figures, wrong int
}

// compare asks the store of a stopped server about everything in the ledger.
func compare(t *testing.T, dir string, ledger *load.Ledger) difference {
	t.Helper()
	ctx := context.Background()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := duckdb.Open(ctx, filepath.Join(dir, "events.duckdb"), duckdb.Options{})
	check(err)
	defer st.Close()
	// What was acknowledged is in the store or in the log, from which it follows.
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{})
	check(err)
	defer log.Close()
	pipe, err := pipeline.New(ctx, log, st, pipeline.Options{})
	check(err)
	check(pipe.Sync(ctx))
	defer pipe.Close()
	return against(t, st, dir, ledger)
}

// against compares a store that is not written to any more.
func against(t *testing.T, st store.Store, dir string, ledger *load.Ledger) (d difference) {
	t.Helper()
	ctx := context.Background()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db, err := meta.Open(dir)
	check(err)
	defer db.Close()
	for i := range projects {
		p, ok := db.Project(fmt.Sprint("p", i))
		if !ok {
			t.Fatalf("project p%d is gone", i)
		}
		d.lost += missing(t, st, p.ID, ledger, i)
		now := time.Now().UTC()
		from := now.Truncate(time.Hour)
		all := store.Filter{Project: p.ID, From: from.Add(-1000 * time.Hour), To: from.Add(1000 * time.Hour), Now: now}
		raw := all
		raw.From = raw.From.Add(time.Minute)
		for name, f := range map[string]store.Filter{"rollups": all, "raw events": raw} {
			totals, err := st.Totals(ctx, f)
			check(err)
			if over := totals.Calls - ledger.Calls(i); over != 0 {
				t.Errorf("p%d: %s count %d calls, the ledger %d", i, name, totals.Calls, ledger.Calls(i))
				d.doubled += max(over, 0)
			}
		}
		d.series(t, st, all, ledger.By(i, func(c load.Cell) string { return c.Tool }), func(f *store.Filter, tool string) { f.Tool = []string{tool} })
		d.series(t, st, all, ledger.By(i, func(c load.Cell) string { return c.Client }), func(f *store.Filter, client string) { f.Client = []string{client} })
	}
	return d
}

func missing(t *testing.T, st store.Store, project uint32, ledger *load.Ledger, i int) (n int64) {
	t.Helper()
	for rest := ledger.IDs(i); len(rest) > 0; {
		part := rest[:min(len(rest), 5000)]
		known, err := st.Known(context.Background(), project, part)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range part {
			if _, stored := known[id]; !stored {
				if n++; n < 5 {
					t.Errorf("p%d: %s was acknowledged and is lost", i, id)
				}
			}
		}
		rest = rest[len(part):]
	}
	return n
}

// figure is what an hour of a tool or a client must show.
type figure struct {
	store.Counts
	Latency store.Histogram
}

// series compares every hour of every tool, or client.
func (d *difference) series(t *testing.T, st store.Store, f store.Filter, want map[string]map[time.Time]*load.Count, narrow func(*store.Filter, string)) {
	t.Helper()
	for name, hours := range want {
		narrow(&f, name)
		points, err := st.Series(context.Background(), f, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		got := map[time.Time]figure{}
		for _, p := range points {
			got[p.At.UTC()] = figure{p.Counts, p.Latency}
		}
		expected := map[time.Time]figure{}
		for at, c := range hours {
			expected[at] = figure{c.Counts, c.Latency}
		}
		d.figures += len(expected)
		if diff := cmp.Diff(expected, got); diff != "" {
			if d.wrong++; d.wrong < 4 {
				t.Errorf("%s is wrong (-ledger +store):\n%s", name, diff)
			}
		}
	}
}
