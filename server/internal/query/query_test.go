package query_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

var now = storetest.Base.Add(storetest.Span)

// filled is a real store with events, project 1.
func filled(t testing.TB, events ...umpire.Event) store.Store {
	t.Helper()
	s, err := duckdb.Open(t.Context(), "", duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	put(t, s, 1, 1, events)
	return s
}

func put(t interface{ Fatal(...any) }, s store.Store, seq uint64, project uint32, events []umpire.Event) uint64 {
	var batch []store.Entry
	for _, e := range events {
		batch = append(batch, store.Entry{Seq: seq, Project: project, ReceivedAt: e.StartedAt, Event: e})
		seq++
	}
	if err := s.Apply(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	return seq
}

// params are of the range that generated events lie in.
func params(change ...func(*store.Filter)) query.Params {
	p := query.Params{Project: "shop", Filter: store.Filter{Project: 1, From: storetest.Base, To: now, Now: now}}
	for _, c := range change {
		c(&p.Filter)
	}
	return p
}

// TestNumbersAgree: whatever happened and whatever the filter, the slices add up to
// the calls, and no two answers disagree about a number.
func TestNumbersAgree(t *testing.T) {
	s := filled(t)
	seq, project := uint64(1), uint32(0)
	storetest.Check(t, 20, func(r *rapid.T) {
		project++
		seq = put(r, s, seq, project, rapid.SliceOfN(storetest.Event(), 30, 30).Draw(r, "events"))
		p := query.Params{Filter: storetest.Filter(project).Draw(r, "filter")}
		ctx := context.Background()
		overview, err := query.Overview(ctx, s, p)
		fatal(r, err)
		tools, err := query.Tools(ctx, s, p)
		fatal(r, err)
		clients, err := query.Clients(ctx, s, p)
		fatal(r, err)
		checkMeasures(r, "overview", overview.Measures, overview.NotReported)
		var byTool, byClient, byStep query.Slices
		for _, l := range tools.Tools {
			line := query.Slices{OK: *l.OK, Empty: *l.Empty, BadArgs: *l.BadArgs, ToolError: *l.ToolError, Crashed: *l.Crashed}
			checkSum(r, "tool "+l.Tool, l.Calls, line)
			byTool = plus(byTool, line)
		}
		for _, l := range clients.Clients {
			line := query.Slices{OK: *l.OK, Empty: *l.Empty, BadArgs: *l.BadArgs, ToolError: *l.ToolError, Crashed: *l.Crashed}
			checkSum(r, "client "+l.Client, l.Calls, line)
			byClient = plus(byClient, line)
		}
		for _, b := range overview.Series {
			checkSum(r, "step "+b.At.String(), b.Calls, b.Slices)
			byStep = plus(byStep, b.Slices)
		}
		for name, sum := range map[string]query.Slices{"tools": byTool, "clients": byClient, "series": byStep} {
			if sum != overview.Slices {
				r.Errorf("the %s add up to %+v, the overview says %+v", name, sum, overview.Slices)
			}
		}
		for _, l := range tools.Tools[:min(2, len(tools.Tools))] {
			page, err := query.Tool(ctx, s, p, l.Tool)
			fatal(r, err)
			checkMeasures(r, "tool page", page.Measures, page.NotReported)
			row := query.Slices{OK: *l.OK, Empty: *l.Empty, BadArgs: *l.BadArgs, ToolError: *l.ToolError, Crashed: *l.Crashed}
			if diff := cmp.Diff(row, page.Slices) + cmp.Diff(*l.FirstCallSuccess, page.FirstCallSuccess) + cmp.Diff(*l.Retries, page.Retries) +
				cmp.Diff(l.P95US, page.LatencyUS.P95) + cmp.Diff(l.ResponseBytesAvg, page.Bytes.AvgResponse); diff != "" {
				r.Errorf("row and page of %q differ (-row +page):\n%s", l.Tool, diff)
			}
		}
	})
}

func fatal(r *rapid.T, err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func plus(a, b query.Slices) query.Slices {
	return query.Slices{a.OK + b.OK, a.Empty + b.Empty, a.BadArgs + b.BadArgs, a.ToolError + b.ToolError, a.Crashed + b.Crashed}
}

func checkSum(r *rapid.T, what string, calls int64, s query.Slices) {
	if sum := s.OK + s.Empty + s.BadArgs + s.ToolError + s.Crashed; sum != calls {
		r.Errorf("%s: slices add up to %d, calls are %d", what, sum, calls)
	}
}

func checkMeasures(r *rapid.T, what string, m query.Measures, blind []query.NotReported) {
	checkSum(r, what, m.Calls, m.Slices)
	o := m.Outcomes
	if sum := o.OK + o.BadArgs + o.ToolError + o.Crashed; sum != m.Calls || o.OK != m.Slices.OK+m.Slices.Empty {
		r.Errorf("%s: outcomes %+v of %d calls with slices %+v", what, o, m.Calls, m.Slices)
	}
	unseen := int64(0) // calls whose sender never says that an answer was empty
	for _, b := range blind {
		if slices.Contains(b.What, "empty") {
			unseen += b.Calls
		}
	}
	if (m.ErrorRate == nil) != (m.Calls == 0) || (m.EmptyRate == nil) != (m.Calls == unseen) {
		r.Errorf("%s: %d calls, %d of senders that cannot show empty, has error rate %t, empty rate %t",
			what, m.Calls, unseen, m.ErrorRate != nil, m.EmptyRate != nil)
	}
	if m.Calls > 0 && *m.ErrorRate != float64(o.BadArgs+o.ToolError+o.Crashed)/float64(m.Calls) {
		r.Errorf("%s: error rate %v of %+v", what, *m.ErrorRate, o)
	}
	if of := m.FirstCallSuccess.Of; (m.FirstCallSuccess.Rate == nil) != (of == 0) || of > m.Calls-m.NoSession-m.Retries || m.Retries > m.Reworded {
		r.Errorf("%s: first calls %+v, retries %d, reworded %d of %d calls", what, m.FirstCallSuccess, m.Retries, m.Reworded, m.Calls)
	}
	if _, err := json.Marshal(m); err != nil {
		r.Errorf("%s: %v", what, err)
	}
}

func TestNoCalls(t *testing.T) {
	listed := umpire.Event{
		ID: umpire.NewID(), Kind: "catalog", StartedAt: storetest.Base, Server: umpire.Peer{Name: "shop"},
		Tools: []umpire.ToolDefinition{{Name: "sell", Bytes: 40, Definition: "d1"}, {Name: "buy"}},
	}
	s := filled(t, listed)
	overview, err := query.Overview(t.Context(), s, params())
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(overview)
	for _, want := range []string{
		`"calls":0`, `"error_rate":null`, `"empty_rate":null`, `"latency_us":{"p50":null,"p95":null,"p99":null}`, `"calls_per_session":null`,
		`"bytes":{"request":null,"response":null,"avg_response":null}`, `"first_call_success":{"rate":null,"of":0}`, `"sessions":0`,
		`"latency_histogram":[]`, `"filters":{"project":["shop"]}`, `"range":{"from":"2026-05-04T11:00:00Z","to":"2026-05-04T14:00:00Z"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the overview has no %s: %s", want, text)
		}
	}
	tools, err := query.Tools(t.Context(), s, params())
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(40)
	want := []query.ToolLine{{Tool: "buy", Registered: true}, {Tool: "sell", Registered: true, DefinitionBytes: &bytes}}
	if diff := cmp.Diff(want, tools.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	page, err := query.Tool(t.Context(), s, params(), "sell")
	if err != nil || !page.Registered || page.Calls != 0 || len(page.Definitions) != 1 {
		t.Errorf("page of a tool without calls = %+v, %v", page, err)
	}
	text, _ = json.Marshal(page)
	for _, list := range []string{"clients", "failures", "bad_params", "empty_rules", "suspects", "before", "after", "latency_histogram"} {
		if !strings.Contains(string(text), `"`+list+`":[]`) {
			t.Errorf("%s is no empty list: %s", list, text)
		}
	}
}

func call(second int, tool string, outcome umpire.Outcome) umpire.Event {
	e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: storetest.Base.Add(time.Duration(second) * time.Second), Session: "s"}
	e.Tool, e.Outcome = tool, outcome
	return e
}

func TestToolNeverSeen(t *testing.T) {
	old := call(0, "search_books", umpire.OK)
	old.StartedAt = old.StartedAt.AddDate(-1, 0, 0)
	s := filled(t, old, call(0, "buy", umpire.OK))
	if page, err := query.Tool(t.Context(), s, params(), "search_books"); err != nil || page.Calls != 0 {
		t.Errorf("a tool of last year: %d calls, %v, want an empty page", page.Calls, err)
	}
	if page, err := query.Tool(t.Context(), s, params(func(f *store.Filter) { f.Client = []string{"nobody"} }), "buy"); err != nil || page.Calls != 0 {
		t.Errorf("a tool under another filter: %d calls, %v, want an empty page", page.Calls, err)
	}
	_, err := query.Tool(t.Context(), s, params(), "serch_books")
	if f := fault.From(err); f.Code != fault.NotFound || !strings.Contains(f.Hint, "search_books") {
		t.Errorf("a tool never seen: %v, want not found with the nearest name", err)
	}
	if _, err := query.Tool(t.Context(), s, params(func(f *store.Filter) { f.Project = 2 }), "buy"); fault.From(err).Code != fault.NotFound {
		t.Errorf("another project's tool: %v, want not found", err)
	}
}

func TestToolPage(t *testing.T) {
	failed := call(10, "find", umpire.BadArgs)
	failed.Cause, failed.Fingerprint, failed.ErrorStatus, failed.ErrorMessage = "schema", "f1", 404, "no"
	failed.BadParams = []umpire.BadParam{{Path: "/id", Rule: "type", Near: "ids"}}
	failed.Client = umpire.Peer{Name: "cursor", Version: "1"}
	odd := call(20, "find", umpire.OK)
	odd.Suspects, odd.Empty, odd.EmptyRule = []string{"error_text"}, true, "zero_count"
	s := filled(t, call(0, "login", umpire.OK), failed, odd, call(30, "buy", umpire.OK))
	page, err := query.Tool(t.Context(), s, params(), "find")
	if err != nil {
		t.Fatal(err)
	}
	status, at := int64(404), failed.StartedAt
	if diff := cmp.Diff([]query.Failure{{
		Fingerprint: "f1", Tool: "find", Outcome: "bad_args", Cause: "schema", ErrorType: "unknown", ErrorStatus: &status,
		Message: "no", Calls: 1, Clients: 1, FirstSeen: at, LastSeen: at, FirstEver: at, New: true, Samples: []string{failed.ID.String()},
		Versions: []query.NameCount{{"unknown", 1}}, Envs: []query.NameCount{{"unknown", 1}}, ClientNames: []query.NameCount{{"cursor", 1}},
	}}, page.Failures); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	got := []any{page.BadParams, page.EmptyRules, page.Suspects, page.Before, page.After, len(page.Clients), page.Clients[0].Client}
	want := []any{
		[]query.BadParam{{Path: "/id", Rule: "type", Calls: 1, Clients: 1, Near: "ids", Problem: "wrong type"}},
		[]query.NameCount{{"zero_count", 1}},
		[]query.NameCount{{"error_text", 1}},
		[]query.NameCount{{"find", 1}, {"login", 1}},
		[]query.NameCount{{"buy", 1}, {"find", 1}},
		2, "cursor",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPreviousIsTheWindowBefore(t *testing.T) {
	hour := func(n int) int { return n * 3600 }
	s := filled(t, call(hour(-2), "a", "ok"), call(hour(-1), "a", "crashed"), call(hour(0), "a", "ok"), call(hour(1), "a", "ok"), call(hour(2), "a", "ok"))
	p := params(func(f *store.Filter) { f.To = f.From.Add(2 * time.Hour) })
	got, err := query.Overview(t.Context(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	want := query.Range{From: p.Filter.From.Add(-2 * time.Hour), To: p.Filter.From}
	if got.Calls != 2 || got.Previous.Calls != 2 || *got.Previous.ErrorRate != 0.5 || got.Previous.Range != want {
		t.Errorf("%d calls, previous %+v", got.Calls, got.Previous)
	}
}

// TestPercentiles: merged histograms are within 2.2 % of the exact value, and the
// half microsecond of rounding.
func TestPercentiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		n := 1 + random.IntN(500)
		exact := make([]int64, n)
		whole := store.Histogram{}
		for i := range exact {
			exact[i] = int64(math.Exp(random.Float64() * math.Log(600e6))) // up to ten minutes
			whole[store.Bucket(exact[i])]++
		}
		slices.Sort(exact)
		for _, p := range []float64{0.01, 0.5, 0.95, 0.99, 1} {
			want := float64(exact[max(1, int(math.Ceil(p*float64(n))))-1])
			got := query.Percentile(whole, p)
			if got == nil || math.Abs(float64(*got)-want) > 0.022*want+0.5 {
				t.Fatalf("round %d: p%v of %d durations is %v, exactly %v", round, p*100, n, *got, want)
			}
		}
	}
	if got := query.Percentile(nil, 0.5); got != nil {
		t.Errorf("of nothing: %d, want nil", *got)
	}
}

func TestHistogramHoldsEveryDuration(t *testing.T) {
	var events []umpire.Event
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		us := int64(math.Exp(random.Float64() * math.Log(2000e6)))
		e := call(i, "find", umpire.OK)
		e.DurationUS = &us
		events = append(events, e)
	}
	got, err := query.Overview(t.Context(), filled(t, events...), params())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Histogram) < 15 || len(got.Histogram) > 31 {
		t.Errorf("%d bars", len(got.Histogram))
	}
	for i, bar := range got.Histogram {
		var want int64
		for _, e := range events {
			last := i == len(got.Histogram)-1 // holds all that is longer, too
			if us := *e.DurationUS; us >= bar.FromUS && (us < bar.ToUS || last) {
				want++
			}
		}
		if bar.Calls != want || bar.FromUS >= bar.ToUS || i > 0 && bar.FromUS != got.Histogram[i-1].ToUS {
			t.Errorf("bar %d = %+v, want %d calls", i, bar, want)
		}
	}
}

func TestSeriesHasNoGaps(t *testing.T) {
	s := filled(t, call(0, "a", "ok"), call(2*3600, "a", "crashed"))
	for _, c := range []struct {
		last, granularity, want string
		bars                    int
	}{
		{"1h", "", "5m", 12},
		{"6h", "", "15m", 24},
		{"24h", "", "1h", 24},
		{"7d", "", "6h", 29},
		{"14d", "", "12h", 29},
		{"30d", "", "1d", 31},
		{"90d", "", "7d", 14},
		{"365d", "", "28d", 15},
		{"24h", "30m", "30m", 48},
		{"7d", "1d", "1d", 8},
		{"7d", "28d", "28d", 2},
	} {
		p, err := query.Parse(url.Values{"last": {c.last}, "granularity": {c.granularity}}, now.Add(-time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		p.Filter.Project = 1
		got, err := query.Overview(t.Context(), s, p)
		if err != nil {
			t.Fatal(err)
		}
		if got.Granularity != c.want || len(got.Series) < c.bars-1 || len(got.Series) > c.bars {
			t.Errorf("last %s: %d bars of %s, want %d of %s", c.last, len(got.Series), got.Granularity, c.bars, c.want)
		}
		var calls int64
		for i, b := range got.Series {
			calls += b.Calls
			if i > 1 && b.At.Sub(got.Series[i-1].At) != got.Series[1].At.Sub(got.Series[0].At) {
				t.Errorf("last %s: a gap before %v", c.last, b.At)
			}
		}
		if calls != got.Calls {
			t.Errorf("last %s: the bars hold %d calls of %d", c.last, calls, got.Calls)
		}
	}
}

func TestFilterValues(t *testing.T) {
	e := call(0, "find", umpire.OK)
	e.Client.Name = "cursor"
	got, err := query.FilterValues(t.Context(), filled(t, e, call(1, "find", umpire.OK), call(2, "buy", umpire.OK)), params(func(f *store.Filter) { f.Tool = []string{"buy"} }))
	if err != nil {
		t.Fatal(err)
	}
	want := query.FacetsAnswer{
		Header: got.Header, Servers: []string{"unknown"}, Versions: []string{"unknown"}, Envs: []string{"unknown"},
		Tools: []string{"find", "buy"}, Clients: []string{"unknown", "cursor"}, Platforms: []string{"unknown"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPendingIsNotNarrowed(t *testing.T) {
	n := int64(3)
	p := params()
	s := filled(t)
	if got, err := query.Overview(t.Context(), s, p); err != nil || got.Pending != nil || got.NotFiltered != nil {
		t.Errorf("nobody says: %v, %v, %v", got.Pending, got.NotFiltered, err)
	}
	p.Pending = &n
	if got, err := query.Overview(t.Context(), s, p); err != nil || got.Pending == nil || *got.Pending != 3 {
		t.Errorf("no filter: %v, %v", got.Pending, err)
	}
	p.Filter.Client = []string{"cursor"}
	if got, err := query.Overview(t.Context(), s, p); err != nil || got.Pending != nil || !slices.Equal(got.NotFiltered, []string{"pending"}) {
		t.Errorf("under a filter: %v, %v, %v", got.Pending, got.NotFiltered, err)
	}
}
