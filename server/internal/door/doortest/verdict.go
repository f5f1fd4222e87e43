package doortest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
)

// Verdict is what the rules say of a call.
type Verdict struct {
	Tool        string
	Outcome     umpire.Outcome
	Empty       bool
	Cause       string
	ErrorType   string
	ErrorStatus int
}

// Verdicts are those of the calls among the events, in the order of their times.
func Verdicts(events []umpire.Event) (calls []Verdict) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b umpire.Event) int { return a.StartedAt.Compare(b.StartedAt) })
	for _, e := range events {
		if e.Kind == "call" {
			calls = append(calls, Verdict{e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType, e.ErrorStatus})
		}
	}
	return calls
}

// NoAddress fails the test where an e-mail address came through.
func NoAddress(t testing.TB, events []umpire.Event) {
	t.Helper()
	for _, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "@example") {
			t.Errorf("%s %s: an e-mail address came through: %s", e.Kind, e.Tool, text)
		}
	}
}

// AnyOrder sends the events of one body whole, twice, one by one, in halves, and in
// random orders, and fails the test unless the store is the same each time. body
// puts events into a request; plain takes out of an event what may depend on what
// came before it.
func AnyOrder(t *testing.T, open func(testing.TB) *Rig, path string, events []json.RawMessage,
	body func([]json.RawMessage) []byte, plain func(*umpire.Event), headers ...string,
) {
	t.Helper()
	half := len(events) / 2
	ways := map[string][][]json.RawMessage{
		"twice":           {events, events},
		"in halves":       {events[:half], events[half:]},
		"the other half":  {events[half:], events[:half], events[half:]},
		"one by one":      nil,
		"in random order": nil,
		"and another one": nil,
	}
	for i := range events {
		ways["one by one"] = append(ways["one by one"], events[i:i+1])
	}
	for seed, way := range []string{"in random order", "and another one"} {
		mixed := slices.Clone(events)
		rand.New(rand.NewPCG(uint64(seed), 7)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		ways[way] = [][]json.RawMessage{mixed[:half], mixed, mixed[half:]}
	}
	stored := func(requests ...[]json.RawMessage) []umpire.Event {
		r := open(t)
		for _, request := range requests {
			if status, text, _ := r.Post(path, bytes.NewReader(body(request)), headers...); status/100 != 2 {
				t.Fatalf("%d %s", status, text)
			}
		}
		all := r.Stored()
		for i := range all {
			plain(&all[i])
		}
		slices.SortFunc(all, func(a, b umpire.Event) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		return all
	}
	want := stored(events)
	if len(want) == 0 {
		t.Fatal("nothing is stored")
	}
	for way, requests := range ways {
		if d := cmp.Diff(want, stored(requests...)); d != "" {
			t.Errorf("%s (-once +%s):\n%s", way, way, d)
		}
	}
}
