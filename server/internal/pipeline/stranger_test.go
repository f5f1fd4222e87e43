package pipeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
)

// outcomes.md 5.5: distinct unknown names are capped per project, and the rest
// share one bucket; no call is lost, and no real tool is touched.
func TestUnknownToolNamesAreBounded(t *testing.T) {
	r := newRig(t, Options{})
	call := func(tool, cause string) Item {
		return Item{Event: umpire.Event{
			ID: umpire.NewID(), Kind: "call", StartedAt: time.Now(),
			Call: umpire.Call{Tool: tool, Outcome: umpire.BadArgs, Cause: cause},
		}}
	}
	var items []Item
	for i := range maxStrangers + 20 {
		items = append(items, call(fmt.Sprintf("made-up-%d", i), "unknown_tool"))
	}
	items = append(items, call("made-up-3", "unknown_tool"), call("real", "schema"))
	for _, project := range []uint32{1, 2} {
		batch := append([]Item(nil), items...)
		for i := range batch {
			batch[i].Event.ID = umpire.NewID()
		}
		if receipt, err := r.Submit(t.Context(), project, time.Now(), batch); err != nil || receipt.Accepted != len(batch) {
			t.Fatalf("%+v %v", receipt, err)
		}
	}
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, project := range []uint32{1, 2} {
		calls := map[string]int{}
		asked := map[any]bool{}
		for _, e := range r.mem.entries {
			if e.Project == project {
				calls[e.Event.Tool]++
				asked[e.Event.Meta[MarkTool]] = true
			}
		}
		if calls[StrangersTool] != 20 || calls["made-up-3"] != 2 || calls["real"] != 1 || len(calls) != maxStrangers+2 {
			t.Errorf("project %d: %d names, %d shared, %d known, %d real", project, len(calls), calls[StrangersTool], calls["made-up-3"], calls["real"])
		}
		if !asked["made-up-510"] {
			t.Errorf("project %d: the name asked for is not kept", project)
		}
	}
}

// Resources and prompts are bounded as well, each by themselves, and beyond the
// bound nothing is kept of what was asked for.
func TestNamesOfReadsAreBounded(t *testing.T) {
	r := newRig(t, Options{})
	var items []Item
	for i := range maxReads + 20 {
		for _, kind := range []string{"resource", "prompt"} {
			items = append(items, Item{Event: umpire.Event{
				ID: umpire.NewID(), Kind: kind, StartedAt: time.Now(), Call: umpire.Call{Tool: fmt.Sprintf("made-up-%d", i), Outcome: umpire.OK},
			}})
		}
	}
	if receipt, err := r.Submit(t.Context(), 1, time.Now(), items); err != nil || receipt.Accepted != len(items) {
		t.Fatalf("%+v %v", receipt, err)
	}
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	names := map[string]map[string]int{"resource": {}, "prompt": {}}
	for _, e := range r.mem.entries {
		names[e.Event.Kind][e.Event.Tool]++
		if len(e.Event.Meta) != 0 {
			t.Fatalf("kept: %v", e.Event.Meta)
		}
	}
	for kind, others := range map[string]string{"resource": OtherResources, "prompt": OtherPrompts} {
		if n := names[kind]; len(n) != maxReads+1 || n[others] != 20 {
			t.Errorf("%s: %d names, %d others", kind, len(n), n[others])
		}
	}
}

// A sender's clock that runs ahead makes no event count twice, however many came
// in between.
func TestIDsFromTheFutureAreLookedUp(t *testing.T) {
	r := newRig(t, Options{RecentIDs: 100})
	send := func(e umpire.Event) Receipt {
		t.Helper()
		receipt, err := r.Submit(t.Context(), 1, time.Now(), []Item{{Event: e}})
		if err != nil {
			t.Fatal(err)
		}
		return receipt
	}
	ahead := umpire.Event{Kind: "call", StartedAt: time.Now().Add(20 * time.Minute), ID: umpire.NewID(), Call: umpire.Call{Outcome: umpire.OK}}
	ahead.ID[6] = ahead.ID[6]&0x0f | 0x40 // no version 7: only the event's time dates it
	if receipt := send(ahead); receipt.Accepted != 1 {
		t.Fatalf("%+v", receipt)
	}
	for range 500 {
		send(umpire.Event{Kind: "call", StartedAt: time.Now(), ID: umpire.NewID(), Call: umpire.Call{Outcome: umpire.OK}})
	}
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if receipt := send(ahead); receipt.Duplicates != 1 || receipt.Accepted != 0 {
		t.Errorf("sent again: %+v", receipt)
	}
}
