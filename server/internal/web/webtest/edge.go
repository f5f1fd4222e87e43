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

// hostile is a text that would be more than a text if it were not escaped: markup, a
// mark that turns the writing, an escape of terminals, an emoji. What tells where it
// stands; it is as long as the pipeline lets it be.
func hostile(what string) string {
	text := []rune("at-" + what + " <script>x</script><img src=x onerror=y>\u202e\x1b[3m👧 " + strings.Repeat("long name ", 1<<10))
	return string(text[:HostileFields[what]])
}

// HostileFields are the whats of Hostile, texts that come from outside, with the limits
// of the pipeline.
var HostileFields = map[string]int{
	"tool": 200, "client": 200, "version": 100, "session": 64, "cause": 64, "type": 64, "message": 500, "user": 200,
	"intent": 10 << 10, "missed": 10 << 10, "resource": 200, "unknown": 200, "near": 200, "path": 500, "rule": 64, "title": 200,
	"description": 10 << 10, "empty": 64, "mark": 64, "kind": 64, "server": 200, "release": 100, "sdk": 200, "before": 200, "after": 200,
}

// Hostile is a source in which every text that comes from outside is hostile, beside
// many ordinary tools, clients and failures.
func Hostile() *Memory {
	m := Many(120)
	for i, slice := range []string{"ok", "empty", "bad_args", "tool_error", "crashed"} {
		for range 3 {
			m.Calls = append(m.Calls, Call{
				At: Now.Add(-30 * time.Minute), Tool: hostile("tool"), Client: hostile("client"), Version: hostile("version") + fmt.Sprint(i%2), Slice: slice, US: 1000,
				Session: hostile("session"), Cause: hostile("cause"), ErrorType: hostile("type"), Message: hostile("message"), Fingerprint: slice,
			})
		}
	}
	for i := range 300 {
		m.Calls = append(m.Calls, Call{
			At: Now.Add(-20 * time.Minute), Tool: m.Calls[i%200].Tool, Client: "cursor", Slice: "tool_error", Cause: "returned", US: 10,
			ErrorType: fmt.Sprint("shop.Error", i), Message: strings.Repeat("it said no ", 40), Fingerprint: fmt.Sprint("f", i), Session: fmt.Sprint("s", i),
		})
	}
	last := Now.Add(-time.Hour)
	row := m.Calls[len(m.Calls)-301].row(CallID(0))
	row.Intent, row.User = hostile("intent"), hostile("user")
	missed := row
	missed.Intent = hostile("missed")
	for i := range 50 {
		m.Wanted, m.Missed = append(m.Wanted, row), append(m.Missed, missed)
		name := hostile("user")
		if i > 0 {
			name = fmt.Sprint("user-", i)
		}
		m.People = append(m.People, store.UserRow{User: name, Counts: store.Counts{Calls: 3, OK: 3}, FirstSeen: last, LastSeen: last, Days: 1})
		m.Reading = append(m.Reading, store.ReadRow{Name: hostile("resource"), Reads: 2, OK: 2, Clients: 1, Latency: store.Histogram{}, LastSeen: last})
	}
	m.Asking = []store.IntentRow{{Tool: hostile("tool"), Calls: 9, Told: 3}}
	m.Days = []store.UserPoint{{At: last.Truncate(24 * time.Hour), Users: 3, New: 2}}
	m.Unknown = []store.UnknownToolRow{{Name: hostile("unknown"), Calls: 2, Clients: 1, Nearest: []string{hostile("near")}}}
	m.Refused = []store.BadParamRow{{Tool: hostile("tool"), Path: hostile("path"), Rule: hostile("rule"), Calls: 1, Clients: 1, Near: hostile("near")}}
	for _, tool := range []string{hostile("tool"), hostile("title")} {
		m.Listed = append(m.Listed, store.CatalogRow{Server: hostile("server"), Tool: tool, Title: hostile("title"), Description: hostile("description"), Bytes: 9000, FirstSeen: Now.AddDate(0, 0, -9), LastSeen: Now})
	}
	m.Versions = []store.DefinitionRow{
		{Definition: "0123456789abcdef", Bytes: 1, FirstSeen: last.Add(-time.Hour), Description: "once"},
		{Definition: "123456789abcdef0", Bytes: 1, FirstSeen: last, Description: hostile("description")},
	}
	m.Before, m.After = []store.NameCount{{Name: hostile("before"), Calls: 1}}, []store.NameCount{{Name: hostile("after"), Calls: 1}}
	m.Empties, m.Marks = []store.NameCount{{Name: hostile("empty"), Calls: 1}}, []store.NameCount{{Name: hostile("mark"), Calls: 1}}
	m.OtherKinds = map[string]int64{hostile("kind"): 2}
	m.Changed = []store.ChangeRow{
		{Kind: store.ChangeVersion, Server: hostile("server"), Name: hostile("server"), Before: "1", Value: hostile("release"), At: last},
		{Kind: store.ChangeSDK, Name: hostile("sdk"), Before: "1", Value: "2", At: last},
	}
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
