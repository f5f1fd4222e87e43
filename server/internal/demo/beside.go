package demo

import (
	"math/rand/v2"
	"time"

	"github.com/umpire-mcp/umpire"
)

// wanted is what people ask for when a client calls a tool, as models put it.
var wanted = map[string][]string{
	"search_books":   {"Find a crime novel for a long train ride", "Look up what the shop has of Jane Austen"},
	"get_book":       {"Tell the user what the book costs and when it came out"},
	"check_stock":    {"See whether the book can be picked up in Leipzig today"},
	"list_orders":    {"Find the newest order of a customer who waits for a parcel", "Show which orders are still open"},
	"get_order":      {"Check what was in the order that arrived damaged"},
	"get_customer":   {"Find the address that the parcel went to"},
	"refund_order":   {"Give the money back for a book that arrived damaged"},
	"quote_shipping": {"Say what a parcel to France costs"},
}

// missed is what models had no tool for.
var missed = []string{
	"Reserve a copy of a book for somebody who picks it up tomorrow",
	"Change the address of an order that is not dispatched yet",
	"Tell the customer when the parcel will arrive",
}

// intentOf is what somebody wanted of a tool; empty where nobody said so.
func intentOf(rng *rand.Rand, tool string) string {
	list := wanted[tool]
	if len(list) == 0 {
		return ""
	}
	return list[rng.IntN(len(list))]
}

// beside records what a session did beside its calls: a resource, a prompt, and now and
// then what a model had no tool for.
func (h *historian) beside(base umpire.Event, at time.Time, p persona) {
	if !p.reads {
		return
	}
	record := func(kind, name string, change func(*umpire.Event)) {
		e := base
		e.ID, e.StartedAt, e.Kind, e.Tool = umpire.NewID(), at, kind, name
		us := int64(300 + h.rng.IntN(900))
		e.DurationUS = &us
		if change != nil {
			change(&e)
		}
		h.client.Record(e)
	}
	ok := func(e *umpire.Event) { e.Outcome, e.Evidence, e.HandlerRan = umpire.OK, "observed", "yes" }
	record("resource", hoursURI, ok)
	if h.rng.IntN(3) == 0 {
		record("prompt", giftPrompt, ok)
	}
	if h.rng.IntN(60) == 0 {
		record("custom", "", func(e *umpire.Event) {
			e.DurationUS, e.Intent = nil, missed[h.rng.IntN(len(missed))]
			e.Meta = map[string]any{"demo": true, "umpire.event": "umpire.missing_tool"}
		})
	}
}
