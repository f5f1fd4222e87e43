package query_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// Who turns the pages of a list while events arrive, new ones and late ones between those
// that are there, sees each that was there from the first exactly once, on every list
// that has pages.
func TestPagesWhileEventsArrive(t *testing.T) {
	const there = 240
	call := func(n int, at time.Time, name string) umpire.Event {
		d := int64(1000)
		return umpire.Event{
			ID: umpire.NewID(), Kind: "call", StartedAt: at, Session: fmt.Sprintf("%s-%d", name, n), User: fmt.Sprintf("%s-%d", name, n),
			Call: umpire.Call{Tool: "find", Outcome: umpire.OK, DurationUS: &d}, Intent: "look for it",
		}
	}
	var first []umpire.Event
	for i := range there { // of some moments: many began in the same one
		first = append(first, call(i, storetest.Base.Add(time.Duration(i/7)*time.Minute), "there"))
	}
	s := filled(t, first...)
	stop := make(chan struct{})
	var arriving sync.WaitGroup
	arriving.Go(func() {
		for n, seq := 0, uint64(there+1); n < 600; n++ { // so that the pages end
			select {
			case <-stop:
				return
			default:
			}
			seq = put(t, s, seq, 1, []umpire.Event{
				call(n, storetest.Base.Add(time.Hour+time.Duration(n)*time.Millisecond), "new"),
				call(n, storetest.Base.Add(time.Duration(n%35)*time.Minute), "late"),
			})
		}
	})
	p := params()
	p.List.Limit = 13
	for name, part := range map[string]func(p query.Params) (names []string, next *string, err error){
		"calls": func(p query.Params) (names []string, next *string, err error) {
			a, err := query.Calls(t.Context(), s, p)
			for _, c := range a.Calls {
				names = append(names, c.Session)
			}
			return names, a.Next, err
		},
		"sessions": func(p query.Params) (names []string, next *string, err error) {
			a, err := query.Sessions(t.Context(), s, p)
			for _, c := range a.Sessions {
				names = append(names, c.ID)
			}
			return names, a.Next, err
		},
		"users": func(p query.Params) (names []string, next *string, err error) {
			a, err := query.Users(t.Context(), s, p)
			for _, u := range a.Users {
				names = append(names, u.User)
			}
			return names, a.Next, err
		},
		"intents": func(p query.Params) (names []string, next *string, err error) {
			a, err := query.Intents(t.Context(), s, p)
			for _, i := range a.Intents {
				names = append(names, i.Session)
			}
			return names, a.Next, err
		},
	} {
		seen := map[string]int{}
		p.List.Cursor = ""
		for pages := 0; ; pages++ {
			names, next, err := part(p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, n := range names {
				seen[n]++
			}
			if next == nil {
				break
			}
			if p.List.Cursor = *next; pages > 2000 {
				t.Fatalf("%s: the pages do not end", name)
			}
		}
		for i := range there {
			if n := seen[fmt.Sprintf("there-%d", i)]; n != 1 {
				t.Errorf("%s: there-%d is shown %d times", name, i, n)
			}
		}
	}
	close(stop)
	arriving.Wait()
}
