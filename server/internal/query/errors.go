package query

import (
	"context"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// ErrorsAnswer answers: what fails, over all tools?
type ErrorsAnswer struct {
	Header
	Calls    int64    `json:"calls"`
	Failed   int64    `json:"failed"`
	Rate     *float64 `json:"error_rate"` // failed of calls
	Outcomes Outcomes `json:"outcomes"`   // ok is always 0 here
	// Classes split the failures by what failed behind the tool (outcomes.md 5.7), in
	// the order of store.Classes; they add up to failed.
	Classes []ErrorClass `json:"classes"`
	// Unnamed is the share of failures that have neither a name nor a status, of those
	// that are no refused arguments.
	Unnamed     Share         `json:"unnamed"`
	Granularity string        `json:"granularity"`
	Series      []ErrorBucket `json:"series"`
	Failures    []Failure     `json:"failures"`
	// More reports that there are more groups than are listed.
	More bool `json:"more"`
	// New counts the groups listed that the project had never seen before the range.
	New         int64         `json:"new"`
	ErrorTypes  []ErrorType   `json:"error_types"`
	NotReported []NotReported `json:"not_reported"`
}

// ErrorClass is a class of failures and how many calls failed so.
type ErrorClass struct {
	Class string `json:"class"`
	Calls int64  `json:"calls"`
}

// ErrorBucket is one step of a series of failures.
type ErrorBucket struct {
	At       time.Time        `json:"at"`
	Failed   int64            `json:"failed"`
	Outcomes Outcomes         `json:"outcomes"` // ok is always 0 here
	Classes  map[string]int64 `json:"classes"`  // those that are not zero
}

// ErrorType is a name of errors with its status, over all tools.
type ErrorType struct {
	ErrorType   string    `json:"error_type,omitempty"`
	ErrorStatus *int64    `json:"error_status"`
	Class       string    `json:"class"`
	Calls       int64     `json:"calls"`
	Tools       int64     `json:"tools"`
	Clients     int64     `json:"clients"`
	FirstSeen   time.Time `json:"first_seen"` // in the range
	LastSeen    time.Time `json:"last_seen"`
}

// ErrorTypesAnswer answers: which names do failures have, and which statuses?
type ErrorTypesAnswer struct {
	Header
	ErrorTypes []ErrorType `json:"error_types"` // most calls first
	// More reports that there are more than are listed.
	More bool `json:"more"`
}

// Limits of the lists of Errors.
const (
	maxGroups     = 500
	maxErrorTypes = 100 // beside the groups
	maxTypesAlone = 500 // as a list of their own
)

// Errors answers: what fails, over all tools? It holds every failed call that the
// filter lets through; all its counts add up to failed.
func Errors(ctx context.Context, src Source, p Params) (ErrorsAnswer, error) {
	return errorParts(ctx, src, p, (*ErrorsAnswer).addTotals, (*ErrorsAnswer).addSeries, (*ErrorsAnswer).addGroups, (*ErrorsAnswer).addTypes)
}

// ErrorFigures and ErrorGroups are parts of Errors, for a page that shows each by
// itself; the rest of the answer is left out.
func ErrorFigures(ctx context.Context, src Source, p Params) (ErrorsAnswer, error) {
	return errorParts(ctx, src, p, (*ErrorsAnswer).addTotals, (*ErrorsAnswer).addSeries)
}

// ErrorGroups are the failures, grouped: see ErrorFigures.
func ErrorGroups(ctx context.Context, src Source, p Params) (ErrorsAnswer, error) {
	return errorParts(ctx, src, p, (*ErrorsAnswer).addGroups)
}

// ErrorTypes answers: which names do failures have, and which statuses?
func ErrorTypes(ctx context.Context, src Source, p Params) (ErrorTypesAnswer, error) {
	return asOne(ctx, src, func(src Source) (ErrorTypesAnswer, error) {
		if _, err := keptFor(ctx, src, p.Filter); err != nil {
			return ErrorTypesAnswer{}, err
		}
		types, err := errorTypes(ctx, src, p.Filter, maxTypesAlone+1)
		if err != nil {
			return ErrorTypesAnswer{}, err
		}
		answer := ErrorTypesAnswer{Header: p.header(), ErrorTypes: types}
		if len(types) > maxTypesAlone {
			answer.ErrorTypes, answer.More = types[:maxTypesAlone], true
		}
		return answer, nil
	})
}

type errorPart func(a *ErrorsAnswer, ctx context.Context, src Source, p Params) error

func errorParts(ctx context.Context, src Source, p Params, parts ...errorPart) (ErrorsAnswer, error) {
	return asOne(ctx, src, func(src Source) (ErrorsAnswer, error) {
		answer := ErrorsAnswer{Header: p.header()}
		kept, err := keptFor(ctx, src, p.Filter)
		if err != nil {
			return ErrorsAnswer{}, err
		}
		p.RawGone = rawGone(kept, p.Filter)
		for _, add := range parts {
			if err := add(&answer, ctx, src, p); err != nil {
				return ErrorsAnswer{}, err
			}
		}
		return answer, nil
	})
}

func (a *ErrorsAnswer) addTotals(ctx context.Context, src Source, p Params) error {
	totals, err := src.Totals(ctx, p.Filter)
	if err != nil {
		return err
	}
	a.Calls, a.Failed = totals.Calls, failed(totals.Counts)
	a.Outcomes = Outcomes{BadArgs: totals.BadArgs, ToolError: totals.ToolError, Crashed: totals.Crashed}
	a.Rate = rate(a.Failed, a.Calls)
	unseen, err := unseenOf(ctx, src, p.Filter)
	a.NotReported = unseen.list
	return err
}

func (a *ErrorsAnswer) addGroups(ctx context.Context, src Source, p Params) (err error) {
	if a.Failures, err = failures(ctx, src, p.Filter, maxGroups+1); err != nil {
		return err
	}
	if len(a.Failures) > maxGroups {
		a.Failures, a.More = a.Failures[:maxGroups], true
	}
	for _, f := range a.Failures {
		if f.New {
			a.New++
		}
	}
	return nil
}

// addSeries fills in the failures step by step, and their classes.
func (a *ErrorsAnswer) addSeries(ctx context.Context, src Source, p Params) error {
	g, err := p.seriesStep()
	if err != nil {
		return err
	}
	points, err := src.ErrorSeries(ctx, p.Filter, g.step)
	if err != nil {
		return err
	}
	a.Granularity, a.Series = g.name, []ErrorBucket{}
	classes := map[string]int64{}
	for at := store.StepStart(p.Filter.From, g.step); at.Before(p.Filter.To); at = at.Add(g.step) {
		b := ErrorBucket{At: at, Classes: map[string]int64{}}
		for ; len(points) > 0 && points[0].At.Equal(at); points = points[1:] {
			b.add(points[0])
			classes[points[0].Class] += points[0].Calls
		}
		a.Series = append(a.Series, b)
	}
	if len(points) > 0 {
		return fmt.Errorf("BUG: the store has a step at %v, which is none of the series'", points[0].At)
	}
	for _, class := range store.Classes() {
		a.Classes = append(a.Classes, ErrorClass{class, classes[class]})
	}
	named := a.Failed - classes[store.ClassArguments] // or could be
	a.Unnamed = Share{Rate: rate(classes[store.ClassUnnamed], named), Of: named}
	return nil
}

func (b *ErrorBucket) add(p store.ErrorPoint) {
	b.Failed += p.Calls
	b.Classes[p.Class] += p.Calls
	switch umpire.Outcome(p.Outcome) {
	case umpire.BadArgs:
		b.Outcomes.BadArgs += p.Calls
	case umpire.ToolError:
		b.Outcomes.ToolError += p.Calls
	case umpire.Crashed:
		b.Outcomes.Crashed += p.Calls
	}
}

func (a *ErrorsAnswer) addTypes(ctx context.Context, src Source, p Params) (err error) {
	a.ErrorTypes, err = errorTypes(ctx, src, p.Filter, maxErrorTypes)
	return err
}

func errorTypes(ctx context.Context, src Source, f store.Filter, limit int) ([]ErrorType, error) {
	rows, err := src.ErrorTypes(ctx, f, limit)
	if err != nil {
		return nil, err
	}
	out := make([]ErrorType, 0, len(rows))
	for _, r := range rows {
		out = append(out, ErrorType{
			ErrorType: r.ErrorType, ErrorStatus: known(r.ErrorStatus, r.ErrorStatus), Class: r.Class,
			Calls: r.Calls, Tools: r.Tools, Clients: r.Clients, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
		})
	}
	return out, nil
}
