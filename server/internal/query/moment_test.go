package query_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// The parts of an answer agree also while events arrive: an answer is of one
// moment.
func TestAnAnswerIsOfOneMoment(t *testing.T) {
	s := filled(t)
	const batches, size = 60, 7
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		seq := uint64(1)
		for b := range batches {
			var events []umpire.Event
			for i := range size {
				us := int64(1000)
				events = append(events, umpire.Event{
					ID: umpire.NewID(), Kind: "call", StartedAt: storetest.Base.Add(time.Duration(b*size+i) * time.Second),
					Client: umpire.Peer{Name: "c"}, Session: fmt.Sprintf("s%d", b),
					Call: umpire.Call{Tool: "t", Outcome: umpire.ToolError, Cause: "result", Fingerprint: "f", DurationUS: &us},
				})
			}
			seq = put(panicker{}, s, seq, 1, events)
		}
	}()
	for asked, done := 0, false; !done || asked == 0; asked++ {
		select {
		case <-stop:
			done = true
		default:
		}
		a, err := query.Tool(t.Context(), s, params(), "t")
		if err != nil {
			continue // nothing was seen yet
		}
		var series, clients, failures int64
		for _, p := range a.Series {
			series += p.Calls
		}
		for _, c := range a.Clients {
			clients += c.Calls
		}
		for _, f := range a.Failures {
			failures += f.Calls
		}
		if series != a.Calls || clients != a.Calls || failures != a.Calls || a.Slices.ToolError != a.Calls {
			t.Fatalf("calls %d, series %d, clients %d, failures %d: an answer of several moments", a.Calls, series, clients, failures)
		}
		if done && a.Calls != batches*size {
			t.Fatalf("%d calls at the end, want %d", a.Calls, batches*size)
		}
	}
}

// panicker ends a test from a goroutine of its own.
type panicker struct{}

func (panicker) Fatal(v ...any) { panic(fmt.Sprint(v...)) }
