package storetest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// recount answers the store's questions from a list of entries.
type recount []store.Entry

// fact is an event with what is derived of it.
type fact struct {
	umpire.Event
	project       uint32
	start, end    time.Time
	judged        bool // a call with a known outcome
	retry, reword bool
	repeat        bool
	part          string // the session, or the part of it that a long silence leaves
}

func derive(e store.Entry) fact {
	f := fact{Event: e.Event, project: e.Project, start: e.Event.StartedAt.UTC().Truncate(time.Microsecond)}
	f.end = f.start
	if e.Event.DurationUS != nil {
		f.end = f.start.Add(time.Duration(*e.Event.DurationUS) * time.Microsecond)
	}
	f.judged = f.Kind == "call" && f.Outcome.Known()
	return f
}

// facts derives all events, with the marks of outcomes.md 6.2.
func (r recount) facts() []fact {
	all := make([]fact, len(r))
	for i := range r {
		all[i] = derive(r[i])
	}
	part(all)
	for i := range all {
		e := &all[i]
		p := earlier(all, *e)
		if p == nil || e.start.Sub(p.end) > 30*time.Second {
			continue
		}
		e.repeat = e.ArgsHash != "" && e.ArgsHash == p.ArgsHash
		e.reword = e.AskHash != "" && p.AskHash != "" && e.AskHash != p.AskHash
		e.retry = e.reword && p.Slice() != "ok"
	}
	return all
}

// part cuts derived sessions at long silences (outcomes.md 6.1).
func part(all []fact) {
	order := make([]*fact, len(all))
	for i := range all {
		order[i] = &all[i]
		all[i].part = all[i].Session
	}
	slices.SortFunc(order, func(a, b *fact) int { return a.start.Compare(b.start) })
	type key struct {
		project uint32
		session string
	}
	ends, n := map[key]time.Time{}, map[key]int{}
	for _, f := range order {
		if !f.judged || !strings.HasPrefix(f.Session, "derived-") {
			continue
		}
		k := key{f.project, f.Session}
		if end, known := ends[k]; known && f.start.Sub(end) >= 30*time.Minute {
			n[k]++
		}
		f.part = f.Session + " part " + strconv.Itoa(n[k])
		end := f.end
		if day := f.start.Add(24 * time.Hour); end.After(day) {
			end = day
		}
		ends[k] = latest(ends[k], end)
	}
}

// earlier is the call of the same tool in the same session that ended last of
// those that ended at or before e started.
func earlier(all []fact, e fact) *fact {
	if !e.judged || e.Session == "" || e.Tool == "" {
		return nil
	}
	var found *fact
	for i := range all {
		c := &all[i]
		if !c.judged || c.project != e.project || c.Session != e.Session || c.Tool != e.Tool || c.ID == e.ID || c.end.After(e.start) {
			continue
		}
		together := c.start.Equal(c.end) && e.start.Equal(e.end) && c.start.Equal(e.start)
		if together && bytes.Compare(c.ID[:], e.ID[:]) > 0 {
			continue
		}
		if found == nil || later(c, found) {
			found = c
		}
	}
	return found
}

func later(a, b *fact) bool {
	return cmp.Or(a.end.Compare(b.end), a.start.Compare(b.start), bytes.Compare(a.ID[:], b.ID[:])) > 0
}

func known(s string) string { return cmp.Or(s, store.Unknown) }

func (f fact) failure(value string) string {
	if value == "" && f.judged && f.Outcome.Failed() {
		return store.Unknown
	}
	return value
}

func (f fact) status() string {
	if f.ErrorStatus == 0 {
		return f.failure("")
	}
	return strconv.Itoa(f.ErrorStatus)
}

func any1(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }

// reasoned reports whether an answer is empty by one of the filter's rules, and
// carries one of its marks.
func (f fact) reasoned(q store.Filter) bool {
	ok := f.judged && f.Outcome == umpire.OK
	marked := slices.ContainsFunc(f.Suspects, func(mark string) bool { return slices.Contains(q.Mark, mark) })
	return (len(q.EmptyRule) == 0 || ok && f.Empty && slices.Contains(q.EmptyRule, known(f.EmptyRule))) && (len(q.Mark) == 0 || ok && marked)
}

// within reports whether the event lies in the filter's project and range.
func (f fact) within(q store.Filter) bool {
	return f.project == q.Project && !f.start.Before(q.From) && f.start.Before(q.To)
}

// matches reports whether the event passes the rest of the filter.
func (f fact) matches(q store.Filter) bool {
	slice, outcome := store.Unknown, store.Unknown
	if f.judged {
		slice, outcome = string(f.Slice()), string(f.Outcome)
	}
	return any1(q.Server, known(f.Server.Name)) && any1(q.Version, known(f.Server.Version)) && any1(q.Env, known(f.Server.Env)) &&
		any1(q.Tool, known(f.Tool)) && any1(q.Client, known(f.Client.Name)) && any1(q.Platform, known(f.Platform)) &&
		any1(q.Outcome, outcome) && any1(q.Slice, slice) &&
		any1(q.Cause, f.failure(f.Cause)) && any1(q.ErrorType, f.failure(f.ErrorType)) && any1(q.ErrorStatus, f.status()) &&
		any1(q.Fingerprint, f.failure(f.Fingerprint)) && any1(q.Session, known(f.Session)) && any1(q.User, known(f.User)) &&
		any1(q.ErrorClass, f.class()) && any1(q.ClientVersion, known(f.Client.Version)) && f.reasoned(q)
}

func (r recount) narrowed(q store.Filter) []fact {
	first := r.firsts(q.Project)
	return slices.DeleteFunc(r.facts(), func(f fact) bool { return !f.within(q) || !f.matches(q) || !f.newSince(q, first) })
}

func (r recount) calls(q store.Filter) []fact {
	return slices.DeleteFunc(r.narrowed(q), func(f fact) bool { return !f.judged })
}

func count(c *store.Counts, f fact) {
	c.Calls++
	switch f.Outcome {
	case umpire.OK:
		c.OK++
		if f.Empty {
			c.Empty++
		}
	case umpire.BadArgs:
		c.BadArgs++
	case umpire.ToolError:
		c.ToolError++
	case umpire.Crashed:
		c.Crashed++
	}
}

func (f fact) first(q store.Filter) (counts, ok bool) {
	counts = f.Session != "" && !f.retry && (q.Now.IsZero() || !f.end.After(q.Now.Add(-30*time.Second)))
	return counts, counts && f.Slice() == "ok"
}

var ownKinds = []string{"call", "cancelled", "round", "catalog", "session", "resource", "prompt", "custom"}

func (r recount) totals(q store.Filter) store.Totals {
	var t store.Totals
	sessions := map[string]bool{}
	for _, f := range r.narrowed(q) {
		switch {
		case f.Kind == "cancelled":
			t.Cancelled++
		case f.Kind == "round":
			t.Rounds++
		case f.Kind == "call" && !f.judged:
			t.SetAside++
		case !slices.Contains(ownKinds, f.Kind):
			if t.OtherKinds == nil {
				t.OtherKinds = map[string]int64{}
			}
			t.OtherKinds[f.Kind]++
		}
		if !f.judged {
			continue
		}
		count(&t.Counts, f)
		add(&t.Outside, f.SeenBy == "proxy")
		add(&t.Retries, f.retry)
		add(&t.Reworded, f.reword)
		add(&t.NoSession, f.Session == "")
		first, ok := f.first(q)
		add(&t.FirstCalls, first)
		add(&t.FirstOK, ok)
		sum(&t.RequestBytes, &t.RequestKnown, f.RequestBytes)
		sum(&t.ResponseBytes, &t.ResponseKnown, f.ResponseBytes)
		observe(&t.Latency, f.DurationUS)
		if f.Session != "" {
			sessions[f.part] = true
		}
	}
	t.Sessions = int64(len(sessions))
	return t
}

func add(n *int64, yes bool) {
	if yes {
		*n++
	}
}

func sum(total, known *int64, n *int64) {
	if n != nil {
		*total += *n
		*known++
	}
}

func observe(h *store.Histogram, us *int64) {
	if us == nil {
		return
	}
	if *h == nil {
		*h = store.Histogram{}
	}
	(*h)[store.Bucket(*us)]++
}

func (r recount) series(q store.Filter, step time.Duration) []store.Point {
	points := map[time.Time]store.Point{}
	sessions := map[string]bool{}
	for _, f := range r.calls(q) {
		at := store.StepStart(f.start, step)
		p := points[at]
		p.At = at
		count(&p.Counts, f)
		first, ok := f.first(q)
		add(&p.FirstCalls, first)
		add(&p.FirstOK, ok)
		observe(&p.Latency, f.DurationUS)
		if key := at.String() + f.part; f.Session != "" && !sessions[key] {
			sessions[key] = true
			p.Sessions++
		}
		points[at] = p
	}
	return slices.SortedFunc(maps.Values(points), func(a, b store.Point) int { return a.At.Compare(b.At) })
}

func (r recount) byTool(q store.Filter) []store.ToolRow {
	rows := map[string]store.ToolRow{}
	for _, f := range r.calls(q) {
		row := rows[known(f.Tool)]
		row.Tool = known(f.Tool)
		count(&row.Counts, f)
		observe(&row.Latency, f.DurationUS)
		sum(&row.ResponseBytes, &row.ResponseKnown, f.ResponseBytes)
		add(&row.Retries, f.retry)
		first, ok := f.first(q)
		add(&row.FirstCalls, first)
		add(&row.FirstOK, ok)
		row.LastSeen = latest(row.LastSeen, f.start)
		rows[row.Tool] = row
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b store.ToolRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool))
	})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (r recount) byClient(q store.Filter) []store.ClientRow {
	rows := map[string]store.ClientRow{}
	sessions := map[[2]string]bool{}
	calls := r.calls(q)
	slices.SortFunc(calls, func(a, b fact) int {
		return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.Client.Version, b.Client.Version))
	})
	for _, f := range calls {
		row := rows[known(f.Client.Name)]
		row.Client = known(f.Client.Name)
		count(&row.Counts, f)
		observe(&row.Latency, f.DurationUS)
		if key := [2]string{row.Client, f.part}; f.Session != "" && !sessions[key] {
			sessions[key] = true
			row.Sessions++
		}
		if v := f.Client.Version; v != "" && !slices.Contains(row.Versions, v) {
			row.Versions = append(slices.Clone(row.Versions), v)
		}
		row.LastSeen = latest(row.LastSeen, f.start)
		rows[row.Client] = row
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b store.ClientRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Client, b.Client))
	})
}

// Mark is what the store decides about a call from those around it.
type Mark struct{ IsRetry, Reworded, Repeated bool }

// Marks are the marks of the entries' events by the letter of outcomes.md 6.2.
func Marks(entries []store.Entry) map[umpire.ID]Mark {
	marks := map[umpire.ID]Mark{}
	for _, f := range recount(entries).facts() {
		marks[f.ID] = Mark{f.retry, f.reword, f.repeat}
	}
	return marks
}
