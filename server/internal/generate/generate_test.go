package generate

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
)

var until = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func all(t *testing.T, o Options) (events []umpire.Event, projects []int) {
	t.Helper()
	g := New(o)
	for {
		p, e, ok := g.Next()
		if !ok {
			return events, projects
		}
		events, projects = append(events, e), append(projects, p)
	}
}

// The same seed gives the same bytes, another one others.
func TestDeterministic(t *testing.T) {
	sum := func(seed uint64) [32]byte {
		var out []byte
		events, _ := all(t, Options{Seed: seed, Events: 3000, Until: until})
		for i := range events {
			out = AppendJSON(out, &events[i])
		}
		return sha256.Sum256(out)
	}
	if first, again := sum(1), sum(1); first != again {
		t.Error("the same seed gives other events")
	}
	if sum(1) == sum(2) {
		t.Error("another seed gives the same events")
	}
}

// What AppendJSON writes is what encoding/json reads back as the same event.
func TestJSON(t *testing.T) {
	events, _ := all(t, Options{Seed: 3, Events: 5000, Until: until})
	for i := range events {
		var back umpire.Event
		if err := json.Unmarshal(AppendJSON(nil, &events[i]), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(events[i], back); diff != "" {
			t.Fatalf("event %d changed (-made +read):\n%s", i, diff)
		}
	}
}

// The shape of the traffic is what the benchmarks say that it is.
func TestShape(t *testing.T) {
	const n = 60_000
	events, projects := all(t, Options{Seed: 4, Events: n, Until: until})
	count := map[string]float64{}
	tools, clients, sessions, ids := map[string]int{}, map[string]int{}, map[string]int{}, map[umpire.ID]bool{}
	var bytes float64
	for i, e := range events {
		if i > 0 && e.StartedAt.Before(events[i-1].StartedAt) {
			t.Fatalf("event %d is older than the one before it", i)
		}
		if e.StartedAt.After(until) || e.StartedAt.Before(until.Add(-90*24*time.Hour)) {
			t.Fatalf("event %d is of %s", i, e.StartedAt)
		}
		ids[e.ID] = true
		bytes += float64(len(AppendJSON(nil, &e)))
		if e.Session != "" {
			sessions[e.Session]++
		}
		clients[e.Client.Name]++
		if projects[i] == 0 {
			count["first project"]++
		}
		if e.Kind != "call" {
			continue
		}
		tools[e.Tool]++
		count["calls"]++
		count[string(e.Slice())]++
		if len(e.Input) > 0 {
			count["input"]++
		}
	}
	if len(ids) != n {
		t.Errorf("%d ids of %d events", len(ids), n)
	}
	for _, c := range []struct {
		name          string
		got, from, to float64
	}{
		{"calls of all", count["calls"] / n, .80, .92},
		{"failures of calls", (count["bad_args"] + count["tool_error"] + count["crashed"]) / count["calls"], .02, .09},
		{"empty of calls", count["empty"] / count["calls"], .01, .09},
		{"the first project", count["first project"] / n, .55, .65},
		{"bodies of calls", count["input"] / count["calls"], .25, .35},
		{"tools", float64(len(tools)), 60, 60},
		{"clients", float64(len(clients)), 12, 12},
		{"events a session", n / float64(len(sessions)), 7.5, 10.5},
		{"bytes an event", bytes / n, 650, 1000},
	} {
		if c.got < c.from || c.got > c.to || math.IsNaN(c.got) {
			t.Errorf("%s: %.3f is not in %v to %v", c.name, c.got, c.from, c.to)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	g := New(Options{Events: b.N, Until: until})
	var out []byte
	for b.Loop() {
		_, e, ok := g.Next()
		if !ok {
			g = New(Options{Until: until})
			continue
		}
		out = AppendJSON(out[:0], &e)
	}
	b.SetBytes(int64(len(out)))
}
