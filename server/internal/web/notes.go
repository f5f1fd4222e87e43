package web

import (
	"maps"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// note is something beside the calls that a reader of the figures should know.
type note struct{ Count, Text string }

func makeNote(n int64, one, many string) note {
	if n == 1 {
		return note{"1", one}
	}
	return note{format.Count(n), many}
}

// makeNotes says what is in no rate, and why.
func makeNotes(m query.Measures) []note {
	var out []note
	add := func(n int64, one, many string) {
		if n > 0 {
			out = append(out, makeNote(n, one, many))
		}
	}
	add(m.NoSession, "call is in no session: it is in no retry and no first-call figure",
		"calls are in no session: they are in no retry and no first-call figure")
	add(m.SeenOutside, "call was seen from outside, by the proxy, where many SDKs show an exception and a refusal in one form: more may have crashed than are counted",
		"calls were seen from outside, by the proxy, where many SDKs show an exception and a refusal in one form: more may have crashed than are counted")
	add(m.Cancelled, "request was cancelled before it was answered: no call",
		"requests were cancelled before they were answered: no calls")
	add(m.Rounds, "round only asked the client for more input: no call", "rounds only asked the client for more input: no calls")
	add(m.SetAside, "event was set aside: it says no outcome and holds nothing to judge one from",
		"events were set aside: they say no outcome and hold nothing to judge one from")
	for _, kind := range slices.Sorted(maps.Keys(m.OtherKinds)) {
		name := clip(kind, 60)
		add(m.OtherKinds[kind], "event of the kind “"+name+"”, which this version does not know",
			"events of the kind “"+name+"”, which this version does not know")
	}
	return out
}

// droppedNote is about the whole project: senders count, but cannot say when.
func droppedNote(n int64) note {
	return makeNote(n, "event was dropped by its sender at some time and never came: its queue was full, or Umpire was away",
		"events were dropped by their senders at some time and never came: their queues were full, or Umpire was away")
}

// goneNote says why parts of a page are missing; nil where all is kept.
func goneNote(h query.Header) []note {
	for _, name := range h.NotFiltered {
		if name == "bad_params" || name == "unknown_tools" {
			return []note{{"–", "single events of a part of this range are no longer kept: what needs them is left out"}}
		}
	}
	return nil
}
