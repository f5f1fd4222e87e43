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

// class is the class of a failure, by the letter of outcomes.md 5.7.
func (f fact) class() string {
	if !f.judged || !f.Outcome.Failed() {
		return ""
	}
	name := strings.ToLower(f.ErrorType)
	switch {
	case f.Outcome == umpire.BadArgs:
		return "arguments"
	case f.ErrorStatus == 429:
		return "429"
	case f.ErrorStatus >= 400 && f.ErrorStatus <= 599:
		return strconv.Itoa(f.ErrorStatus/100) + "xx"
	case f.Cause == "timeout", strings.Contains(name, "timeout"), strings.Contains(name, "deadlineexceeded"):
		return "timeout"
	case strings.Contains(name, "connect"), slices.Contains([]string{"dns", "tls", "net.operror", "url.error", "grpc:unavailable"}, name):
		return "connection"
	case slices.Contains([]string{"", store.Unknown, "error", "Error"}, f.ErrorType):
		return "unnamed"
	}
	return "named"
}

func (f fact) key() store.FailureKey {
	return store.FailureKey{
		Fingerprint: known(f.Fingerprint), Tool: known(f.Tool), Outcome: string(f.Outcome), Cause: known(f.Cause),
		ErrorType: known(f.ErrorType), ErrorStatus: int64(f.ErrorStatus),
	}
}

func byKey(a, b store.FailureKey) int {
	return cmp.Or(cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Outcome, b.Outcome),
		cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.ErrorType, b.ErrorType), cmp.Compare(a.ErrorStatus, b.ErrorStatus))
}

// firsts are when each kind of failure (tool and fingerprint) was first seen.
func (r recount) firsts(project uint32) map[[2]string]time.Time {
	first := map[[2]string]time.Time{}
	for _, e := range r {
		f := derive(e)
		if f.project != project || !f.judged || !f.Outcome.Failed() {
			continue
		}
		kind := [2]string{known(f.Tool), known(f.Fingerprint)}
		if at, seen := first[kind]; !seen || f.start.Before(at) {
			first[kind] = f.start
		}
	}
	return first
}

// newSince reports whether the filter wants all calls, or those of a kind of failure
// that is new.
func (f fact) newSince(q store.Filter, first map[[2]string]time.Time) bool {
	return q.NewSince.IsZero() || f.class() != "" && !first[[2]string{known(f.Tool), known(f.Fingerprint)}].Before(q.NewSince)
}

// failed are the failures that the filter lets through, oldest first.
func (r recount) failed(q store.Filter) []fact {
	return slices.DeleteFunc(oldestFirst(r.calls(q)), func(f fact) bool { return !f.Outcome.Failed() })
}

func (r recount) failures(q store.Filter, limit int) []store.FailureRow {
	rows, seen := map[store.FailureKey]store.FailureRow{}, clients[store.FailureKey]{}
	first1 := r.firsts(q.Project)
	for _, f := range r.failed(q) {
		key := f.key()
		row, ok := rows[key]
		if !ok {
			row = store.FailureRow{FailureKey: key, FirstSeen: f.start, FirstEver: first1[[2]string{key.Tool, key.Fingerprint}]}
		}
		row.Calls++
		row.Clients = seen.see(key, known(f.Client.Name))
		row.Message = cmp.Or(f.ErrorMessage, row.Message)
		row.LastSeen, row.Sample = f.start, f.ID.String()
		rows[key] = row
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.FailureRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), byKey(a.FailureKey, b.FailureKey))
	}))
}

func (r recount) failurePlaces(q store.Filter, limit int) []store.FailurePlaceRow {
	rows := map[store.FailurePlaceRow]store.FailurePlaceRow{}
	for _, f := range r.failed(q) {
		key := store.FailurePlaceRow{
			FailureKey: f.key(), Server: known(f.Server.Name), Version: known(f.Server.Version), Env: known(f.Server.Env),
			Client: known(f.Client.Name),
		}
		row := key
		row.Calls, row.LastSeen, row.Sample = rows[key].Calls+1, f.start, f.ID.String()
		rows[key] = row
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.FailurePlaceRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), byKey(a.FailureKey, b.FailureKey), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.Env, b.Env), cmp.Compare(a.Client, b.Client))
	}))
}

// after is what came after the failure, by the letter of outcomes.md 6.5: the count
// that it belongs to.
func (f fact) after(all []fact, a *store.After, now time.Time) *int64 {
	if f.Session == "" {
		return &a.NoSession
	}
	var corrected, repeated, again, other bool
	for _, l := range all {
		if !l.judged || l.project != f.project || l.part != f.part || l.start.Before(f.end) || l.start.After(f.end.Add(30*time.Minute)) {
			continue
		}
		if !l.start.After(f.start) && bytes.Compare(l.ID[:], f.ID[:]) <= 0 {
			continue // it began before, or is the failure itself
		}
		same := l.ArgsHash != "" && l.ArgsHash == f.ArgsHash
		switch {
		case known(l.Tool) != known(f.Tool):
			other = true
		case same:
			repeated = true
		case l.Outcome == umpire.OK:
			corrected = true
		default:
			again = true
		}
	}
	switch {
	case corrected:
		return &a.Corrected
	case repeated:
		return &a.Repeated
	case again:
		return &a.TriedAgain
	case other:
		return &a.AnotherTool
	case !now.IsZero() && f.end.After(now.Add(-30*time.Second)):
		return &a.Open
	}
	return &a.GaveUp
}

func (r recount) afterFailures(q store.Filter, limit int) (total store.After, rows []store.AfterRow) {
	all, groups := r.facts(), map[store.FailureKey]*store.After{}
	for _, f := range r.failed(q) {
		if groups[f.key()] == nil {
			groups[f.key()] = &store.After{}
		}
		*f.after(all, groups[f.key()], q.Now)++
		*f.after(all, &total, q.Now)++
	}
	for key, a := range groups {
		rows = append(rows, store.AfterRow{FailureKey: key, After: *a})
	}
	n := func(a store.AfterRow) int64 {
		return a.Corrected + a.Repeated + a.TriedAgain + a.AnotherTool + a.GaveUp
	}
	slices.SortFunc(rows, func(a, b store.AfterRow) int {
		return cmp.Or(cmp.Compare(n(b), n(a)), byKey(a.FailureKey, b.FailureKey))
	})
	return total, first(limit, rows)
}

func (r recount) errorTypes(q store.Filter, limit int) []store.ErrorTypeRow {
	rows := map[store.ErrorTypeRow]store.ErrorTypeRow{}
	tools, who := clients[store.ErrorTypeRow]{}, clients[store.ErrorTypeRow]{}
	for _, f := range r.failed(q) {
		key := store.ErrorTypeRow{ErrorType: known(f.ErrorType), ErrorStatus: int64(f.ErrorStatus), Class: f.class()}
		row, ok := rows[key]
		if !ok {
			row = key
			row.FirstSeen = f.start
		}
		row.Calls++
		row.Tools, row.Clients = tools.see(key, known(f.Tool)), who.see(key, known(f.Client.Name))
		row.LastSeen = f.start
		rows[key] = row
	}
	return first(limit, slices.SortedFunc(maps.Values(rows), func(a, b store.ErrorTypeRow) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.ErrorType, b.ErrorType), cmp.Compare(a.ErrorStatus, b.ErrorStatus), cmp.Compare(a.Class, b.Class))
	}))
}

func (r recount) errorSeries(q store.Filter, step time.Duration) []store.ErrorPoint {
	points := map[store.ErrorPoint]int64{}
	for _, f := range r.failed(q) {
		points[store.ErrorPoint{At: store.StepStart(f.start, step), Outcome: string(f.Outcome), Class: f.class()}]++
	}
	var all []store.ErrorPoint
	for p, n := range points {
		p.Calls = n
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b store.ErrorPoint) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Class, b.Class))
	})
	return all
}
