package reader

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// keyed are the places of a key's columns, and of what follows them.
func keyed(k *store.FailureKey, more ...any) []any {
	return append([]any{&k.Fingerprint, &k.Tool, &k.Outcome, &k.Cause, &k.ErrorType, &k.ErrorStatus}, more...)
}

// Failures implements store.Reader.
func (in *reader) Failures(ctx context.Context, f store.Filter, limit int) ([]store.FailureRow, error) {
	var all []store.FailureRow
	err := in.each(ctx, "failures", limited(f, limit), func(scan func(...any) error) error {
		var r store.FailureRow
		err := scan(keyed(&r.FailureKey, &r.Message, &r.Sample, &r.Calls, &r.Clients, &r.FirstSeen, &r.LastSeen, &r.FirstEver)...)
		r.FirstSeen, r.LastSeen, r.FirstEver = r.FirstSeen.UTC(), r.LastSeen.UTC(), r.FirstEver.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// FailurePlaces implements store.Reader.
func (in *reader) FailurePlaces(ctx context.Context, f store.Filter, limit int) ([]store.FailurePlaceRow, error) {
	var all []store.FailurePlaceRow
	err := in.each(ctx, "failure_places", limited(f, limit), func(scan func(...any) error) error {
		var r store.FailurePlaceRow
		err := scan(keyed(&r.FailureKey, &r.Server, &r.Version, &r.Env, &r.Client, &r.Calls, &r.LastSeen, &r.Sample)...)
		r.LastSeen = r.LastSeen.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// AfterFailures implements store.Reader.
func (in *reader) AfterFailures(ctx context.Context, f store.Filter, limit int) (total store.After, all []store.AfterRow, err error) {
	err = in.each(ctx, "after_failures", limited(f, limit), func(scan func(...any) error) error {
		var r store.AfterRow
		err := scan(keyed(&r.FailureKey,
			&r.Corrected, &r.Repeated, &r.TriedAgain, &r.AnotherTool, &r.GaveUp, &r.Open, &r.NoSession,
			&total.Corrected, &total.Repeated, &total.TriedAgain, &total.AnotherTool, &total.GaveUp, &total.Open, &total.NoSession)...)
		all = append(all, r)
		return err
	})
	return total, all, err
}

// ErrorTypes implements store.Reader.
func (in *reader) ErrorTypes(ctx context.Context, f store.Filter, limit int) ([]store.ErrorTypeRow, error) {
	var all []store.ErrorTypeRow
	err := in.each(ctx, "error_types", limited(f, limit), func(scan func(...any) error) error {
		var r store.ErrorTypeRow
		err := scan(&r.ErrorType, &r.ErrorStatus, &r.Class, &r.Calls, &r.Tools, &r.Clients, &r.FirstSeen, &r.LastSeen)
		r.FirstSeen, r.LastSeen = r.FirstSeen.UTC(), r.LastSeen.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// ErrorSeries implements store.Reader.
func (in *reader) ErrorSeries(ctx context.Context, f store.Filter, step time.Duration) ([]store.ErrorPoint, error) {
	q := statement.New(f)
	q.Step = step
	var all []store.ErrorPoint
	err := in.each(ctx, "error_series", q, func(scan func(...any) error) error {
		var p store.ErrorPoint
		var at int64
		err := scan(&at, &p.Outcome, &p.Class, &p.Calls)
		p.At = time.UnixMicro(at).UTC()
		all = append(all, p)
		return err
	})
	return all, err
}
