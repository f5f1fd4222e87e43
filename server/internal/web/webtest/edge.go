package webtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Odd are names that callers choose: markup, other directions of writing, marks
// that join, names that look like paths, very long ones.
var Odd = []string{
	`<script>alert("tool")</script>`, `"><img src=x onerror=alert(1)>`, `{{.Title}}`, `javascript:alert(1)`,
	"أداة_البحث", "כלי\u200f", "\u202eevil\u202c", "👩‍👩‍👧‍👦 family 🧪", "e\u0301\u0301\u0301", "a/b/c", "a//b", "..", ".", "%2F", "a?b=c#d", "a b+c", "a&amp;b", `a\b`, "tab\there",
	strings.Repeat("long_name_", 20), strings.Repeat("W", 200), strings.Repeat("名", 200),
}

// OddNames is a source in which every odd name is that of a tool and a client.
func OddNames() *Memory {
	m := &Memory{}
	slices := []string{"ok", "empty", "bad_args", "tool_error", "crashed"}
	for i, name := range Odd {
		for k := range 3 + i {
			slice := slices[k%5]
			m.Calls = append(m.Calls, Call{
				At: Now.Add(-time.Duration(len(Odd)-i) * time.Hour), Tool: name, Client: name, Version: name, Slice: slice, US: int64(1000 * (k + 1)),
				Session: "s", Cause: name, ErrorType: name, Message: name, Fingerprint: fmt.Sprint(slice, i),
			})
		}
		m.Unknown = append(m.Unknown, store.UnknownToolRow{Name: name, Calls: 1, Clients: 1, Nearest: []string{name}})
		m.Refused = append(m.Refused, store.BadParamRow{Tool: name, Path: name, Rule: name, Calls: 1, Clients: 1, Near: name})
		m.Listed = append(m.Listed, store.CatalogRow{Tool: name, Title: name + "!", Description: name, Bytes: 1, FirstSeen: Now, LastSeen: Now})
	}
	m.Versions = []store.DefinitionRow{{Definition: "0123456789abcdef", Bytes: 1, FirstSeen: Now}}
	m.Before, m.After = []store.NameCount{{Name: Odd[0], Calls: 1}}, []store.NameCount{{Name: Odd[4], Calls: 1}}
	m.Empties, m.Marks = []store.NameCount{{Name: Odd[1], Calls: 1}}, []store.NameCount{{Name: Odd[0], Calls: 1}}
	m.OtherKinds = map[string]int64{Odd[0]: 2}
	return m
}

// Many is a source with so many tools and clients, two calls each.
func Many(tools int) *Memory {
	m := &Memory{}
	for i := range tools {
		for k, slice := range []string{"ok", "crashed"} {
			m.Calls = append(m.Calls, Call{
				At: Now.Add(-time.Hour), Tool: fmt.Sprintf("read_the_inventory_of_shop_%03d", i), Client: fmt.Sprintf("client-%03d", i), Version: "1.0.0",
				Slice: slice, US: int64(1000 * (i + k + 1)), Session: "s", Fingerprint: "f",
			})
		}
	}
	return m
}

// One is a source with a single call.
func One() *Memory {
	return &Memory{Calls: []Call{{At: Now.Add(-2 * time.Hour), Tool: "get_order", Client: "cursor", Slice: "ok", US: 88000, Session: "s"}}}
}

// Big multiplies the totals of a source, for figures in the millions.
type Big struct {
	*Memory
	Times int64
}

// Snapshot asks the source itself.
func (b Big) Snapshot(_ context.Context, do func(store.Reader) error) error { return do(b) }

// TotalsApart is Memory's, so many times.
func (b Big) TotalsApart(ctx context.Context, f store.Filter, at time.Time) (before, since store.Totals, err error) {
	return Apart(ctx, b, f, at)
}

// Totals is Memory's, so many times.
func (b Big) Totals(ctx context.Context, f store.Filter) (store.Totals, error) {
	t, err := b.Memory.Totals(ctx, f)
	for _, n := range []*int64{&t.Calls, &t.OK, &t.Empty, &t.BadArgs, &t.ToolError, &t.Crashed, &t.Sessions, &t.FirstCalls, &t.FirstOK, &t.NoSession, &t.Retries} {
		*n *= b.Times
	}
	return t, err
}
