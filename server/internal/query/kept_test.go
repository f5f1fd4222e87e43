package query_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
)

// Beyond the retention of single events rollups answer as before; what needs single
// events is null and named, or refused where it is the whole question.
func TestBeyondRetention(t *testing.T) {
	db, err := duckdb.Open(t.Context(), "", duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	first := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	cut := first.AddDate(0, 0, 2)
	var batch []store.Entry
	for i := range 96 { // one an hour, over four days
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: first.Add(time.Duration(i)*time.Hour + time.Minute), Session: "s", User: "u"}
		e.Tool, e.Outcome, e.Fingerprint, e.Cause = "find", umpire.ToolError, "f", "result"
		batch = append(batch, store.Entry{Seq: uint64(i + 1), Project: 1, ReceivedAt: e.StartedAt, Event: e})
	}
	if err := db.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	ask := func(from, to time.Time, user ...string) query.Params {
		return query.Params{Filter: store.Filter{Project: 1, From: from, To: to, User: user}}
	}
	whole := ask(first, first.AddDate(0, 0, 4))
	before, err := query.Tool(t.Context(), db, whole, "find")
	if err != nil || before.Calls != 96 || len(before.Failures) != 1 || before.NotFiltered != nil {
		t.Fatalf("%+v, %v", before, err)
	}
	if n, err := db.Expire(t.Context(), 1, cut, time.Time{}); err != nil || n != 48 {
		t.Fatalf("Expire = %d, %v", n, err)
	}
	after, err := query.Tool(t.Context(), db, whole, "find")
	if err != nil || after.Calls != 96 || after.Slices != before.Slices || *after.Sessions != 1 {
		t.Errorf("%+v, %v", after, err)
	}
	text, err := json.Marshal(after)
	for _, want := range []string{
		`"bad_params":null`, `"empty_rules":null`, `"suspects":null`, `"before":null`, `"after":null`, `"next":null`,
		`"not_filtered":["after","bad_params","before","empty_rules","suspects","next"]`,
		`"calls":96,"clients":1,"first_seen":"2026-05-01T00:01:00Z"`, // failures have a rollup of their own
	} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s, %v", want, text, err)
		}
	}
	tools, err := query.Tools(t.Context(), db, whole)
	if err != nil || tools.UnknownTools != nil || tools.NotFiltered[0] != "unknown_tools" || tools.Tools[0].Calls != 96 {
		t.Errorf("%+v, %v", tools, err)
	}
	for name, p := range map[string]query.Params{
		"a filter of single events": ask(first, first.AddDate(0, 0, 4), "u"),
		"an edge within an hour":    ask(first.Add(time.Minute), first.AddDate(0, 0, 4)),
		"steps of minutes":          {Granularity: "15m", Filter: ask(first, first.Add(6*time.Hour)).Filter},
	} {
		var f *fault.Error
		if _, err := query.Overview(t.Context(), db, p); !errors.As(err, &f) || f.Code != fault.BadRequest || !strings.Contains(f.Message, "no longer kept") {
			t.Errorf("%s: %v", name, err)
		}
	}
	short, err := query.Overview(t.Context(), db, ask(first, first.Add(6*time.Hour)))
	if err != nil || short.Granularity != "1h" || short.Series[0].Calls != 1 {
		t.Errorf("six hours: %+v, %v", short, err)
	}
	// Its own range is there, the window before is not.
	late, err := query.Overview(t.Context(), db, ask(cut, cut.AddDate(0, 0, 2), "u"))
	if text, _ := json.Marshal(late); err != nil || late.Calls != 48 || !strings.Contains(string(text), `"previous":null`) || late.NotFiltered[0] != "previous" {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := db.Expire(t.Context(), 1, cut, cut); err != nil {
		t.Fatal(err)
	}
	if _, err := query.Clients(t.Context(), db, whole); err == nil {
		t.Error("figures that are gone are answered")
	}
}
