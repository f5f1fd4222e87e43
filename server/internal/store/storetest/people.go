package storetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// people: users, intents, missing tools, resources and prompts, each against a recount.
func people(t *testing.T, b *bench) {
	Check(t, 10, func(t *rapid.T) {
		b.all = b.all[:0]
		project := b.project()
		events := many(t, Event(), 40)
		for i := range events {
			e := &events[i]
			e.User = pick(t, "user", "", "u1", "u2", "u3")
			e.Intent = pick(t, "intent", "", "", "to see")
			if e.Kind == "custom" {
				e.Meta = pick(t, "meta", map[string]any{"umpire.event": "umpire.missing_tool", "a": "x"}, map[string]any{"umpire.event": "other"},
					map[string]any{"a": `"umpire.event":"umpire.missing_tool"`}, nil)
			}
		}
		b.put(t, project, events, sizes(t)...)
		f := Filter(project).Draw(t, "filter")
		f.Now = time.Time{}
		since := f.From.Add(-pick(t, "since", 0, time.Hour, 24*time.Hour))
		got, err := askPeople(b, f, since)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if diff := gocmp.Diff(b.all.people(f, since), got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v since %v: differs from the recount (-want +got):\n%s", f, since, diff)
		}
	})
}

// peopleAnswers are what people asks.
type peopleAnswers struct {
	Users              []store.UserRow
	Series             []store.UserPoint
	Totals             store.UserTotals
	Intents            []store.IntentRow
	Told, Missing      []string // ids
	Resources, Prompts []store.ReadRow
}

const seriesStep = 2 * time.Hour

func askPeople(r store.Reader, f store.Filter, since time.Time) (a peopleAnswers, err error) {
	ctx := context.Background()
	for calls, name := int64(0), ""; ; { // in parts of two
		rows, err := r.UserList(ctx, f, since, calls, name, 2)
		if err != nil {
			return a, err
		}
		if len(rows) == 0 {
			break
		}
		a.Users = append(a.Users, rows...)
		calls, name = rows[len(rows)-1].Calls, rows[len(rows)-1].User
	}
	if a.Series, err = r.UserSeries(ctx, f, since, seriesStep); err != nil {
		return a, err
	}
	if a.Totals, err = r.UserTotals(ctx, f, since); err != nil {
		return a, err
	}
	if a.Intents, err = r.IntentTools(ctx, f, limit); err != nil {
		return a, err
	}
	told, err := r.IntentList(ctx, f, store.Place{}, 1000)
	if err != nil {
		return a, err
	}
	missing, err := r.MissingList(ctx, f, store.Place{}, 1000)
	if err != nil {
		return a, err
	}
	a.Told, a.Missing = rowIDs(told), rowIDs(missing)
	if a.Resources, err = r.Reads(ctx, f, "resource", limit); err != nil {
		return a, err
	}
	a.Prompts, err = r.Reads(ctx, f, "prompt", limit)
	return a, err
}

func rowIDs(rows []store.CallRow) (ids []string) {
	for _, r := range rows {
		ids = append(ids, r.ID.String())
	}
	return ids
}

func (r recount) people(f store.Filter, since time.Time) (a peopleAnswers) {
	wide := f
	wide.From = since
	day, week, month := f.Lately()
	if month.Before(wide.From) {
		wide.From = month
	}
	users, before, days := map[string]store.UserRow{}, map[string]bool{}, map[string]map[string]bool{}
	lately := map[time.Time]map[string]bool{day: {}, week: {}, month: {}}
	steps, first := map[time.Time]map[string]bool{}, map[string]time.Time{}
	for _, c := range oldestFirst(r.calls(wide)) {
		if c.User == "" {
			continue
		}
		for from, set := range lately {
			if !c.start.Before(from) {
				set[c.User] = true
			}
		}
		if c.start.Before(f.From) {
			before[c.User] = before[c.User] || !c.start.Before(since)
			continue
		}
		row, known := users[c.User]
		if !known {
			row = store.UserRow{User: c.User, FirstSeen: c.start, Returning: before[c.User]}
			days[c.User] = map[string]bool{}
			first[c.User] = c.start
		}
		count(&row.Counts, c)
		row.LastSeen = c.start
		days[c.User][c.start.Format(time.DateOnly)] = true
		row.Days = int64(len(days[c.User]))
		users[c.User] = row
		at := store.StepStart(c.start, seriesStep)
		if steps[at] == nil {
			steps[at] = map[string]bool{}
		}
		steps[at][c.User] = true
	}
	a.Users = slices.SortedFunc(maps.Values(users), func(x, y store.UserRow) int {
		return cmp.Or(cmp.Compare(y.Calls, x.Calls), cmp.Compare(x.User, y.User))
	})
	for _, at := range slices.SortedFunc(maps.Keys(steps), time.Time.Compare) {
		p := store.UserPoint{At: at, Users: int64(len(steps[at]))}
		for name := range steps[at] {
			if !users[name].Returning && store.StepStart(first[name], seriesStep).Equal(at) {
				p.New++
			}
		}
		a.Series = append(a.Series, p)
	}
	a.Totals = store.UserTotals{Day: int64(len(lately[day])), Week: int64(len(lately[week])), Month: int64(len(lately[month])), Range: int64(len(users))}
	for _, u := range a.Users {
		add(&a.Totals.New, !u.Returning)
	}
	a.Intents, a.Told, a.Missing = r.intents(f)
	a.Resources, a.Prompts = r.reads(f, "resource"), r.reads(f, "prompt")
	return a
}

func (r recount) intents(f store.Filter) (tools []store.IntentRow, told, missing []string) {
	rows := map[string]store.IntentRow{}
	all := r.narrowed(f)
	slices.SortFunc(all, newestFirst)
	for _, e := range all {
		if e.judged {
			row := rows[known(e.Tool)]
			row.Tool = known(e.Tool)
			row.Calls++
			if e.Intent != "" {
				row.Told++
				told = append(told, e.ID.String())
			}
			rows[row.Tool] = row
		}
		if e.Kind == "custom" && e.Meta["umpire.event"] == "umpire.missing_tool" {
			missing = append(missing, e.ID.String())
		}
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.IntentRow) int {
		return cmp.Or(cmp.Compare(b.Told, a.Told), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool))
	})), told, missing
}

func (r recount) reads(f store.Filter, kind string) []store.ReadRow {
	rows, seen := map[string]store.ReadRow{}, clients[string]{}
	for _, e := range oldestFirst(r.narrowed(f)) {
		if e.Kind != kind {
			continue
		}
		row := rows[known(e.Tool)]
		row.Name = known(e.Tool)
		row.Reads++
		add(&row.OK, e.Outcome == umpire.OK)
		add(&row.BadArgs, e.Outcome == umpire.BadArgs)
		add(&row.ToolError, e.Outcome == umpire.ToolError)
		add(&row.Crashed, e.Outcome == umpire.Crashed)
		observe(&row.Latency, e.DurationUS)
		row.Clients, row.LastSeen = seen.see(row.Name, known(e.Client.Name)), e.start
		rows[row.Name] = row
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.ReadRow) int {
		return cmp.Or(cmp.Compare(b.Reads, a.Reads), strings.Compare(a.Name, b.Name))
	}))
}
