package storetest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// RunSome is Run for a store that takes its time to plan a statement: where all
// questions are compared with the recount, one in so many is, another one each time, so
// that every question has its turns in every part of the suite.
func RunSome(t *testing.T, every int, open func(t testing.TB) store.Store, only ...string) {
	run(t, every, open, only...)
}

// turn reports whether it is the nth question's turn.
func (b *bench) turn(n int) bool { return b.every < 2 || (b.turns+n)%b.every == 0 }

// question fills in fields of answers.
type question struct {
	fields []string
	ask    func(r store.Reader, f store.Filter, a *answers) error
}

// questions are all that ask asks.
var questions = []question{
	one("Totals", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) { return r.Totals(ctx, f) }),
	one("Apart", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) {
		var all [][2]store.Totals
		var failed error
		for _, at := range apart(f) {
			before, since, err := r.TotalsApart(ctx, f, at)
			all, failed = append(all, [2]store.Totals{before, since}), errors.Join(failed, err)
		}
		return all, failed
	}),
	one("Series", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) {
		series := map[string][]store.Point{}
		var failed error
		for _, step := range steps {
			points, err := r.Series(ctx, f, step)
			series[step.String()], failed = points, errors.Join(failed, err)
		}
		return series, failed
	}),
	one("Tools", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) { return r.ByTool(ctx, f) }),
	one("Clients", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) { return r.ByClient(ctx, f) }),
	one("ClientVersions", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) {
		return r.ClientVersions(ctx, f, limit)
	}),
	one("Unknown", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) {
		return r.UnknownTools(ctx, f, limit)
	}),
	one("Failures", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) {
		return r.Failures(ctx, f, limit)
	}),
	one("BadParams", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) {
		return r.BadParams(ctx, f, limit)
	}),
	one("EmptyRules", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) { return r.EmptyRules(ctx, f) }),
	one("Suspects", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) { return r.Suspects(ctx, f) }),
	{[]string{"Before", "After"}, func(r store.Reader, f store.Filter, a *answers) (err error) {
		a.Before, a.After, err = r.Neighbours(context.Background(), f, limit)
		return err
	}},
	one("Facets", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) { return r.Facets(ctx, f) }),
	one("Senders", func(ctx context.Context, r store.Reader, f store.Filter) (any, error) {
		return r.Senders(ctx, f, limit)
	}),
	one("Calls", func(_ context.Context, r store.Reader, f store.Filter) (any, error) { return allCalls(r, f) }),
}

// one is a question of one field.
func one(field string, ask func(context.Context, store.Reader, store.Filter) (any, error)) question {
	return question{[]string{field}, func(r store.Reader, f store.Filter, a *answers) error {
		v, err := ask(context.Background(), r, f)
		reflect.ValueOf(a).Elem().FieldByName(field).Set(reflect.ValueOf(v))
		return err
	}}
}

// ask asks the questions whose turn it is; what is not asked is as wanted.
func (b *bench) ask(f store.Filter, want answers) (answers, error) {
	got := want
	into := reflect.ValueOf(&got).Elem()
	var failed error
	for i, q := range questions {
		if !b.turn(i) {
			continue
		}
		var a answers
		failed = errors.Join(failed, q.ask(b, f, &a))
		for _, field := range q.fields {
			into.FieldByName(field).Set(reflect.ValueOf(a).FieldByName(field))
		}
	}
	return got, failed
}

// apart is where a range is cut in two: at a whole hour and within one, if it holds them.
func apart(f store.Filter) (moments []time.Time) {
	middle := f.From.Add(f.To.Sub(f.From) / 2)
	for _, at := range []time.Time{middle.Truncate(time.Hour), middle} {
		if !at.Before(f.From) && !at.After(f.To) {
			moments = append(moments, at)
		}
	}
	return moments
}
