package storetest

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// hostile are texts that break what is careless.
var hostile = map[string]string{
	"quotes":    `'"` + "`" + `'); DROP TABLE events; -- $1 ? {{.}} %s \`,
	"nul":       "a\x00b\x00",
	"emoji":     "🧑‍⚖️ ⚾️",
	"rtl":       "\u202eevil\u202c שלום",
	"long":      strings.Repeat("ü", 5*1024),
	"newlines":  "a\r\nb\tc\u2028d",
	"blank":     " ",
	"json":      `{"a":[null]}`,
	"combining": "e\u0301 \U0010FFFF \uFEFF",
}

func hostileTexts(t *testing.T, b *bench) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			project := b.project()
			e := umpire.Event{
				ID: umpire.NewID(), Kind: "call", StartedAt: Base,
				Server: umpire.Peer{Name: text, Version: text, Env: text}, Client: umpire.Peer{Name: text, Version: text},
				Platform: text, Protocol: text, Transport: text, Session: text, User: text, SeenBy: text,
				SDK: umpire.Peer{Name: text, Version: text}, InputKeys: []string{text}, InputTypes: map[string]string{text: text},
				Intent: text, TraceID: text, SpanID: text, Definition: text, Meta: map[string]any{text: text},
			}
			quoted, _ := json.Marshal(text)
			e.Input, e.Output = quoted, quoted
			e.Tool, e.Outcome, e.Cause, e.Evidence, e.HandlerRan = text, umpire.BadArgs, text, text, text
			e.ErrorType, e.ErrorMessage, e.Fingerprint, e.ArgsHash, e.AskHash, e.EmptyRule = text, text, text, text, text, text
			e.BadParams = []umpire.BadParam{{Path: text, Rule: text, Near: text}}
			e.Near, e.Suspects = []string{text, text}, []string{text}
			ok, other, alien := e, e, e
			ok.ID, ok.Outcome, ok.Empty = umpire.NewID(), umpire.OK, true
			other.ID, other.Cause = umpire.NewID(), "unknown_tool"
			alien.ID, alien.Kind = umpire.NewID(), text
			b.all = b.all[:0]
			b.put(t, project, []umpire.Event{e, ok, other, alien})
			one := []string{text}
			f := store.Filter{Project: project, From: Base, To: Base.Add(time.Hour)}
			f.Server, f.Version, f.Env, f.Tool, f.Client, f.Platform = one, one, one, one, one, one
			b.check(t, f)
			f.ErrorType, f.Fingerprint, f.Session, f.User = one, one, one, one
			f.Cause = []string{text, "unknown_tool"}
			b.check(t, f)
			if got, err := b.Totals(context.Background(), f); err != nil || got.Calls != 3 {
				t.Errorf("%d calls, %v; want 3", got.Calls, err)
			}
		})
	}
	t.Run("not UTF-8", func(t *testing.T) {
		e := call(0, "a\xff\xfeb", umpire.OK, "")
		project := b.project()
		b.put(t, project, []umpire.Event{e})
		rows, err := b.ByTool(context.Background(), store.Filter{Project: project, From: Base, To: Base.Add(time.Hour)})
		if err != nil || len(rows) != 1 || rows[0].Tool != "a\uFFFDb" {
			t.Errorf("ByTool = %+v, %v; want the tool with its bad bytes replaced", rows, err)
		}
	})
}

// absurdNumbers must stop neither the queue nor a sum.
func absurdNumbers(t *testing.T, b *bench) {
	n := func(v int64) *int64 { return &v }
	var events []umpire.Event
	for _, v := range []int64{math.MaxInt64, math.MaxInt64, math.MinInt64, -1} {
		e := call(0, "find", umpire.OK, "a")
		e.DurationUS, e.RequestBytes, e.ResponseBytes, e.ErrorStatus, e.Rules = n(v), n(v), n(v), int(v), int(v)
		events = append(events, e)
	}
	early, late := call(0, "find", umpire.OK, "a"), call(0, "find", umpire.OK, "a")
	early.StartedAt, late.StartedAt = time.Time{}, time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
	b.put(t, 1, append(events, early, late))
	for _, f := range []store.Filter{
		{Project: 1, From: Base, To: Base.Add(time.Hour), Now: Base},
		{Project: 1, From: time.Unix(0, 0).UTC(), To: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), Now: Base},
	} {
		rollup, err := ask(b, f)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ask(b, raw(f))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rollup, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("rollups and raw events differ (-rollups +raw):\n%s", diff)
		}
		if rollup.Totals.Calls != 4 {
			t.Errorf("%d calls, want 4", rollup.Totals.Calls)
		}
	}
}

func catalog(t *testing.T, b *bench) {
	ctx := context.Background()
	at := func(second int) time.Time { return Base.Add(time.Duration(second) * time.Second) }
	listed := func(second int, server string, tools ...umpire.ToolDefinition) umpire.Event {
		return umpire.Event{ID: umpire.NewID(), Kind: "catalog", StartedAt: at(second), Server: umpire.Peer{Name: server, Version: "1"}, Tools: tools}
	}
	find1 := umpire.ToolDefinition{Name: "find", Title: "Find", Description: "finds", Definition: "d1", Bytes: 100, InputSchema: json.RawMessage(`{"type":"object"}`)}
	find2 := umpire.ToolDefinition{Name: "find", Title: "Find it", Description: "finds it", Definition: "d2", Bytes: 120}
	buy := umpire.ToolDefinition{Name: "buy", Definition: "d3", Bytes: 50}
	b.put(t, 1, []umpire.Event{
		listed(20, "shop", find2), // the newer definition arrives first
		listed(0, "shop", find1, buy),
		listed(30, "other", find1),
		listed(10, "shop", find1, buy),
	}, 1, 2)
	b.put(t, 2, []umpire.Event{listed(0, "shop", buy)})
	shopFind := store.CatalogRow{
		Server: "shop", Env: store.Unknown, Tool: "find", Title: "Find it", Description: "finds it", Definition: "d2", Bytes: 120,
		FirstSeen: at(0), LastSeen: at(20),
	}
	shopBuy := store.CatalogRow{Server: "shop", Env: store.Unknown, Tool: "buy", Definition: "d3", Bytes: 50, FirstSeen: at(0), LastSeen: at(10)}
	otherFind := store.CatalogRow{
		Server: "other", Env: store.Unknown, Tool: "find", Title: "Find", Description: "finds", Definition: "d1", Bytes: 100,
		InputSchema: `{"type":"object"}`, FirstSeen: at(30), LastSeen: at(30),
	}
	for _, c := range []struct {
		name   string
		filter store.Filter
		want   []store.CatalogRow
	}{
		{"all", store.Filter{Project: 1}, []store.CatalogRow{otherFind, shopBuy, shopFind}},
		{"server", store.Filter{Project: 1, Server: []string{"shop"}}, []store.CatalogRow{shopBuy, shopFind}},
		{"tool", store.Filter{Project: 1, Tool: []string{"find"}, Server: []string{"shop"}}, []store.CatalogRow{shopFind}},
		{"version", store.Filter{Project: 1, Version: []string{"2"}}, nil},
		{"another project", store.Filter{Project: 3}, nil},
	} {
		got, err := b.Catalog(ctx, c.filter)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
	got, err := b.Definitions(ctx, store.Filter{Project: 1, Server: []string{"shop"}}, "find")
	want := []store.DefinitionRow{
		{Definition: "d1", Title: "Find", Description: "finds", InputSchema: `{"type":"object"}`, Bytes: 100, FirstSeen: at(0), LastSeen: at(10)},
		{Definition: "d2", Title: "Find it", Description: "finds it", Bytes: 120, FirstSeen: at(20), LastSeen: at(20)},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Definitions: %v (-want +got):\n%s", err, diff)
	}
}

func ids(t *testing.T, b *bench) {
	ctx := context.Background()
	var events []umpire.Event
	for i := range 10 {
		events = append(events, call(i, "find", umpire.OK, ""))
	}
	events[2].SeenBy = "sdk"
	b.put(t, 1, events[:5])
	b.put(t, 2, events[5:])
	strange := umpire.ID{0xff, 0xee, 15: 1}
	events[0].ID, events[1].ID = strange, umpire.ID{15: 1}
	b.put(t, 1, events[:2])
	asked := []umpire.ID{strange, {15: 1}, events[2].ID, events[7].ID, umpire.NewID()}
	got, err := b.Known(ctx, 1, asked)
	want := map[umpire.ID]string{strange: "", {15: 1}: "", events[2].ID: "sdk"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Known: %v (-want +got):\n%s", err, diff)
	}
	if got, err := b.Known(ctx, 1, nil); err != nil || len(got) != 0 {
		t.Errorf("Known of nothing = %v, %v", got, err)
	}
	var recent []umpire.ID
	since := events[7].StartedAt.Add(time.Second) // put receives an event a second after its start
	err = b.RecentIDs(ctx, since, func(project uint32, id umpire.ID) {
		if project == 2 {
			recent = append(recent, id)
		}
	})
	slices.SortFunc(recent, func(a, b umpire.ID) int { return strings.Compare(a.String(), b.String()) })
	if diff := cmp.Diff([]umpire.ID{events[7].ID, events[8].ID, events[9].ID}, recent, cmpopts.SortSlices(func(a, b umpire.ID) bool { return a.String() < b.String() })); err != nil || diff != "" {
		t.Errorf("RecentIDs: %v (-want +got):\n%s", err, diff)
	}
}

func deleteProject(t *testing.T, b *bench) {
	ctx := context.Background()
	for project := range uint32(2) {
		b.put(t, project+1, []umpire.Event{
			call(0, "find", umpire.BadArgs, "a"), call(5, "find", umpire.OK, "b"),
			{ID: umpire.NewID(), Kind: "dance", StartedAt: Base},
			{ID: umpire.NewID(), Kind: "catalog", StartedAt: Base, Tools: []umpire.ToolDefinition{{Name: "find"}}},
		})
	}
	if err := b.DeleteProject(ctx, 1); err != nil {
		t.Fatal(err)
	}
	b.all = slices.DeleteFunc(b.all, func(e store.Entry) bool { return e.Project == 1 })
	for project := range uint32(2) {
		f := store.Filter{Project: project + 1, From: Base, To: Base.Add(Span)}
		b.check(t, f)
		listed, err := b.Catalog(ctx, f)
		if err != nil || len(listed) != int(project) {
			t.Errorf("project %d has %d listed tools, %v; want %d", project+1, len(listed), err, project)
		}
	}
	b.put(t, 1, []umpire.Event{call(7, "find", umpire.OK, "c")}) // the number may be used again
	b.check(t, store.Filter{Project: 1, From: Base, To: Base.Add(Span)})
}
