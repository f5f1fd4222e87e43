package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// marks are what is decided of a call from those around it (outcomes.md 6.2).
type marks struct{ retry, reworded, repeated bool }

func (r *row) marks() marks { return marks{r.retry, r.reworded, r.repeated} }

// chain is the calls of one tool in one session.
type chain struct {
	project       uint32
	session, tool string
}

func (r *row) chain() chain { return chain{r.project, r.text[sessionAt], r.text[toolAt]} }

// reach is between which times other calls can bear on some of a chain: those that
// ended up to 30 s before the first began, and those that began up to 30 s after the
// last ended. Of these, what began at or after firstEnd may follow one of them.
type reach struct{ since, firstEnd, until time.Time }

func reaches(rows []*row) map[chain]reach {
	all := map[chain]reach{}
	for _, r := range rows {
		if !r.chained() {
			continue
		}
		c := r.chain()
		t, ok := all[c]
		if since := r.started.Add(-store.Recent); !ok || since.Before(t.since) {
			t.since = since
		}
		if !ok || r.ended.Before(t.firstEnd) {
			t.firstEnd = r.ended
		}
		t.until = later(t.until, r.ended.Add(store.Recent))
		all[c] = t
	}
	return all
}

// mark decides the marks of the fresh rows' calls, in them, and returns the rows that
// change those of stored calls that fresh or gone ones bear on.
func (db *DB) mark(ctx context.Context, fresh, gone []*row) ([]*row, error) {
	touched := reaches(append(fresh[:len(fresh):len(fresh)], gone...))
	if len(touched) == 0 {
		return nil, nil
	}
	near, err := db.near(ctx, touched)
	if err != nil {
		return nil, err
	}
	links := linked(near, touched, gone)
	for _, r := range fresh {
		if r.chained() {
			links[r.chain()] = append(links[r.chain()], r.link())
		}
	}
	return db.settled(ctx, links)
}

// linked are the stored calls of each chain within its reach, without those that are gone.
func linked(near []link, touched map[chain]reach, gone []*row) map[chain][]link {
	away := map[key]bool{}
	for _, r := range gone {
		away[key{r.project, r.id}] = true
	}
	links := map[chain][]link{}
	for _, n := range near {
		t, ok := touched[n.chain]
		if ok && !away[key{n.project, n.id}] && !n.ended.Before(t.since) && !n.started.After(t.until) {
			n.judge = !n.started.Before(t.firstEnd)
			links[n.chain] = append(links[n.chain], n)
		}
	}
	return links
}

// settled sets the marks of fresh rows in the chains, and returns the rows that change
// those of stored ones.
func (db *DB) settled(ctx context.Context, links map[chain][]link) ([]*row, error) {
	changed := map[key]marks{}
	var which []*row
	for _, all := range links {
		walk(all, func(l link, m marks) {
			if l.fresh != nil {
				l.fresh.retry, l.fresh.reworded, l.fresh.repeated = m.retry, m.reworded, m.repeated
			} else if m != l.was {
				changed[key{l.project, l.id}] = m
				which = append(which, &row{project: l.project, id: l.id, started: l.started})
			}
		})
	}
	if len(which) == 0 {
		return nil, nil
	}
	old, err := db.rows(ctx, ofProjects(which)+" AND "+began(spans(which, 0))+" AND "+ofIDs(which))
	if err != nil {
		return nil, err
	}
	var rows []*row
	for _, r := range old {
		if m, ok := changed[key{r.project, r.id}]; ok && m != r.marks() {
			rows = append(rows, r.remarked(m)...)
		}
	}
	return rows, nil
}

// link is a call in its chain.
type link struct {
	chain
	id             umpire.ID
	started, ended time.Time
	plain          bool // ok and not empty
	args, ask      string
	judge          bool
	was            marks
	fresh          *row // nil if it is stored
}

func (r *row) link() link {
	return link{r.chain(), r.id, r.started, r.ended, r.plainlyOK(), r.text[argsAt], r.text[askAt], true, r.marks(), r}
}

// walk tells the marks of the links that are to be judged, all of one chain.
//
// The earlier call is the one that ended last of those that ended at or before this
// one's start. It is found by walking starts and ends in the order of time: at the same
// instant first the ends of calls that took time, in the order of their starts, then the
// calls that took none, by id, then the starts of calls that took time. So a call never
// precedes itself, no two precede each other, and ties go to the later start and then
// to the greater id.
func walk(links []link, tell func(link, marks)) {
	type step struct {
		at    time.Time
		phase int
		end   bool
		of    *link
	}
	var steps []step
	for i := range links {
		l := &links[i]
		begin, end := 1, 1
		if l.ended.After(l.started) {
			begin, end = 2, 0
		}
		steps = append(steps, step{l.ended, end, true, l})
		if l.judge {
			steps = append(steps, step{l.started, begin, false, l})
		}
	}
	half := func(s step) int {
		if s.end {
			return 1
		}
		return 0
	}
	slices.SortFunc(steps, func(a, b step) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.phase, b.phase), a.of.started.Compare(b.of.started),
			bytes.Compare(a.of.id[:], b.of.id[:]), cmp.Compare(half(a), half(b)))
	})
	var earlier *link
	for _, s := range steps {
		if s.end {
			earlier = s.of
			continue
		}
		var m marks
		if earlier != nil && s.of.started.Sub(earlier.ended) <= store.Recent {
			m.reworded = s.of.ask != "" && earlier.ask != "" && s.of.ask != earlier.ask
			m.repeated = s.of.args != "" && s.of.args == earlier.args
			m.retry = m.reworded && !earlier.plain
		}
		tell(*s.of, m)
	}
}

// near are the stored calls of the chains' sessions around their times. A call that
// took longer than a day is not found from its end.
func (db *DB) near(ctx context.Context, touched map[chain]reach) ([]link, error) {
	sessions, projects := map[string]bool{}, map[uint32]bool{}
	for c := range touched {
		sessions[hex.EncodeToString([]byte(c.session))], projects[c.project] = true, true
	}
	// The ends are looked at first, without sessions: they rule out all but the last
	// moments of the day before.
	const query = `SELECT project, session, tool, id, started_at, ended_at, outcome = 'ok' AND NOT empty, args_hash, ask_hash, is_retry, reworded, repeated, version, sign
FROM event_rows PREWHERE %s AND %s WHERE kind = 'call' AND outcome IN ('ok', 'bad_args', 'tool_error', 'crashed') AND tool <> '' AND session IN %s
SETTINGS ignore_data_skipping_indices = 'by_session'` // no stretch of rows is without one of so many
	rows, err := db.conn.Query(ctx, fmt.Sprintf(query, inProjects(projects), lasted(around(touched)), inHexes(slices.Sorted(maps.Keys(sessions)))))
	if err != nil {
		return nil, fmt.Errorf("cannot look for calls nearby: %w", clean(err))
	}
	defer rows.Close()
	var all []signedLink
	for rows.Next() {
		var l signedLink
		var id string
		if err := rows.Scan(&l.project, &l.session, &l.tool, &id, &l.started, &l.ended, &l.plain, &l.args, &l.ask, &l.was.retry, &l.was.reworded, &l.was.repeated, &l.version, &l.sign); err != nil {
			return nil, fmt.Errorf("cannot read a call nearby: %w", err)
		}
		copy(l.id[:], id)
		l.started, l.ended = l.started.UTC(), l.ended.UTC()
		all = append(all, l)
	}
	var links []link
	for _, l := range left(all, func(l signedLink) incarnationOf { return incarnationOf{key{l.project, l.id}, l.version, l.sign} }) {
		links = append(links, l.link)
	}
	return links, clean(rows.Err())
}

// signedLink is a link as event_rows has it.
type signedLink struct {
	link
	version uint64
	sign    int8
}

// around are the times in which calls can bear on those of the chains, a stretch or
// less for each day.
func around(touched map[chain]reach) []span {
	days := map[int64]span{}
	for _, t := range touched {
		d := t.since.Unix() / int64(day/time.Second)
		s, ok := days[d]
		if !ok || t.since.Before(s.from) {
			s.from = t.since
		}
		s.to = later(s.to, t.until)
		days[d] = s
	}
	return merged(slices.Collect(maps.Values(days)))
}

// lasted is the condition that a call lasted into one of the spans, and began at most a
// day before it.
func lasted(all []span) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = began([]span{{s.from.Add(-day), s.to}}) + " AND ended_at >= " + micros(s.from)
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}
