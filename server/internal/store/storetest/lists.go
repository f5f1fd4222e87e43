package storetest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// part of a list: few, so that lists have several.
const partOfList = 13

// allCalls reads the list of calls part by part.
func allCalls(r store.Reader, f store.Filter) (all []store.CallRow, err error) {
	var behind store.Place
	for {
		rows, err := r.CallList(context.Background(), f, behind, partOfList)
		if err != nil || len(rows) == 0 {
			return all, err
		}
		all = append(all, rows...)
		last := rows[len(rows)-1]
		behind = store.Place{At: last.StartedAt, ID: last.ID}
	}
}

// newestFirst is the order of lists.
func newestFirst(a, b fact) int {
	return cmp.Or(b.start.Compare(a.start), bytes.Compare(b.ID[:], a.ID[:]))
}

func (r recount) callRows(q store.Filter) []store.CallRow {
	calls := r.calls(q)
	slices.SortFunc(calls, newestFirst)
	var rows []store.CallRow
	for _, f := range calls {
		rows = append(rows, store.CallRow{
			ID: f.ID, StartedAt: f.start, Tool: known(f.Tool),
			Server: known(f.Server.Name), Version: known(f.Server.Version), Env: known(f.Server.Env),
			Client: known(f.Client.Name), ClientVersion: f.Client.Version, Platform: known(f.Platform),
			Session: known(f.Session), User: known(f.User), SeenBy: known(f.SeenBy),
			Slice: string(f.Slice()), Outcome: string(f.Outcome), Cause: f.failure(f.Cause), EmptyRule: f.EmptyRule,
			Evidence: f.Evidence, ErrorType: f.failure(f.ErrorType), ErrorStatus: int64(f.ErrorStatus),
			ErrorMessage: f.ErrorMessage, Fingerprint: f.failure(f.Fingerprint), Suspects: f.Suspects,
			DurationUS: f.DurationUS, RequestBytes: f.RequestBytes, ResponseBytes: f.ResponseBytes,
			ArgsHash: f.ArgsHash, IsRetry: f.retry, Reworded: f.reword, Repeated: f.repeat, Intent: f.Intent,
		})
	}
	return rows
}

// oneEvent: what went in comes out, of every kind, with the marks of Apply.
func oneEvent(t *testing.T, b *bench) {
	ctx := context.Background()
	events := rapid.SliceOfN(Event(), 25, 25).Example(3)
	us := int64(12)
	full := umpire.Event{
		ID: umpire.NewID(), Kind: "call", StartedAt: Base.Add(1234567 * time.Nanosecond), Protocol: "2025-11-25", Transport: "stdio",
		Session: "s1", User: "u", SeenBy: "sdk", SDK: umpire.Peer{Name: "umpire-go", Version: "0.1"}, Rules: 1,
		InputKeys: []string{"a", "b"}, InputTypes: map[string]string{"a": "string"}, Input: json.RawMessage(`{"a":"<b>"}`),
		Output: json.RawMessage(`["x"]`), Intent: "to see", TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331",
		Definition: "0011223344556677", Meta: map[string]any{"plan": "free", "n": 1.5, "list": []any{"a"}},
	}
	full.Tool, full.Outcome, full.Evidence, full.HandlerRan, full.DurationUS, full.Late = "find", umpire.OK, "observed", "yes", &us, true
	listed := umpire.Event{ID: umpire.NewID(), Kind: "catalog", StartedAt: Base, Tools: []umpire.ToolDefinition{{Name: "find", InputSchema: json.RawMessage(`{}`)}}}
	b.put(t, 1, append(events, full, listed), 9)
	whole := store.Filter{Project: 1, From: Base, To: Base.Add(Span)}
	for _, f := range b.all.facts() {
		got, err := b.Event(ctx, whole, f.ID)
		if err != nil || got == nil {
			t.Fatalf("Event(%s) = %v, %v", f.ID, got, err)
		}
		want := store.Stored{Event: f.Event, ReceivedAt: f.StartedAt.Add(time.Second).UTC().Truncate(time.Microsecond), EndedAt: f.end}
		want.StartedAt, want.IsRetry, want.Reworded, want.Repeated = f.start, f.retry, f.reword, f.repeat
		if diff := gocmp.Diff(want, *got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the event differs from what went in (-in +out):\n%s", diff)
		}
		other, before := whole, whole
		other.Project = 2
		before.To = f.start
		for _, f2 := range []store.Filter{other, before} {
			if got, err := b.Event(ctx, f2, f.ID); got != nil || err != nil {
				t.Errorf("an event of another project or range is found: %+v, %v", got, err)
			}
		}
	}
	if got, err := b.Event(ctx, whole, umpire.NewID()); got != nil || err != nil {
		t.Errorf("an event that is not there is found: %+v, %v", got, err)
	}
}

// allSessions reads the list of sessions part by part, as far back as since says.
func allSessions(r store.Reader, f store.Filter, since time.Time, asked store.SessionsAsked) (all []store.SessionRow, err error) {
	for {
		rows, err := r.SessionList(context.Background(), f, since, asked, 2)
		if err != nil || len(rows) == 0 {
			return all, err
		}
		all = append(all, rows...)
		last := rows[len(rows)-1]
		asked.Behind, asked.Session = last.LastAt, last.Session
	}
}

func (r recount) sessionRows(q store.Filter, since time.Time, asked store.SessionsAsked) []store.SessionRow {
	parts := map[string][]fact{}
	for _, f := range r.calls(q) {
		if f.Session != "" {
			parts[f.part] = append(parts[f.part], f)
		}
	}
	var rows []store.SessionRow
	for _, calls := range parts {
		oldestFirst(calls)
		row := store.SessionRow{Session: calls[0].Session, FirstAt: calls[0].start, Loop: loops(calls)}
		tools := map[string]bool{}
		for _, f := range calls {
			count(&row.Counts, f)
			row.LastAt, row.LastEnd = f.start, latest(row.LastEnd, f.end)
			add(&row.Retries, f.retry)
			add(&row.Reworded, f.reword)
			tools[known(f.Tool)] = true
			row.Client, row.ClientVersion, row.User = known(f.Client.Name), f.Client.Version, known(f.User)
		}
		row.Tools = int64(len(tools))
		failed := row.BadArgs+row.ToolError+row.Crashed > 0
		if row.LastAt.Before(since) || asked.Failed && !failed || asked.Loops && !row.Loop {
			continue
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b store.SessionRow) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt), cmp.Compare(a.Session, b.Session))
	})
	return rows
}

// loops tells by the letter of outcomes.md 6.4 whether calls in their order hold a loop.
func loops(calls []fact) bool { return len(looping(calls)) > 0 }

// repeated is what is asked, and how that ended.
type repeated struct{ tool, args, slice string }

func (f fact) asks() repeated { return repeated{f.Tool, f.ArgsHash, string(f.Slice())} }

// looping are what the calls of a session, oldest first, ask again and again.
func looping(calls []fact) map[repeated]bool {
	in, n := map[repeated]bool{}, map[repeated]int{}
	for i, f := range calls {
		if f.ArgsHash == "" {
			continue
		}
		a := f.asks()
		if n[a]++; n[a] == 4 {
			in[a] = true
		}
		if i < 5 {
			continue
		}
		b, turns := calls[i-1].asks(), true
		for j := range 6 {
			want := a
			if j%2 == 1 {
				want = b
			}
			turns = turns && calls[i-j].ArgsHash != "" && calls[i-j].asks() == want
		}
		if turns && a != b {
			in[a], in[b] = true, true
		}
	}
	return in
}

// sessionLists: of sessions that meet often, with loops of both kinds.
func sessionLists(t *testing.T, b *bench) {
	Check(t, 12, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		var events []umpire.Event
		for i := range rapid.IntRange(0, 4).Draw(t, "sessions") {
			session := pick(t, "name", "s1", "s2", "derived-1", "derived-2")
			for j := range rapid.IntRange(1, 9).Draw(t, "calls") {
				e := call(20*i+j, pick(t, "tool", "find", "find", "buy"), pick(t, "outcome", umpire.OK, umpire.OK, umpire.Crashed), pick(t, "args", "", "a", "a", "b"))
				e.StartedAt = e.StartedAt.Add(pick(t, "later", 0, 0, 29*time.Minute, time.Hour))
				e.Session = session
				events = append(events, e)
			}
		}
		b.put(t, project, append(events, many(t, Event(), 20)...), sizes(t)...)
		f := Filter(project).Draw(t, "filter")
		since := pick(t, "since", f.From, f.From, f.From.Add(time.Hour))
		asked := store.SessionsAsked{Failed: rapid.Bool().Draw(t, "failed"), Loops: rapid.Bool().Draw(t, "loops")}
		got, err := allSessions(b, f, since, asked)
		if err != nil {
			t.Fatalf("SessionList: %v", err)
		}
		if diff := gocmp.Diff(b.all.sessionRows(f, since, asked), got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v since %v, %+v: differs from the recount (-want +got):\n%s", f, since, asked, diff)
		}
		b.sessionSpans(t, project)
	})
}

// sessionSpans: the parts of derived sessions hold each of their calls once, and the
// span of a session all of its calls.
func (b *bench) sessionSpans(t fataler, project uint32) {
	t.Helper()
	whole := store.Filter{Project: project, From: Base.Add(-time.Hour), To: Base.Add(2 * Span)}
	named := map[string]string{} // the store's part and the recount's name the same calls
	for _, f := range b.all.calls(store.Filter{Project: project, From: Base, To: Base.Add(Span)}) {
		if f.Session == "" {
			continue
		}
		from, to, found, err := b.SessionSpan(context.Background(), project, f.Session)
		if err != nil || !found || f.start.Before(from) || !f.start.Before(to) {
			t.Errorf("the call at %v lies outside of its session's span %v to %v, %v, %v", f.start, from, to, found, err)
		}
		if f.part == f.Session {
			continue
		}
		parts, err := b.SessionParts(context.Background(), whole, f.Session)
		if err != nil {
			t.Fatalf("SessionParts: %v", err)
		}
		i := slices.IndexFunc(parts, func(p store.SessionPart) bool {
			return !f.start.Before(p.From) && (p.To.IsZero() || f.start.Before(p.To)) && !f.start.After(p.LastEnd)
		})
		if i < 0 {
			t.Errorf("the call at %v is in none of the parts %+v", f.start, parts)
			continue
		}
		name := f.Session + parts[i].From.String()
		if other, known := named[name]; known && other != f.part {
			t.Errorf("%s holds calls of %s and %s", name, other, f.part)
		}
		named[name] = f.part
	}
	if _, _, found, err := b.SessionSpan(context.Background(), project, "nobody"); found || err != nil {
		t.Errorf("a session that never called has a span: %v", err)
	}
}
