package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Run tests the store that open opens, empty each time, by all tests or only those of
// the names. It closes what it opens.
func Run(t *testing.T, open func(t testing.TB) store.Store, only ...string) { run(t, 1, open, only...) }

func run(t *testing.T, every int, open func(t testing.TB) store.Store, only ...string) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s *bench)
	}{
		{"AnswersEqualARecount", answersEqualARecount},
		{"OrderOfArrivalIsNothing", orderOfArrivalIsNothing},
		{"WholeDaysAndHours", wholeDaysAndHours},
		{"ReplayIsHarmless", replayIsHarmless},
		{"RecentFirstCallsWait", recentFirstCallsWait},
		{"LateCallsCorrectRetries", lateCallsCorrectRetries},
		{"DerivedSessionsEnd", derivedSessionsEnd},
		{"WhatCameNext", whatCameNext},
		{"BucketsAreThoseOfGo", bucketsAreThoseOfGo},
		{"HostileTexts", hostileTexts},
		{"AbsurdNumbers", absurdNumbers},
		{"Catalog", catalog},
		{"ReadsAreNoCalls", readsAreNoCalls},
		{"Ids", ids},
		{"SDKReplacesProxy", sdkReplacesProxy},
		{"WholeReplacesHalf", wholeReplacesHalf},
		{"DeleteProject", deleteProject},
		{"OneEvent", oneEvent},
		{"SessionLists", sessionLists},
		{"People", people},
		{"Changes", changesAreSeen},
		{"WholeTables", wholeTables},
		{"Retention", retention},
		{"KeptSessionsStayWhole", keptSessionsStayWhole},
		{"Erasure", erasure},
	} {
		if len(only) > 0 && !slices.Contains(only, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			defer func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}()
			c.test(t, &bench{Store: s, every: every})
		})
	}
}

// Recounted fails the test where the store's answers differ from a recount of the
// entries.
func Recounted(t *rapid.T, s store.Store, entries []store.Entry, f store.Filter) {
	(&bench{Store: s, all: entries}).check(t, f)
}

// Check is rapid.Check with n checks, unless the command line says how many: a
// check that applies batches and asks questions takes a tenth of a second.
func Check(t *testing.T, n int, property func(*rapid.T)) {
	const standard = "100"
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == standard {
		if err := f.Value.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
		defer f.Value.Set(standard) //nolint:errcheck // it took another number before
	}
	rapid.Check(t, property)
}

// bench is a store under test with what was put into it.
type bench struct {
	store.Store
	seq      uint64
	projects uint32
	all      recount
	// every and turns: see RunSome.
	every, turns int
}

// project returns a number that no event has yet.
func (b *bench) project() uint32 {
	b.projects++
	return b.projects
}

// entry gives the event its place in the log.
func (b *bench) entry(project uint32, e umpire.Event) store.Entry {
	b.seq++
	return store.Entry{Seq: b.seq, Project: project, ReceivedAt: e.StartedAt.Add(time.Second), Event: e}
}

// put applies events in batches of the sizes, the rest in one.
func (b *bench) put(t fataler, project uint32, events []umpire.Event, sizes ...int) {
	t.Helper()
	for len(events) > 0 {
		n := len(events)
		if len(sizes) > 0 {
			n, sizes = min(n, max(1, sizes[0])), sizes[1:]
		}
		var batch []store.Entry
		for _, e := range events[:n] {
			batch = append(batch, b.entry(project, e))
		}
		if err := b.Apply(context.Background(), batch); err != nil {
			t.Fatalf("Apply: %v", err)
		}
		b.all, events = append(b.all, batch...), events[n:]
	}
}

// fataler is what *testing.T and *rapid.T have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// answers are all that can be asked under a filter.
type answers struct {
	Totals         store.Totals
	Apart          [][2]store.Totals // at the moments of apart
	Series         map[string][]store.Point
	Tools          []store.ToolRow
	Clients        []store.ClientRow
	ClientVersions []store.ClientVersionRow
	Unknown        []store.UnknownToolRow
	Failures       []store.FailureRow
	BadParams      []store.BadParamRow
	EmptyRules     []store.NameCount
	Suspects       []store.NameCount
	Before, After  []store.NameCount
	Facets         store.Facets
	Senders        []store.SenderRow
	Calls          []store.CallRow
}

const limit = 4

var steps = []time.Duration{time.Minute, 2 * time.Hour, 7 * 24 * time.Hour}

func ask(r store.Reader, f store.Filter) (a answers, err error) {
	for _, q := range questions {
		err = errors.Join(err, q.ask(r, f, &a))
	}
	return a, err
}

func (r recount) answers(f store.Filter) (a answers) {
	a.Totals = r.totals(f)
	for _, at := range apart(f) {
		early, late := f, f
		early.To, late.From = at, at
		a.Apart = append(a.Apart, [2]store.Totals{r.totals(early), r.totals(late)})
	}
	a.Series = map[string][]store.Point{}
	for _, step := range steps {
		a.Series[step.String()] = r.series(f, step)
	}
	a.Tools, a.Clients, a.Unknown = r.byTool(f), r.byClient(f), r.unknownTools(f, limit)
	a.ClientVersions = r.clientVersions(f, limit)
	a.Failures, a.BadParams = r.failures(f, limit), r.badParams(f, limit)
	a.EmptyRules, a.Suspects = r.emptyRules(f), r.suspects(f)
	a.Before, a.After = r.neighbours(f, limit)
	a.Facets = r.facets(f)
	a.Senders = r.senders(f, limit)
	a.Calls = r.callRows(f)
	return a
}

// check compares the store's answers with the recount's, from the rollups if they
// can answer, and from raw events.
func (b *bench) check(t fataler, f store.Filter) {
	t.Helper()
	b.turns++
	want := b.all.answers(f)
	sources := []struct {
		name   string
		filter store.Filter
	}{{"as asked", f}, {"raw", raw(f)}}
	if !f.FromRollups() {
		sources = sources[:1]
	}
	for _, source := range sources {
		got, err := b.ask(source.filter, want)
		if err != nil {
			t.Fatalf("%s: %v", source.name, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s, rollups %v, %+v: differs from the recount (-want +got):\n%s", source.name, source.filter.FromRollups(), f, diff)
		}
	}
	if b.turn(1) {
		b.checkCompared(t, f)
	}
	if b.turn(2) {
		b.checkFailures(t, f)
	}
	if b.turn(3) {
		b.checkWide(t, f)
	}
}

// raw is the same filter, with one more that narrows nothing but that only raw
// events hold.
func raw(f store.Filter) store.Filter {
	if len(f.Slice) == 0 {
		f.Slice = []string{"ok", "empty", "bad_args", "tool_error", "crashed", store.Unknown}
	}
	return f
}

// sizes draws how a list is cut into batches.
func sizes(t *rapid.T) []int { return rapid.SliceOfN(rapid.IntRange(1, 12), 0, 4).Draw(t, "batches") }

// many draws events: most often n of them, because a rapid slice is mostly short.
func many(t *rapid.T, of *rapid.Generator[umpire.Event], n int) []umpire.Event {
	size := pick(t, "size", n, n, n, n/2, 1, 0)
	return rapid.SliceOfN(of, size, size).Draw(t, "events")
}

func answersEqualARecount(t *testing.T, b *bench) {
	Check(t, 15, func(t *rapid.T) {
		b.all = b.all[:0] // the others' events stay in the store: a project sees only its own
		project := b.project()
		b.put(t, project, many(t, Event(), 40), sizes(t)...)
		for range 2 {
			b.check(t, Filter(project).Draw(t, "filter"))
		}
	})
}

func orderOfArrivalIsNothing(t *testing.T, b *bench) {
	Check(t, 15, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		events := append(many(t, Call("s"), 20), many(t, Event(), 10)...)
		b.put(t, project, rapid.Permutation(events).Draw(t, "arrival"), sizes(t)...)
		b.check(t, store.Filter{Project: project, From: Base, To: Base.Add(Span)})
		seen := map[time.Time]bool{}
		for _, f := range b.all.facts() { // each moment's own marks
			if seen[f.start] {
				continue
			}
			seen[f.start] = true
			one := store.Filter{Project: project, From: f.start, To: f.start.Add(time.Microsecond)}
			got, err := b.Totals(context.Background(), one)
			if err != nil {
				t.Fatalf("Totals: %v", err)
			}
			if diff := cmp.Diff(b.all.totals(one), got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("at %v (-want +got):\n%s", f.start, diff)
			}
		}
	})
}

func replayIsHarmless(t *testing.T, b *bench) {
	ctx := context.Background()
	if n, err := b.Position(ctx); n != 0 || err != nil {
		t.Fatalf("Position of a new store = %d, %v", n, err)
	}
	events := rapid.SliceOfN(Event(), 20, 20).Example(7)
	b.put(t, 1, events)
	for _, again := range [][]store.Entry{b.all, b.all[3:9], nil} {
		if err := b.Apply(ctx, again); err != nil {
			t.Fatalf("Apply again: %v", err)
		}
	}
	more := b.entry(1, Event().Example(8))
	overlap := append(append([]store.Entry{}, b.all[15:]...), more)
	if err := b.Apply(ctx, overlap); err != nil {
		t.Fatalf("Apply of an overlap: %v", err)
	}
	b.all = append(b.all, more)
	b.check(t, store.Filter{Project: 1, From: Base, To: Base.Add(Span)})
	if n, err := b.Position(ctx); n > more.Seq || err != nil {
		t.Errorf("Position = %d, %v, want %d at most", n, err, more.Seq)
	}
	if _, err := b.Expire(ctx, 1, time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Position(ctx); n != more.Seq || err != nil {
		t.Errorf("Position = %d, %v, want %d", n, err, more.Seq)
	}
}

// call is a plain call of a session.
func call(second int, tool string, outcome umpire.Outcome, ask string) umpire.Event {
	e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: Base.Add(time.Duration(second) * time.Second), Session: "s"}
	us := int64(1_000_000)
	e.Tool, e.Outcome, e.AskHash, e.ArgsHash, e.DurationUS = tool, outcome, ask, ask, &us
	return e
}

func recentFirstCallsWait(t *testing.T, b *bench) {
	b.put(t, 1, []umpire.Event{call(0, "find", umpire.OK, "a"), call(10, "buy", umpire.Crashed, "b")})
	for _, c := range []struct {
		second        float64
		firstCalls, n int64
	}{{0, 0, 0}, {30.9, 0, 0}, {31, 1, 1}, {40.9, 1, 1}, {41, 2, 1}, {9999, 2, 1}} {
		for _, f := range []store.Filter{
			{Project: 1, From: Base, To: Base.Add(time.Hour)},
			raw(store.Filter{Project: 1, From: Base, To: Base.Add(time.Hour)}),
		} {
			f.Now = Base.Add(time.Duration(c.second * float64(time.Second)))
			got, err := b.Totals(context.Background(), f)
			if err != nil || got.FirstCalls != c.firstCalls || got.FirstOK != c.n {
				t.Errorf("after %v s: %d of %d, %v; want %d of %d", c.second, got.FirstOK, got.FirstCalls, err, c.n, c.firstCalls)
			}
			if got.Calls != 2 {
				t.Errorf("after %v s: %d calls, want 2", c.second, got.Calls)
			}
		}
	}
}

func lateCallsCorrectRetries(t *testing.T, b *bench) {
	whole := store.Filter{Project: 1, From: Base, To: Base.Add(time.Hour)}
	for _, c := range []struct {
		name              string
		event             umpire.Event
		retries, reworded int64
	}{
		{"a first call", call(60, "find", umpire.OK, "c"), 0, 0},
		{"the failed call before it, late", call(40, "find", umpire.BadArgs, "a"), 1, 1},
		{"one between the two that was ok, later still", call(50, "find", umpire.OK, "b"), 1, 2},
		{"another tool changes nothing", call(55, "buy", umpire.Crashed, "x"), 1, 2},
		{"the same question again is no rewording", call(65, "find", umpire.OK, "c"), 1, 2},
		{"after 30 seconds it is a new question", call(97, "find", umpire.OK, "d"), 1, 2},
		{"within 30 seconds it is not, and the one after 30 seconds now follows this one", call(96, "find", umpire.OK, "e"), 1, 4},
	} {
		b.put(t, 1, []umpire.Event{c.event})
		got, err := b.Totals(context.Background(), whole)
		if err != nil || got.Retries != c.retries || got.Reworded != c.reworded {
			t.Errorf("%s: %d retries, %d reworded, %v; want %d, %d", c.name, got.Retries, got.Reworded, err, c.retries, c.reworded)
		}
		b.check(t, whole)
	}
}

func bucketsAreThoseOfGo(t *testing.T, b *bench) {
	var events []umpire.Event
	add := func(us int64) {
		e := call(len(events), fmt.Sprint(us), umpire.OK, "")
		e.DurationUS = &us
		events = append(events, e)
	}
	for bit := range 31 { // the powers of two, where a rounding error would show
		for _, off := range []int64{-1, 0, 1} {
			add(max(0, int64(1)<<bit+off))
		}
	}
	const longest = int64(366 * 24 * time.Hour / time.Microsecond) // what a store clamps to
	for bucket := range store.Buckets + 1 {                        // and every other bound
		add(min(longest, int64(store.BucketFrom(bucket))))
		add(min(longest, int64(store.BucketFrom(bucket))+1))
	}
	b.put(t, 1, events)
	b.check(t, store.Filter{Project: 1, From: Base, To: Base.Add(Span)})
}
