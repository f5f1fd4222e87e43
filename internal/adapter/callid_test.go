package adapter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/umpire-mcp/umpire"
)

func callOf(tool, arguments string) *umpire.Event {
	e := &umpire.Event{Call: umpire.Call{Tool: tool}}
	if arguments != "" {
		e.Arguments = []byte(arguments)
	}
	return e
}

// The form is agreed on between a server and the proxy around it, which may be of
// different versions: it must never change.
func TestCallIDsAreForEver(t *testing.T) {
	c := NewCallIDs("run-1")
	for _, tt := range []struct{ tool, arguments, want string }{
		{"add", `{"a":1,"b":2}`, "51a15016-7b74-82b0-b119-a8d506a922c9"},
		{"add", `{ "b": 2.0, "a": 1e0 }`, "a7ba18f1-c8c6-8142-b56b-2352b436fe4c"},
		{"add", "", "5b1b8dc3-cfea-8f5c-acfc-1bcc18c8c619"},
	} {
		if got := c.Next(callOf(tt.tool, tt.arguments), false).String(); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.tool, tt.arguments, got, tt.want)
		}
	}
}

func TestCallIDs(t *testing.T) {
	kinds := []*umpire.Event{
		callOf("a", `{"x":1}`), callOf("a", `{"x":1.0}`), callOf("a", `{"x":2}`), callOf("b", `{"x":1}`),
		callOf("a", ""), callOf("a", "{}"), callOf("a", "null"), callOf("", "{}"), callOf("a", "no JSON"),
	}
	ids := func(c *CallIDs, events []*umpire.Event) (list []string) {
		var mu sync.Mutex
		var all sync.WaitGroup
		for _, e := range events {
			all.Add(1)
			go func() {
				defer all.Done()
				id := c.Next(e, false)
				if id[6]>>4 != 8 || id[8]>>6 != 2 {
					t.Errorf("%s is no UUID of version 8", id)
				}
				mu.Lock()
				defer mu.Unlock()
				list = append(list, id.String())
			}()
		}
		all.Wait()
		slices.Sort(list)
		return list
	}
	var events []*umpire.Event
	for range 300 {
		events = append(events, kinds[rand.IntN(len(kinds))])
	}
	one := ids(NewCallIDs("r"), events)
	rand.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	if two := ids(NewCallIDs("r"), events); !slices.Equal(one, two) {
		t.Error("two observers of the same calls in another order made other ids")
	}
	if n := len(slices.Compact(slices.Clone(one))); n != len(events) {
		t.Errorf("%d ids for %d calls", n, len(events))
	}
	if other := ids(NewCallIDs("s"), events); other[0] == one[0] {
		t.Error("two runs share an id")
	}
}

// Whatever a client asks for, the memory is bounded and no id is given twice.
func TestCallIDsWithoutEnd(t *testing.T) {
	c := NewCallIDs("r")
	seen := map[umpire.ID]bool{}
	for i := range maxKinds + 2000 {
		e := callOf(fmt.Sprint("tool", i), "{}")
		seen[c.Next(e, false)] = true
		if i > maxKinds {
			seen[c.Next(e, false)] = true
		}
	}
	if want := maxKinds + 2000 + 1999; len(seen) != want {
		t.Errorf("%d ids of %d calls", len(seen), want)
	}
	if len(c.seen) > maxKinds {
		t.Errorf("%d kinds are remembered", len(c.seen))
	}
	long := callOf("a", `"`+string(make([]byte, maxHashed))+`"`)
	if a, b := NewCallIDs("r").Next(long, false), NewCallIDs("r").Next(callOf("a", ""), true); a != b {
		t.Error("long arguments are told apart")
	}
}
