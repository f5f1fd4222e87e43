package clickhouse

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What follows asks for many ids, sessions and times at once. They are in the text of
// the statement, for an address holds no such lists; as digits and hex digits, so that
// nothing of a sender's can be a part of it.

const day = 24 * time.Hour

// span is a stretch of time, both ends included.
type span struct{ from, to time.Time }

// spans are the days' parts that the rows began in, widened on both sides, so that a
// batch of old and new events does not have everything between them read.
func spans(rows []*row, widen time.Duration) []span {
	days := map[int64]span{}
	for _, r := range rows {
		d := r.started.Unix() / int64(day/time.Second)
		s, ok := days[d]
		if !ok || r.started.Before(s.from) {
			s.from = r.started
		}
		if !ok || r.started.After(s.to) {
			s.to = r.started
		}
		days[d] = s
	}
	var all []span
	for _, s := range days {
		all = append(all, span{s.from.Add(-widen), s.to.Add(widen)})
	}
	return merged(all)
}

// merged joins what overlaps.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var all []span
	for _, s := range spans {
		if n := len(all); n > 0 && !s.from.After(all[n-1].to) {
			all[n-1].to = later(all[n-1].to, s.to)
			continue
		}
		all = append(all, s)
	}
	return all
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func micros(t time.Time) string {
	return fmt.Sprintf("fromUnixTimestamp64Micro(%d, 'UTC')", moment(t).UnixMicro())
}

// within is the condition that a column's time lies in one of the spans.
func within(column string, all []span) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = column + " BETWEEN " + micros(s.from) + " AND " + micros(s.to)
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// began is the condition that the event began in one of the spans.
func began(all []span) string { return within("started_at", all) }

// ofProjects is the condition that the row is of a project of the rows.
func ofProjects(rows []*row) string {
	set := map[uint32]bool{}
	for _, r := range rows {
		set[r.project] = true
	}
	return inProjects(set)
}

func inProjects(set map[uint32]bool) string {
	var all []string
	for _, p := range slices.Sorted(maps.Keys(set)) {
		all = append(all, strconv.FormatUint(uint64(p), 10))
	}
	return "project IN (" + strings.Join(all, ", ") + ")"
}

// hexes is a list of texts that are hex digits.
func hexes(texts []string) string {
	return "arrayMap(x -> unhex(x), splitByChar(',', '" + strings.Join(texts, ",") + "'))"
}

// inHexes is a list of texts that are hex digits, as IN reads it once. What hexes makes
// is looked through anew for every block of rows.
func inHexes(texts []string) string { return "(SELECT arrayJoin(" + hexes(texts) + "))" }

// ofIDs is the condition that the row has one of the ids.
func ofIDs(rows []*row) string {
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = hex.EncodeToString(r.id[:])
	}
	return "id IN (SELECT toFixedString(arrayJoin(" + hexes(all) + "), 16))"
}

// stored are the events that are there under the ids of the rows.
func (db *DB) stored(ctx context.Context, rows []*row) (map[key][]*row, error) {
	if len(rows) == 0 {
		return nil, nil //nolint:nilnil // there is nothing
	}
	// The two observers of one call may differ in when it began.
	var widen time.Duration
	if slices.ContainsFunc(rows, func(r *row) bool { return r.agreed() || r.whole() }) {
		widen = day
	}
	found, err := db.rows(ctx, ofProjects(rows)+" AND "+began(spans(rows, widen))+" AND "+ofIDs(rows))
	if err != nil {
		return nil, err
	}
	all := map[key][]*row{}
	for _, r := range found {
		k := key{r.project, r.id}
		all[k] = append(all[k], r)
	}
	return all, nil
}

// rows are the stored events of a condition, whole. FINAL would read every column of
// all rows in the condition's range of time; so what is taken away is left out here.
// The condition must not tell a row from the one that takes it away.
func (db *DB) rows(ctx context.Context, where string) ([]*row, error) {
	all, err := db.signed(ctx, where)
	return left(all, (*row).incarnation), err
}

// incarnationOf says of which incarnation of an event a row is, and whether it takes it
// away.
type incarnationOf struct {
	key
	version uint64
	sign    int8
}

func (r *row) incarnation() incarnationOf {
	return incarnationOf{key{r.project, r.id}, r.version, r.sign}
}

// left are the rows that no other one takes away, each once for each time that it is
// there, in their order.
func left[T any](all []T, of func(T) incarnationOf) []T {
	gone := map[incarnationOf]int{}
	for _, r := range all {
		if in := of(r); in.sign < 0 {
			in.sign = 1
			gone[in]++
		}
	}
	out := all[:0]
	for _, r := range all {
		switch in := of(r); {
		case in.sign < 0:
		case gone[in] > 0:
			gone[in]--
		default:
			out = append(out, r)
		}
	}
	return out
}

// query reads whole rows.
func (db *DB) query(ctx context.Context, statement string) ([]*row, error) {
	result, err := db.conn.Query(ctx, statement)
	if err != nil {
		return nil, fmt.Errorf("cannot look for stored events: %w", clean(err))
	}
	defer result.Close()
	var all []*row
	for result.Next() {
		r, err := scan(result)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if err := result.Err(); err != nil {
		return nil, fmt.Errorf("cannot read stored events: %w", clean(err))
	}
	return all, nil
}
