package webtest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

func (c Call) failed() bool { return c.Slice != "ok" && c.Slice != "empty" }

func (c Call) key() store.FailureKey {
	return store.FailureKey{
		Fingerprint: c.Fingerprint, Tool: c.Tool, Outcome: c.Slice, Cause: c.Cause,
		ErrorType: cmp.Or(c.ErrorType, store.Unknown), ErrorStatus: c.Status,
	}
}

func (c Call) class() string {
	switch {
	case c.Slice == "bad_args":
		return store.ClassArguments
	case c.Status == 429:
		return store.Class429
	case c.Status >= 500:
		return store.Class5xx
	case c.Status >= 400:
		return store.Class4xx
	case strings.Contains(c.ErrorType, "timeout"):
		return store.ClassTimeout
	case strings.Contains(c.ErrorType, "connection"):
		return store.ClassConnection
	case c.ErrorType == "" || c.ErrorType == "error":
		return store.ClassUnnamed
	}
	return store.ClassNamed
}

// SampleID is the id of the newest call of every group of failures.
const SampleID = "019ac5a0-7b1e-7c44-9d21-3f5b8c0de412"

// Failures is one of the questions of store.Reader.
func (m *Memory) Failures(_ context.Context, f store.Filter, limit int) ([]store.FailureRow, error) {
	rows := map[store.FailureKey]*store.FailureRow{}
	clients := map[string]bool{}
	for _, c := range m.match(f) {
		if !c.failed() {
			continue
		}
		r := rows[c.key()]
		if r == nil {
			r = &store.FailureRow{FailureKey: c.key(), Message: c.Message, Sample: SampleID, FirstSeen: c.At, FirstEver: c.At}
			for _, e := range m.Calls { // oldest first
				if e.Tool == c.Tool && e.Fingerprint == c.Fingerprint {
					r.FirstEver = e.At
					break
				}
			}
			rows[c.key()] = r
		}
		r.Calls++
		r.LastSeen = c.At
		if key := c.Fingerprint + "\x00" + c.Client; !clients[key] {
			clients[key] = true
			r.Clients++
		}
	}
	out := sorted(rows, func(r store.FailureRow) (int64, string) { return r.Calls, r.Fingerprint })
	return out[:min(limit, len(out))], m.Fail["Failures"]
}

// FailurePlaces is one of the questions of store.Reader.
func (m *Memory) FailurePlaces(_ context.Context, f store.Filter, limit int) ([]store.FailurePlaceRow, error) {
	rows := map[store.FailurePlaceRow]*store.FailurePlaceRow{}
	for _, c := range m.match(f) {
		if !c.failed() {
			continue
		}
		key := store.FailurePlaceRow{FailureKey: c.key(), Server: "orders", Version: "1.4.0", Env: "prod", Client: c.Client}
		if rows[key] == nil {
			row := key
			row.Sample = SampleID
			rows[key] = &row
		}
		rows[key].Calls++
		rows[key].LastSeen = c.At
	}
	out := sorted(rows, func(r store.FailurePlaceRow) (int64, string) { return r.Calls, r.Fingerprint + r.Client })
	return out[:min(limit, len(out))], m.Fail["FailurePlaces"]
}

// AfterFailures is one of the questions of store.Reader. What came next is made up.
func (m *Memory) AfterFailures(_ context.Context, f store.Filter, limit int) (total store.After, rows []store.AfterRow, err error) {
	groups := map[store.FailureKey]*store.AfterRow{}
	for i, c := range m.match(f) {
		if !c.failed() {
			continue
		}
		r := groups[c.key()]
		if r == nil {
			r = &store.AfterRow{FailureKey: c.key()}
			groups[c.key()] = r
		}
		for _, a := range []*store.After{&r.After, &total} {
			switch {
			case c.Session == "":
				a.NoSession++
			case c.Slice == "bad_args" && i%10 < 6:
				a.Corrected++
			case i%10 < 2:
				a.Repeated++
			case i%10 < 4:
				a.TriedAgain++
			case i%10 < 7:
				a.AnotherTool++
			default:
				a.GaveUp++
			}
		}
	}
	rows = sorted(groups, func(r store.AfterRow) (int64, string) { return r.Corrected + r.GaveUp, r.Fingerprint })
	return total, rows[:min(limit, len(rows))], m.Fail["AfterFailures"]
}

// ErrorTypes is one of the questions of store.Reader.
func (m *Memory) ErrorTypes(_ context.Context, f store.Filter, limit int) ([]store.ErrorTypeRow, error) {
	rows := map[store.ErrorTypeRow]*store.ErrorTypeRow{}
	seen := map[string]bool{}
	once := func(n *int64, key string) {
		if !seen[key] {
			seen[key] = true
			*n++
		}
	}
	for _, c := range m.match(f) {
		if !c.failed() {
			continue
		}
		key := store.ErrorTypeRow{ErrorType: c.key().ErrorType, ErrorStatus: c.Status, Class: c.class()}
		r := rows[key]
		if r == nil {
			row := key
			row.FirstSeen = c.At
			r = &row
			rows[key] = r
		}
		r.Calls++
		r.LastSeen = c.At
		once(&r.Tools, "t"+key.ErrorType+c.class()+c.Tool)
		once(&r.Clients, "c"+key.ErrorType+c.class()+c.Client)
	}
	out := sorted(rows, func(r store.ErrorTypeRow) (int64, string) { return r.Calls, r.ErrorType })
	return out[:min(limit, len(out))], m.Fail["ErrorTypes"]
}

// ErrorSeries is one of the questions of store.Reader.
func (m *Memory) ErrorSeries(_ context.Context, f store.Filter, step time.Duration) ([]store.ErrorPoint, error) {
	points := map[store.ErrorPoint]int64{}
	for _, c := range m.match(f) {
		if c.failed() {
			points[store.ErrorPoint{At: store.StepStart(c.At, step), Outcome: c.Slice, Class: c.class()}]++
		}
	}
	var all []store.ErrorPoint
	for p, n := range points {
		p.Calls = n
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b store.ErrorPoint) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Class, b.Class))
	})
	return all, m.Fail["ErrorSeries"]
}
