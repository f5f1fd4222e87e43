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
			IsRetry: f.retry, Reworded: f.reword, Repeated: f.repeat, Intent: f.Intent,
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
