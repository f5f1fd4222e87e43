package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// plan is what a batch does to the generation that takes events.
type plan struct {
	batch   []*store.Entry
	marks   []marks    // of the batch's events
	gone    []idOf     // stored in the generation, and replaced
	changed []lateCall // stored in the generation, with other marks now
}

// idOf is what makes an event unique.
type idOf struct {
	project uint32
	id      umpire.ID
}

func keyOf(e *store.Entry) idOf { return idOf{e.Project, e.Event.ID} }

// applyHot stores a batch in memory. If it bears on events that are in the file, it
// does nothing and reports false.
func (db *DB) applyHot(ctx context.Context, batch []store.Entry) (done bool, err error) {
	db.lately.begin()
	defer func() {
		if !done {
			db.stage.begin()
			db.lately.rollback()
		}
	}()
	p, ok, err := db.plan(ctx, batch)
	if err != nil || !ok {
		return false, err
	}
	err = within(ctx, db.hot, func(tx *sql.Tx) error { return db.carryOut(ctx, tx, p) })
	if err != nil {
		return false, err
	}
	if db.rows == 0 {
		db.age.Reset(db.opts.sealAfter())
	}
	db.rows += len(p.batch) - len(p.gone)
	for _, e := range p.batch {
		db.bytes += weight(e)
		db.listed = db.listed || len(e.Event.Tools) > 0
	}
	return true, nil
}

// plan decides what is replaced and every mark. It is not ok where what is stored in
// the file would have to change.
func (db *DB) plan(ctx context.Context, batch []store.Entry) (p plan, ok bool, err error) {
	p.batch = onlyBest(batch)
	if ok, err := db.twins(ctx, &p); err != nil || !ok {
		return p, false, err
	}
	type link struct {
		call lateCall
		at   int
	}
	var links []link
	for i, e := range p.batch {
		if !chained(&e.Event) {
			continue
		}
		c := db.lately.of(e, db.generation)
		if !db.lately.near(&c) {
			return p, false, nil
		}
		links = append(links, link{c, i})
	}
	slices.SortFunc(links, func(a, b link) int { return byEnd(&a.call, &b.call) })
	where := make([]int32, len(links))
	for i := range links {
		where[i] = db.lately.insert(links[i].call)
	}
	p.marks = make([]marks, len(p.batch))
	for i := range links {
		p.marks[links[i].at] = db.lately.calls[where[i]].marks
	}
	p.changed, ok = db.lately.changed(db.generation)
	return p, ok, nil
}

// onlyBest is the batch with, of an id that two observers agree on and of the two
// halves of a call, the one that stays (apply_twins_batch.sql).
func onlyBest(batch []store.Entry) []*store.Entry {
	all := make([]*store.Entry, 0, len(batch))
	var places map[idOf]int
	for i := range batch {
		e := &batch[i]
		if store.Agreed(e.Event.ID) || e.Event.SeenBy == store.Halves {
			if places == nil {
				places = map[idOf]int{}
			}
			if at, again := places[keyOf(e)]; again {
				if better(&e.Event, &all[at].Event) {
					all[at] = e
				}
				continue
			}
			places[keyOf(e)] = len(all)
		}
		all = append(all, e)
	}
	return all
}

func better(e, than *umpire.Event) bool {
	if sdk := e.SeenBy == "sdk"; sdk != (than.SeenBy == "sdk") {
		return sdk
	}
	return store.Whole(e) && !store.Whole(than)
}

// twins finds what the batch brings again: duplicates leave the batch, and what yields
// to the batch's is gone, if it is in the generation (apply_twins.sql).
func (db *DB) twins(ctx context.Context, p *plan) (ok bool, err error) {
	again := map[idOf]*store.Entry{}
	first, last := time.Time{}, time.Time{}
	for _, e := range p.batch {
		if e.Fresh || !store.Agreed(e.Event.ID) && !store.Whole(&e.Event) {
			continue
		}
		again[keyOf(e)] = e
		if at := startedAt(&e.Event); len(again) == 1 {
			first, last = at, at
		} else if at.Before(first) {
			first = at
		} else if at.After(last) {
			last = at
		}
	}
	if len(again) == 0 {
		return true, nil
	}
	// What is being sealed is in the file soon.
	if err := db.sealed(ctx); err != nil {
		return false, err
	}
	ids := make([]string, 0, len(again))
	for k := range again {
		ids = append(ids, "'"+k.id.String()+"'")
	}
	const what = "SELECT project, id, kind, seen_by, handler_ran, outcome, session, tool, %s AS here FROM %s WHERE id IN (%s)"
	list := strings.Join(ids, ", ")
	query := fmt.Sprintf(what, "true", hotTable(db.generation), list) + " UNION ALL " + fmt.Sprintf(what, "false", "cold.main.events", list) +
		fmt.Sprintf(" AND started_at BETWEEN make_timestamp(%d) AND make_timestamp(%d)", first.AddDate(0, 0, -1).UnixMicro(), last.AddDate(0, 0, 1).UnixMicro())
	rows, err := db.hot.QueryContext(ctx, query)
	if err != nil {
		return false, fmt.Errorf("cannot look for twins: %w", err)
	}
	defer rows.Close()
	drop := map[idOf]bool{}
	for rows.Next() {
		var was umpire.Event
		var project uint32
		var id duck.UUID
		var here bool
		if err := rows.Scan(&project, &id, &was.Kind, &was.SeenBy, &was.HandlerRan, &was.Outcome, &was.Session, &was.Tool, &here); err != nil {
			return false, fmt.Errorf("cannot read a twin: %w", err)
		}
		k := idOf{project, umpire.ID(id)}
		e := again[k]
		switch {
		case e == nil: // of another project
		case !yields(&was, &e.Event):
			drop[k] = true
		case !here:
			return false, nil
		default:
			if chained(&was) && !db.lately.remove(db.lately.key(project, was.Session, was.Tool), k.id) {
				return false, nil
			}
			p.gone = append(p.gone, k)
		}
	}
	p.batch = slices.DeleteFunc(p.batch, func(e *store.Entry) bool { return again[keyOf(e)] == e && drop[keyOf(e)] })
	return true, rows.Err()
}

func yields(was, to *umpire.Event) bool {
	return was.SeenBy == "proxy" && to.SeenBy == "sdk" || was.SeenBy == store.Halves && was.HandlerRan != "yes" && store.Whole(to)
}

// goneValues and changedValues are tables g and m for a statement.
func (p plan) goneValues() string {
	values := make([]string, len(p.gone))
	for i, k := range p.gone {
		values[i] = fmt.Sprintf("(%d, '%s'::UUID)", k.project, k.id)
	}
	return "(VALUES " + strings.Join(values, ", ") + ") g(project, id)"
}

func (p plan) changedValues() string {
	values := make([]string, len(p.changed))
	for i, c := range p.changed {
		values[i] = fmt.Sprintf("(%d, '%s'::UUID, %v, %v, %v)", c.project, c.id, c.marks.retry, c.marks.reworded, c.marks.repeated)
	}
	return "(VALUES " + strings.Join(values, ", ") + ") m(project, id, is_retry, reworded, repeated)"
}

// changedAre is the condition on a table that its row is one of the changed, spelled so
// that it is found without a join.
func (p plan) changedAre(table string) string {
	ids := map[uint32][]string{}
	for _, c := range p.changed {
		ids[c.project] = append(ids[c.project], "'"+c.id.String()+"'::UUID")
	}
	var all []string
	for project, of := range ids {
		all = append(all, fmt.Sprintf("%s.project = %d AND %s.id IN (%s)", table, project, table, strings.Join(of, ", ")))
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

// carryOut does to the generation what was planned.
func (db *DB) carryOut(ctx context.Context, tx *sql.Tx, p plan) error {
	hot, counts := "memory.main."+baseTable(db.generation), factsTable(db.generation)
	do := func(what string, statements ...string) error {
		for _, s := range statements {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("cannot %s: %w", what, err)
			}
		}
		return nil
	}
	if len(p.gone) > 0 {
		gone := " h USING " + p.goneValues() + " WHERE h.project = g.project AND h.id = g.id"
		if err := do("take out what was replaced", "DELETE FROM "+hot+gone, "DELETE FROM "+counts+gone); err != nil {
			return err
		}
	}
	if len(p.changed) > 0 {
		marked := p.changedValues()
		facts, err := factsOf(db.generation, p.changedAre("s"))
		if err != nil {
			return err
		}
		err = do("mark calls",
			"UPDATE "+hot+" SET is_retry = m.is_retry, reworded = m.reworded, repeated = m.repeated FROM "+marked+
				" WHERE "+hot+".project = m.project AND "+hot+".id = m.id",
			"DELETE FROM "+counts+" h USING "+marked+" WHERE h.project = m.project AND h.id = m.id",
			"INSERT INTO "+counts+" "+facts)
		if err != nil {
			return err
		}
	}
	if len(p.batch) == 0 {
		return nil
	}
	if err := db.stage.put(db.hot, db.generation, p.batch, p.marks); err != nil {
		return err
	}
	facts, err := factsOf(db.generation, fmt.Sprintf("s.seq > %d", db.applied))
	if err != nil {
		return err
	}
	if err := do("count a batch", "INSERT INTO "+counts+" "+facts); err != nil {
		return err
	}
	if !slices.ContainsFunc(p.batch, func(e *store.Entry) bool { return e.Event.Kind == "catalog" && len(e.Event.Tools) > 0 }) {
		return nil
	}
	return fill(db.hot, "memory", fmt.Sprintf("listed_%d", db.generation), func(a *duck.Appender) error {
		for _, e := range p.batch {
			if err := appendListed(a, e); err != nil {
				return err
			}
		}
		return nil
	})
}
