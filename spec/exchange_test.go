package spec_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// exchange is one line of corpus/calls.jsonl: a call as it was seen on the wire,
// and how it is judged.
type exchange struct {
	mcpwire.Exchange
	ID    string `json:"id"`
	About string `json:"about"`
	Want  struct {
		Kind      string            `json:"kind"`
		Outcome   umpire.Outcome    `json:"outcome"`
		Empty     bool              `json:"empty"`
		Cause     string            `json:"cause"`
		BadParams []umpire.BadParam `json:"bad_params"`
		Suspects  []string          `json:"suspects"`
	} `json:"want"`
}

// Real public situations: each is judged as people decided it should be.
func TestCorpusOfCalls(t *testing.T) {
	n := 0
	for _, x := range readCorpus[exchange](t, "corpus/calls.jsonl") {
		n++
		t.Run(x.ID, func(t *testing.T) { x.check(t) })
	}
	if n < 40 {
		t.Fatalf("the corpus has %d calls", n)
	}
}

// readCorpus reads a file of JSON objects, one a line.
func readCorpus[T any](t *testing.T, name string) (list []T) {
	t.Helper()
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var x T
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatalf("line %d of %s: %v", n, name, err)
		}
		list = append(list, x)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func (x *exchange) check(t *testing.T) {
	got, err := x.Judge(umpire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Kind != x.Want.Kind {
		t.Fatalf("%s\ngot kind %q, want %q", x.About, got.Kind, x.Want.Kind)
	}
	if got.Outcome != x.Want.Outcome || got.Empty != x.Want.Empty {
		t.Errorf("%s\ngot outcome %q empty %v, want %q %v", x.About, got.Outcome, got.Empty, x.Want.Outcome, x.Want.Empty)
	}
	if x.Want.Cause != "" && got.Cause != x.Want.Cause {
		t.Errorf("got cause %q, want %q", got.Cause, x.Want.Cause)
	}
	slices.Sort(got.Suspects)
	slices.Sort(x.Want.Suspects)
	if !slices.Equal(got.Suspects, x.Want.Suspects) {
		t.Errorf("%s\ngot suspects %v, want %v", x.About, got.Suspects, x.Want.Suspects)
	}
	if x.Want.BadParams != nil && !sameParams(got.BadParams, x.Want.BadParams) {
		t.Errorf("got bad params %v, want %v", got.BadParams, x.Want.BadParams)
	}
}

// sameParams compares two sets of refused arguments by path and rule.
func sameParams(a, b []umpire.BadParam) bool {
	form := func(list []umpire.BadParam) (forms []string) {
		for _, p := range list {
			forms = append(forms, p.Path+" "+p.Rule)
		}
		slices.Sort(forms)
		return forms
	}
	return slices.Equal(form(a), form(b))
}
