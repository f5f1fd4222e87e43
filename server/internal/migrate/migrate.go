package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Source is what is copied from.
type Source interface {
	store.Dumper
	Kept(ctx context.Context, project uint32) (store.Kept, error)
}

// Target is what is copied into.
type Target interface {
	store.Dumper
	store.Loader
}

// Project is a project with its number, which is the same in both stores.
type Project struct {
	ID   uint32
	Name string
}

// Progress is how far it is.
type Progress struct {
	// Verifying: everything is copied, and is being compared.
	Verifying bool
	Day       time.Time
	// Rows of Total are there; Skipped of them were before.
	Rows, Total, Skipped int64
}

// chunk is how many rows are sent at once. It is a part of what a token stands for:
// another size could store rows twice.
const chunk = 20_000

const day = 24 * time.Hour

// run is one run.
type run struct {
	from     Source
	to       Target
	tell     func(Progress)
	progress Progress
}

// Run copies the projects. tell hears of the progress, often; nil: nobody does.
func Run(ctx context.Context, from Source, to Target, projects []Project, tell func(Progress)) (Progress, error) {
	r := &run{from: from, to: to, tell: tell}
	if tell == nil {
		r.tell = func(Progress) {}
	}
	var plans []plan
	for _, p := range projects {
		made, err := r.plan(ctx, p)
		if err != nil {
			return r.progress, fmt.Errorf("cannot look at project %q: %w", p.Name, err)
		}
		plans = append(plans, made)
	}
	for _, at := range days(plans) {
		r.progress.Day = at
		for _, p := range plans {
			if err := r.day(ctx, p, at); err != nil {
				return r.progress, fmt.Errorf("cannot copy %s of project %q: %w", at.Format(time.DateOnly), p.Name, err)
			}
		}
	}
	for _, p := range plans {
		if err := r.rest(ctx, p); err != nil {
			return r.progress, fmt.Errorf("cannot copy what lists the tools of project %q: %w", p.Name, err)
		}
	}
	r.progress.Verifying = true
	for _, p := range plans {
		if err := r.verify(ctx, p); err != nil {
			return r.progress, err
		}
	}
	r.tell(r.progress)
	return r.progress, nil
}

// plan is what is to be copied of a project.
type plan struct {
	Project
	kept  store.Kept
	spans map[string]span // by table
}

// span holds every row of a table: from is included, to is not.
type span struct{ from, to time.Time }

func (s span) has(day time.Time) bool { return !day.Before(s.from) && day.Before(s.to) }

// plan finds what there is, and refuses a target that has something else.
func (r *run) plan(ctx context.Context, project Project) (plan, error) {
	p := plan{Project: project, spans: map[string]span{}}
	var err error
	if p.kept, err = r.from.Kept(ctx, p.ID); err != nil {
		return p, err
	}
	for _, t := range tables() {
		first, last, err := r.from.Span(ctx, t, p.ID)
		if err != nil {
			return p, err
		}
		if !first.IsZero() {
			p.spans[t.Name] = span{first.Truncate(day), last.Truncate(day).Add(day)}
		}
		if err := r.nothingElse(ctx, p, t); err != nil {
			return p, err
		}
	}
	events := p.spans[store.Events.Name]
	hours, err := r.from.Sums(ctx, store.Events, p.ID, events.from, events.to)
	for _, h := range hours {
		r.progress.Total += h.Rows
	}
	return p, err
}

// nothingElse refuses a target that has rows of the project where the source has none.
func (r *run) nothingElse(ctx context.Context, p plan, t store.Table) error {
	first, last, err := r.to.Span(ctx, t, p.ID)
	if err != nil || first.IsZero() {
		return err
	}
	own := p.spans[t.Name]
	if first.Truncate(day).Before(own.from) || !last.Truncate(day).Before(own.to) {
		return fault.New(fault.Conflict,
			fmt.Sprintf("there is something else in %s of project %q already, from %s to %s", t.Name, p.Name, first.Format(time.RFC3339), last.Format(time.RFC3339)),
			"migrate before the project's senders are pointed at the new store, or into another database")
	}
	return nil
}

func tables() []store.Table { return append([]store.Table{store.Events}, store.Rollups...) }

// days are all days of all plans, oldest first.
func days(plans []plan) []time.Time {
	seen := map[time.Time]bool{}
	for _, p := range plans {
		for _, s := range p.spans {
			for at := s.from; at.Before(s.to); at = at.Add(day) {
				seen[at] = true
			}
		}
	}
	all := make([]time.Time, 0, len(seen))
	for at := range seen {
		all = append(all, at)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// day copies a day: its raw events, which the target counts, or, where they are gone,
// what was counted.
func (r *run) day(ctx context.Context, p plan, at time.Time) error {
	if !at.Before(p.kept.Raw) {
		return r.table(ctx, p, store.Events, at)
	}
	for _, t := range store.Rollups {
		if err := r.table(ctx, p, t, at); err != nil {
			return err
		}
	}
	return nil
}

// table copies a day of a table, unless it is there. A part of it that is there was
// sent under the same tokens, and is not stored again.
func (r *run) table(ctx context.Context, p plan, t store.Table, at time.Time) error {
	if !p.spans[t.Name].has(at) {
		return nil
	}
	want, err := r.from.Sums(ctx, t, p.ID, at, at.Add(day))
	if err != nil {
		return err
	}
	have, err := r.to.Sums(ctx, t, p.ID, at, at.Add(day))
	if err != nil {
		return err
	}
	if differs(t, want, have) == nil {
		r.count(t, rowsOf(want), true)
		return nil
	}
	return r.send(ctx, p, t, at, at.Add(day))
}

// count notes progress, which is told in raw events.
func (r *run) count(t store.Table, rows int64, before bool) {
	if t.Name == store.Events.Name {
		r.progress.Rows += rows
		if before {
			r.progress.Skipped += rows
		}
	}
	r.tell(r.progress)
}

// send copies rows, some at a time.
func (r *run) send(ctx context.Context, p plan, t store.Table, from, to time.Time) error {
	var rows [][]any
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		if err := r.to.Load(ctx, t, token(t, rows), rows); err != nil {
			return err
		}
		r.count(t, int64(len(rows)), false)
		rows = rows[:0]
		return nil
	}
	err := r.from.Rows(ctx, t, p.ID, from, to, func(row []any) error {
		if rows = append(rows, slices.Clone(row)); len(rows) < chunk {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// token is a name of these rows: the same rows have the same one.
func token(t store.Table, rows [][]any) string {
	h := sha256.New()
	for _, row := range rows {
		fmt.Fprintf(h, "%q\n", fmt.Sprint(row))
	}
	return "migrate-" + t.Name + "-" + hex.EncodeToString(h.Sum(nil)[:12])
}

// rest copies what has no hours: definitions, and since when rows are there.
func (r *run) rest(ctx context.Context, p plan) error {
	first, last, err := r.from.Span(ctx, store.Catalog, p.ID)
	if err != nil {
		return err
	}
	if !first.IsZero() {
		if err := r.send(ctx, p, store.Catalog, first, last.Add(time.Second)); err != nil {
			return err
		}
	}
	return r.to.LoadKept(ctx, p.ID, p.kept)
}
