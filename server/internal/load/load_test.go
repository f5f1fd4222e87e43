package load_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/load"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// Against a server that refuses, breaks connections, and is sent everything twice:
// the ledger holds each event once, and so does the server.
func TestLedgerIsWhatTheServerHolds(t *testing.T) {
	rig := doortest.Open(t, door.Options{}, pipeline.Options{})
	native := ingest.New(rig.Front)
	var n atomic.Int64
	rig.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 7 {
		case 2:
			http.Error(w, "later", http.StatusServiceUnavailable)
		case 4:
			panic(http.ErrAbortHandler) // before anything was taken
		case 6:
			native.ServeHTTP(&lost{header: http.Header{}}, r) // taken, and the answer is lost
			panic(http.ErrAbortHandler)
		default:
			native.ServeHTTP(w, r)
		}
	}))
	until := time.Now()
	for _, prepare := range []bool{false, true} {
		ledger := load.NewLedger()
		result, err := load.Run(context.Background(), load.Config{
			Address: strings.TrimPrefix(rig.URL, "http://"), Keys: []string{rig.Write}, Batch: 40, Connections: 3, Prepare: prepare,
			Events: generate.Options{Seed: 9, Events: 2000, Until: until, Span: 5 * time.Hour},
			Again:  .5, Shuffle: 300, Ledger: ledger,
		})
		if err != nil {
			t.Fatal(err)
		}
		if result.Events != 2000 || result.Doubled != 0 || result.Again == 0 || result.Refused == 0 || result.Failed == 0 {
			t.Errorf("prepared %v: %+v", prepare, result)
		}
		// The second time around everything was there before.
		check(t, rig, ledger)
	}
}

func check(t *testing.T, rig *doortest.Rig, ledger *load.Ledger) {
	t.Helper()
	events := rig.Stored()
	got, calls := map[umpire.ID]bool{}, int64(0)
	for _, e := range events {
		got[e.ID] = true
		if e.Kind == "call" {
			calls++
		}
	}
	want := map[umpire.ID]bool{}
	for _, id := range ledger.IDs(0) {
		want[id] = true
	}
	if diff := cmp.Diff(len(want), len(got)); diff != "" || len(events) != len(got) {
		t.Errorf("%d events with %d ids, the ledger has %d", len(events), len(got), len(want))
	}
	for id := range want {
		if !got[id] {
			t.Fatalf("%s is in the ledger and not in the server", id)
		}
	}
	var sum int64
	for _, hours := range ledger.By(0, func(c load.Cell) string { return c.Tool }) {
		for _, count := range hours {
			sum += count.OK + count.BadArgs + count.ToolError + count.Crashed
		}
	}
	if sum != calls || ledger.Calls(0) != calls {
		t.Errorf("the ledger counts %d and %d calls, there are %d", sum, ledger.Calls(0), calls)
	}
	var text bytes.Buffer
	if err := ledger.WriteIDs(&text); err != nil || strings.Count(text.String(), "\n") != len(want) {
		t.Errorf("the ledger is written as %d lines, %v", strings.Count(text.String(), "\n"), err)
	}
}

// A key that is wrong ends it, at once.
func TestWrongKey(t *testing.T) {
	rig := doortest.Open(t, door.Options{}, pipeline.Options{})
	rig.Serve(ingest.New(rig.Front))
	_, err := load.Run(context.Background(), load.Config{
		Address: strings.TrimPrefix(rig.URL, "http://"), Keys: []string{rig.Read},
		Events: generate.Options{Events: 5000, Until: time.Now()},
	})
	if err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("got %v", err)
	}
}

// lost is an answer that nobody reads.
type lost struct{ header http.Header }

func (l *lost) Header() http.Header         { return l.header }
func (l *lost) Write(p []byte) (int, error) { return len(p), nil }
func (l *lost) WriteHeader(int)             {}
