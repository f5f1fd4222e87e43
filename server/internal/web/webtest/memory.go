package webtest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Call is one call of a Memory.
type Call struct {
	At                    time.Time
	Tool, Client, Version string
	Slice                 string // one of the five
	US                    int64  // duration in microseconds
	Session               string // empty: in none
	Retry                 bool
	// Of a failure.
	Cause, ErrorType, Message, Fingerprint string
	Status                                 int64 // 0: none
}

// Memory is a store.Reader that holds its calls in a slice, oldest first, and
// scans them. It knows the filters tool, client, slice, fingerprint,
// error_type and error_class.
type Memory struct {
	Calls      []Call
	Listed     []store.CatalogRow
	Versions   []store.DefinitionRow
	Unknown    []store.UnknownToolRow
	Refused    []store.BadParamRow
	Empties    []store.NameCount
	Marks      []store.NameCount
	Before     []store.NameCount
	After      []store.NameCount
	Cancelled  int64
	SetAside   int64
	Outside    int64
	OtherKinds map[string]int64
	Changed    []store.ChangeRow
	Loops      []store.LoopRow
	// People, Days, Wanted, Missed, Asking and Reading are answers as they are given,
	// whatever the filter.
	People         []store.UserRow
	Days           []store.UserPoint
	Wanted, Missed []store.CallRow
	Asking         []store.IntentRow
	Reading        []store.ReadRow
	// Told are the senders of the calls, whatever the filter; nil: Umpire's own SDK.
	Told []store.SenderRow
	// Fail makes a method fail, by its name.
	Fail map[string]error
}

func (m *Memory) match(f store.Filter) []Call {
	in := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	var out []Call
	for _, c := range m.Calls {
		if c.At.Before(f.From) || !c.At.Before(f.To) || !in(f.Tool, c.Tool) || !in(f.Client, c.Client) || !in(f.ClientVersion, cmp.Or(c.Version, store.Unknown)) ||
			!in(f.Slice, c.Slice) || !in(f.Fingerprint, c.Fingerprint) || !in(f.ErrorType, cmp.Or(c.ErrorType, store.Unknown)) ||
			len(f.ErrorClass) > 0 && (!c.failed() || !in(f.ErrorClass, c.class())) {
			continue
		}
		out = append(out, c)
	}
	return out
}

func count(c *store.Counts, slice string) {
	c.Calls++
	switch slice {
	case "ok":
		c.OK++
	case "empty":
		c.OK++
		c.Empty++
	case "bad_args":
		c.BadArgs++
	case "tool_error":
		c.ToolError++
	case "crashed":
		c.Crashed++
	}
}

// Snapshot asks the memory itself: a test changes nothing meanwhile.
func (m *Memory) Snapshot(_ context.Context, do func(store.Reader) error) error { return do(m) }

// Kept is all there is.
func (m *Memory) Kept(context.Context, uint32) (store.Kept, error) {
	return store.Kept{}, m.Fail["Kept"]
}

// TotalsApart is one of the questions of store.Reader.
func (m *Memory) TotalsApart(ctx context.Context, f store.Filter, at time.Time) (before, since store.Totals, err error) {
	return Apart(ctx, m, f, at)
}

// Apart asks for the parts of the range one after the other.
func Apart(ctx context.Context, r store.Reader, f store.Filter, at time.Time) (before, since store.Totals, err error) {
	early, late := f, f
	early.To, late.From = at, at
	if before, err = r.Totals(ctx, early); err != nil {
		return before, since, err
	}
	since, err = r.Totals(ctx, late)
	return before, since, err
}

// Totals is one of the questions of store.Reader.
func (m *Memory) Totals(_ context.Context, f store.Filter) (store.Totals, error) {
	t := store.Totals{Latency: store.Histogram{}, Cancelled: m.Cancelled, SetAside: m.SetAside, Outside: m.Outside, OtherKinds: m.OtherKinds}
	sessions := map[string]bool{}
	for _, c := range m.match(f) {
		count(&t.Counts, c.Slice)
		t.Latency[store.Bucket(c.US)]++
		if c.Session == "" {
			t.NoSession++
			continue
		}
		sessions[c.Session] = true
		if c.Retry {
			t.Retries++
			t.Reworded++
			continue
		}
		t.FirstCalls++
		if c.Slice == "ok" {
			t.FirstOK++
		}
	}
	t.Sessions = int64(len(sessions))
	return t, m.Fail["Totals"]
}

// Series is one of the questions of store.Reader.
func (m *Memory) Series(_ context.Context, f store.Filter, step time.Duration) ([]store.Point, error) {
	steps := map[time.Time]*store.Point{}
	sessions := map[string]bool{}
	for _, c := range m.match(f) {
		at := store.StepStart(c.At, step)
		p := steps[at]
		if p == nil {
			p = &store.Point{At: at, Latency: store.Histogram{}}
			steps[at] = p
		}
		count(&p.Counts, c.Slice)
		p.Latency[store.Bucket(c.US)]++
		if c.Session == "" {
			continue
		}
		if key := c.Session + at.String(); !sessions[key] {
			sessions[key] = true
			p.Sessions++
		}
		if !c.Retry {
			p.FirstCalls++
			if c.Slice == "ok" {
				p.FirstOK++
			}
		}
	}
	var out []store.Point
	for _, p := range steps {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b store.Point) int { return a.At.Compare(b.At) })
	return out, m.Fail["Series"]
}

// ByTool is one of the questions of store.Reader.
func (m *Memory) ByTool(_ context.Context, f store.Filter) ([]store.ToolRow, error) {
	rows := map[string]*store.ToolRow{}
	for _, c := range m.match(f) {
		r := rows[c.Tool]
		if r == nil {
			r = &store.ToolRow{Tool: c.Tool, Latency: store.Histogram{}}
			rows[c.Tool] = r
		}
		count(&r.Counts, c.Slice)
		r.Latency[store.Bucket(c.US)]++
		r.LastSeen = c.At
		if c.Session != "" && !c.Retry {
			r.FirstCalls++
			if c.Slice == "ok" {
				r.FirstOK++
			}
		}
	}
	return sorted(rows, func(r store.ToolRow) (int64, string) { return r.Calls, r.Tool }), m.Fail["ByTool"]
}

// ByClient is one of the questions of store.Reader.
func (m *Memory) ByClient(_ context.Context, f store.Filter) ([]store.ClientRow, error) {
	rows := map[string]*store.ClientRow{}
	sessions := map[string]bool{}
	for _, c := range m.match(f) {
		r := rows[c.Client]
		if r == nil {
			r = &store.ClientRow{Client: c.Client, Latency: store.Histogram{}}
			rows[c.Client] = r
		}
		count(&r.Counts, c.Slice)
		r.Latency[store.Bucket(c.US)]++
		r.LastSeen = c.At
		if c.Version != "" && !slices.Contains(r.Versions, c.Version) {
			r.Versions = append(r.Versions, c.Version)
		}
		if key := c.Client + "\x00" + c.Session; c.Session != "" && !sessions[key] {
			sessions[key] = true
			r.Sessions++
		}
	}
	return sorted(rows, func(r store.ClientRow) (int64, string) { return r.Calls, r.Client }), m.Fail["ByClient"]
}

// Senders is one of the questions of store.Reader.
func (m *Memory) Senders(_ context.Context, f store.Filter, _ int) ([]store.SenderRow, error) {
	n := int64(len(m.match(f)))
	if n > 0 && m.Told == nil {
		return []store.SenderRow{{SeenBy: "sdk", SDK: "umpire-go", SDKVersion: "0.1.0", Calls: n}}, m.Fail["Senders"]
	}
	return m.Told, m.Fail["Senders"]
}

func sorted[K comparable, T any](rows map[K]*T, key func(T) (int64, string)) []T {
	var out []T
	for _, r := range rows {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b T) int {
		x, n := key(a)
		y, k := key(b)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(n, k))
	})
	return out
}

// Facets is one of the questions of store.Reader.
func (m *Memory) Facets(_ context.Context, f store.Filter) (store.Facets, error) {
	tools, clients := map[string]bool{}, map[string]bool{}
	for _, c := range m.match(f) {
		tools[c.Tool], clients[c.Client] = true, true
	}
	return store.Facets{Tools: slices.Sorted(maps.Keys(tools)), Clients: slices.Sorted(maps.Keys(clients))}, m.Fail["Facets"]
}

// Catalog is one of the questions of store.Reader.
func (m *Memory) Catalog(_ context.Context, f store.Filter) ([]store.CatalogRow, error) {
	return m.Listed, m.Fail["Catalog"]
}

// Definitions is one of the questions of store.Reader.
func (m *Memory) Definitions(_ context.Context, _ store.Filter, tool string) ([]store.DefinitionRow, error) {
	for _, c := range m.Listed {
		if c.Tool == tool {
			return m.Versions, m.Fail["Definitions"]
		}
	}
	return nil, m.Fail["Definitions"]
}

// UnknownTools is one of the questions of store.Reader.
func (m *Memory) UnknownTools(_ context.Context, _ store.Filter, limit int) ([]store.UnknownToolRow, error) {
	return m.Unknown[:min(limit, len(m.Unknown))], m.Fail["UnknownTools"]
}

// BadParams is one of the questions of store.Reader.
func (m *Memory) BadParams(_ context.Context, f store.Filter, limit int) ([]store.BadParamRow, error) {
	var out []store.BadParamRow
	for _, p := range m.Refused {
		if len(f.Tool) == 0 || slices.Contains(f.Tool, p.Tool) {
			out = append(out, p)
		}
	}
	return out, m.Fail["BadParams"]
}

// EmptyRules is one of the questions of store.Reader.
func (m *Memory) EmptyRules(_ context.Context, f store.Filter) ([]store.NameCount, error) {
	return m.Empties, m.Fail["EmptyRules"]
}

// Suspects is one of the questions of store.Reader.
func (m *Memory) Suspects(_ context.Context, f store.Filter) ([]store.NameCount, error) {
	return m.Marks, m.Fail["Suspects"]
}

// Neighbours is one of the questions of store.Reader.
func (m *Memory) Neighbours(_ context.Context, _ store.Filter, _ int) (before, after []store.NameCount, err error) {
	return m.Before, m.After, m.Fail["Neighbours"]
}
