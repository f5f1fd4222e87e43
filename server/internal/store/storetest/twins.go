package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// sdkReplacesProxy: of a call that both saw, what the SDK saw is there alone, in
// raw events and in every rollup, whatever came in one batch and whatever again
// (outcomes.md 1.4).
func sdkReplacesProxy(t *testing.T, b *bench) {
	Check(t, 15, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		var arriving, remain []umpire.Event
		others := many(t, Event(), 12)
		arriving, remain = append(arriving, others...), append(remain, others...)
		for _, proxy := range many(t, twin("proxy"), 12) {
			sdk := event(t)
			sdk.ID, sdk.SeenBy, sdk.StartedAt = proxy.ID, "sdk", proxy.StartedAt
			switch pick(t, "who saw it", "both", "both", "both, the SDK twice", "the proxy", "the proxy twice") {
			case "both":
				arriving, remain = append(arriving, proxy, sdk), append(remain, sdk)
			case "both, the SDK twice":
				arriving, remain = append(arriving, proxy, sdk, sdk), append(remain, sdk)
			case "the proxy":
				arriving, remain = append(arriving, proxy), append(remain, proxy)
			default:
				arriving, remain = append(arriving, proxy, proxy), append(remain, proxy)
			}
		}
		if len(remain) == 0 {
			return
		}
		b.put(t, project, shuffledTwins(t, arriving), sizes(t)...)
		b.all = b.all[:0]
		for _, e := range remain {
			b.all = append(b.all, store.Entry{Project: project, ReceivedAt: e.StartedAt.Add(time.Second), Event: e})
		}
		b.check(t, store.Filter{Project: project, From: Base, To: Base.Add(Span)})
		b.check(t, Filter(project).Draw(t, "filter"))
		if len(remain) == 0 {
			return
		}
		got, err := b.Known(context.Background(), project, []umpire.ID{remain[len(remain)-1].ID})
		if want := remain[len(remain)-1]; err != nil || got[want.ID] != want.SeenBy {
			t.Fatalf("Known = %v, %v; want it seen by %q", got, err, want.SeenBy)
		}
	})
}

// wholeReplacesHalf: of a failed call of which a sender told twice, what was told
// last is there alone, in raw events and in every rollup.
func wholeReplacesHalf(t *testing.T, b *bench) {
	Check(t, 10, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		var arriving, remain []umpire.Event
		for _, half := range many(t, Event(), 12) {
			half.Kind, half.SeenBy, half.HandlerRan = "call", store.Halves, "unknown"
			half.Outcome, half.Cause, half.Empty, half.EmptyRule = umpire.ToolError, "result", false, ""
			whole := half
			whole.HandlerRan, whole.Outcome, whole.Cause, whole.ErrorType = "yes", umpire.Crashed, "thrown", "RangeError"
			switch pick(t, "what was told", "both", "both, the whole twice", "the half", "the whole") {
			case "both":
				arriving, remain = append(arriving, half, whole), append(remain, whole)
			case "both, the whole twice":
				arriving, remain = append(arriving, half, whole, whole), append(remain, whole)
			case "the half":
				arriving, remain = append(arriving, half), append(remain, half)
			default:
				arriving, remain = append(arriving, whole), append(remain, whole)
			}
		}
		if len(remain) == 0 {
			return
		}
		b.put(t, project, shuffledTwins(t, arriving), sizes(t)...)
		b.all = b.all[:0]
		for _, e := range remain {
			b.all = append(b.all, store.Entry{Project: project, ReceivedAt: e.StartedAt.Add(time.Second), Event: e})
		}
		b.check(t, store.Filter{Project: project, From: Base, To: Base.Add(Span)})
		b.check(t, Filter(project).Draw(t, "filter"))
		last := remain[len(remain)-1]
		want := store.Half
		if store.Whole(&last) {
			want = store.Halves
		}
		if got, err := b.Known(context.Background(), project, []umpire.ID{last.ID}); err != nil || got[last.ID] != want {
			t.Fatalf("Known = %v, %v; want %q", got, err, want)
		}
	})
}

// twin generates events under ids that two observers agree on.
func twin(seenBy string) *rapid.Generator[umpire.Event] {
	return rapid.Custom(func(t *rapid.T) umpire.Event {
		e := event(t)
		e.ID[6] = e.ID[6]&0x0f | 0x80
		e.SeenBy = seenBy
		return e
	})
}

// shuffledTwins mixes the events, but leaves those of one id in their order: the
// pipeline sees to that.
func shuffledTwins(t *rapid.T, events []umpire.Event) []umpire.Event {
	mixed := rapid.Permutation(events).Draw(t, "arrival")
	next := map[umpire.ID]int{}
	for i := range mixed {
		id := mixed[i].ID
		n := next[id] + slices.IndexFunc(events[next[id]:], func(e umpire.Event) bool { return e.ID == id })
		mixed[i], next[id] = events[n], n+1
	}
	return mixed
}
