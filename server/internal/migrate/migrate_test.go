package migrate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/migrate"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/clickhouse"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

var projects = []migrate.Project{{ID: 1, Name: "shop"}, {ID: 7, Name: "other"}}

// source holds events of three days; of the first one only the rollups are left.
func source(t *testing.T) (*duckdb.DB, store.Filter) {
	t.Helper()
	opened, err := duckdb.Open(t.Context(), "", duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*duckdb.DB)
	t.Cleanup(func() { s.Close() })
	var batch []store.Entry
	add := func(project uint32, e umpire.Event) {
		batch = append(batch, store.Entry{Seq: uint64(len(batch) + 1), Project: project, ReceivedAt: e.StartedAt.Add(time.Second), Event: e})
	}
	for day := range 3 {
		for i, e := range rapid.SliceOfN(storetest.Event(), 40, 40).Example(day) {
			e.StartedAt = e.StartedAt.AddDate(0, 0, day)
			add(projects[i%2].ID, e)
		}
	}
	add(1, umpire.Event{
		ID: umpire.NewID(), Kind: "catalog", StartedAt: storetest.Base,
		Tools: []umpire.ToolDefinition{{Name: "find", Definition: "d1", Title: "Find", Bytes: 9}, {Name: "buy", Definition: "d2"}},
	})
	if err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	midnight := storetest.Base.Truncate(24*time.Hour).AddDate(0, 0, 1)
	if n, err := s.Expire(t.Context(), 1, midnight, time.Time{}); err != nil || n == 0 {
		t.Fatalf("%d events expired, %v", n, err)
	}
	return s, store.Filter{From: storetest.Base, To: storetest.Base.Add(storetest.Span).AddDate(0, 0, 2)}
}

func target(t *testing.T) *clickhouse.DB {
	t.Helper()
	s, err := clickhouse.Open(t.Context(), enginetest.URL(t), clickhouse.Options{Node: "n1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// same holds the answers of both stores to each other.
func same(t *testing.T, from, to store.Reader, f store.Filter) {
	t.Helper()
	for _, p := range projects {
		f.Project = p.ID
		for _, ask := range []func(store.Reader) (any, error){
			func(r store.Reader) (any, error) { return r.Totals(t.Context(), f) },
			func(r store.Reader) (any, error) { return r.Series(t.Context(), f, time.Hour) },
			func(r store.Reader) (any, error) { return r.ByTool(t.Context(), f) },
			func(r store.Reader) (any, error) { return r.ByClient(t.Context(), f) },
			func(r store.Reader) (any, error) { return r.Senders(t.Context(), f, 100) },
			func(r store.Reader) (any, error) { return r.Catalog(t.Context(), f) },
			func(r store.Reader) (any, error) { return r.Failures(t.Context(), f, 100) },
			func(r store.Reader) (any, error) { return r.Kept(t.Context(), p.ID) },
			func(r store.Reader) (any, error) { return r.CallList(t.Context(), f, store.Place{}, 1000) },
		} {
			want, err := ask(from)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ask(to)
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || d != "" {
				t.Errorf("%s: %v, before (-) and after (+): %s", p.Name, err, d)
			}
		}
	}
}

// cutOff ends a run after so many loads, the last of which the target took and nobody
// heard of.
type cutOff struct {
	migrate.Target
	left int
}

var errCut = errors.New("the power failed")

func (c *cutOff) Load(ctx context.Context, t store.Table, token string, rows [][]any) error {
	if err := c.Target.Load(ctx, t, token, rows); err != nil {
		return err
	}
	if c.left--; c.left == 0 {
		return errCut
	}
	return nil
}

func TestMigrate(t *testing.T) {
	from, filter := source(t)
	to := target(t)
	for _, loads := range []int{1, 5, 4} { // on its way through rollups, events and days
		if _, err := migrate.Run(t.Context(), from, &cutOff{to, loads}, projects, nil); !errors.Is(err, errCut) {
			t.Fatalf("a run that is cut off after %d loads: %v", loads, err)
		}
	}
	var told []migrate.Progress
	end, err := migrate.Run(t.Context(), from, to, projects, func(p migrate.Progress) { told = append(told, p) })
	if err != nil {
		t.Fatal(err)
	}
	if end.Rows != end.Total || end.Total == 0 || end.Skipped == 0 || len(told) < 5 || !told[len(told)-1].Verifying {
		t.Errorf("the progress ended as %+v after %d", end, len(told))
	}
	same(t, from, to, filter)
	again, err := migrate.Run(t.Context(), from, to, projects, nil)
	if err != nil || again.Skipped != again.Total {
		t.Errorf("a second run: %+v, %v", again, err)
	}
	same(t, from, to, filter)
}

// TestMigrateTellsOfADifference: whatever is wrong with the copy, the hour is named.
func TestMigrateTellsOfADifference(t *testing.T) {
	from, _ := source(t)
	to := target(t)
	e := storetest.Event().Example(1)
	e.ID, e.Kind, e.Outcome = umpire.NewID(), "call", umpire.OK
	e.StartedAt = storetest.Base.AddDate(0, 0, 1).Add(30 * time.Minute)
	if err := to.Apply(t.Context(), []store.Entry{{Seq: 1, Project: 7, ReceivedAt: e.StartedAt, Event: e}}); err != nil {
		t.Fatal(err)
	}
	_, err := migrate.Run(t.Context(), from, to, projects, nil)
	if err == nil || !strings.Contains(err.Error(), `events of project "other", hour 2026-05-05T11:00:00Z`) {
		t.Errorf("one event too many: %v", err)
	}
	e.ID, e.StartedAt = umpire.NewID(), storetest.Base.AddDate(0, 1, 0)
	if err := to.Apply(t.Context(), []store.Entry{{Seq: 2, Project: 7, ReceivedAt: e.StartedAt, Event: e}}); err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.Run(t.Context(), from, to, projects, nil); err == nil || !strings.Contains(err.Error(), "there is something else") {
		t.Errorf("events of another day: %v", err)
	}
}
