package pipeline

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
)

// twins are one call as the proxy and as the SDK saw it.
func twins() (proxy, sdk Item) {
	proxy, sdk = call("proxy"), call("sdk")
	proxy.Event.ID[6] = proxy.Event.ID[6]&0x0f | 0x80
	proxy.Event.SeenBy = "proxy"
	sdk.Event.ID, sdk.Event.SeenBy = proxy.Event.ID, "sdk"
	return proxy, sdk
}

// The proxy's event comes in first or not at all; the SDK's always does, once
// (outcomes.md 1.4). This holds while the store has neither, has the first, or has
// both, and in a replay of the log.
func TestTwins(t *testing.T) {
	proxy, sdk := twins()
	stranger, second := twins()
	second.Event.SeenBy = "proxy"
	for _, c := range []struct {
		name          string
		before, items []Item
		want          Receipt
	}{
		{"the proxy's again", []Item{proxy}, []Item{proxy}, Receipt{Duplicates: 1}},
		{"the SDK's behind it", []Item{proxy}, []Item{sdk}, Receipt{Accepted: 1}},
		{"both again", []Item{proxy, sdk}, []Item{proxy, sdk}, Receipt{Duplicates: 2}},
		{"the proxy's behind the SDK's", []Item{sdk}, []Item{proxy}, Receipt{Duplicates: 1}},
		{"two of the proxy", nil, []Item{stranger, second}, Receipt{Accepted: 1, Duplicates: 1}},
	} {
		for _, stored := range []bool{false, true} {
			r := newRig(t, Options{})
			if !stored {
				r.mem.set(func(m *memory) { m.down = errors.New("disk gone") })
			}
			for _, item := range c.before {
				r.submit(1, item)
				if stored {
					r.sync()
				}
			}
			if d := cmp.Diff(c.want, r.submit(1, c.items...)); d != "" {
				t.Errorf("%s, stored %v: %s", c.name, stored, d)
			}
			r.mem.set(func(m *memory) { m.down = nil })
			r.sync()
			if got, want := int64(len(r.mem.tools())), r.Stats().Accepted; got != want {
				t.Errorf("%s, stored %v: %d events reached the store, want %d", c.name, stored, got, want)
			}
		}
	}
}

// One batch may hold both, in either order.
func TestTwinsInOneBatch(t *testing.T) {
	for _, c := range []struct {
		sdkFirst bool
		want     Receipt
		stored   []string
	}{
		{false, Receipt{Accepted: 2}, []string{"1/proxy", "1/sdk"}},
		{true, Receipt{Accepted: 1, Duplicates: 1}, []string{"1/sdk"}},
	} {
		r := newRig(t, Options{})
		proxy, sdk := twins()
		items := []Item{proxy, sdk}
		if c.sdkFirst {
			slices.Reverse(items)
		}
		if d := cmp.Diff(c.want, r.submit(1, items...)); d != "" {
			t.Error(d)
		}
		r.sync()
		if d := cmp.Diff(c.stored, r.mem.tools()); d != "" {
			t.Error(d)
		}
	}
}

func TestTwinsAreReplayed(t *testing.T) {
	r := newRig(t, Options{})
	r.mem.set(func(m *memory) { m.down = errors.New("disk gone") })
	proxy, sdk := twins()
	r.submit(1, proxy)
	r.submit(1, sdk)
	_ = r.Close()
	r.mem.set(func(m *memory) { m.down = nil })
	r.restart()
	// The store may not have them yet; then it is found out when it has.
	if got := r.submit(1, sdk, proxy); got.Accepted+got.Duplicates != 2 {
		t.Errorf("sent again after a replay: %+v", got)
	}
	r.sync()
	if got := r.submit(1, sdk, proxy); got.Duplicates != 2 {
		t.Errorf("sent again when all is stored: %+v", got)
	}
	if d := cmp.Diff([]string{"1/proxy", "1/sdk"}, r.mem.tools()); d != "" {
		t.Error(d)
	}
}

// However they race, what the SDK saw comes in once, and nothing behind it.
func TestTwinsRace(t *testing.T) {
	r := newRig(t, Options{})
	for range 50 {
		proxy, sdk := twins()
		var all sync.WaitGroup
		for _, item := range []Item{proxy, sdk, sdk, proxy} {
			all.Go(func() {
				if _, err := r.Submit(ctx, 1, item.Event.StartedAt, []Item{item}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		r.sync()
		seen := []string{}
		r.mem.set(func(m *memory) {
			for _, e := range m.entries {
				if e.Event.ID == sdk.Event.ID {
					seen = append(seen, e.Event.SeenBy)
				}
			}
		})
		if !slices.Equal(seen, []string{"sdk"}) && !slices.Equal(seen, []string{"proxy", "sdk"}) {
			t.Fatalf("the store was given %v", seen)
		}
	}
}

// halves are a call that failed, and the same when its exception is known.
func halves() (half, whole Item) {
	half = call("half")
	half.Event.SeenBy, half.Event.Outcome, half.Event.Cause = "sentry", umpire.ToolError, "result"
	whole = half
	whole.Event.Tool, whole.Event.Outcome, whole.Event.Cause, whole.Event.HandlerRan = "whole", umpire.Crashed, "thrown", "yes"
	return half, whole
}

// What is known of a call in whole replaces what is known of it in half, once, and
// never the other way.
func TestHalves(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, items func(half, whole Item) []Item
		want          Receipt
		stored        []string
	}{
		{"the whole behind the half", onlyHalf, onlyWhole, Receipt{Accepted: 1}, []string{"1/half", "1/whole"}},
		{"the half behind the whole", onlyWhole, onlyHalf, Receipt{Duplicates: 1}, []string{"1/whole"}},
		{"the whole again", onlyWhole, onlyWhole, Receipt{Duplicates: 1}, []string{"1/whole"}},
		{"the half again", onlyHalf, onlyHalf, Receipt{Duplicates: 1}, []string{"1/half"}},
	} {
		for _, stored := range []bool{false, true} {
			r := newRig(t, Options{})
			if !stored {
				r.mem.set(func(m *memory) { m.down = errors.New("disk gone") })
			}
			half, whole := halves()
			r.submit(1, c.before(half, whole)...)
			if stored {
				r.sync()
			}
			if d := cmp.Diff(c.want, r.submit(1, c.items(half, whole)...)); d != "" {
				t.Errorf("%s, stored %v: %s", c.name, stored, d)
			}
			r.mem.set(func(m *memory) { m.down = nil })
			r.sync()
			if d := cmp.Diff(c.stored, r.mem.tools()); d != "" {
				t.Errorf("%s, stored %v: %s", c.name, stored, d)
			}
		}
	}
}

func onlyHalf(half, _ Item) []Item   { return []Item{half} }
func onlyWhole(_, whole Item) []Item { return []Item{whole} }
