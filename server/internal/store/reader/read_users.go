package reader

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// UserList implements store.Reader.
func (in *reader) UserList(ctx context.Context, f store.Filter, since time.Time, calls int64, name string, limit int) ([]store.UserRow, error) {
	q := limited(f, limit)
	q.Since, q.Count, q.Key = since, calls, name
	var all []store.UserRow
	err := in.each(ctx, "users", q, func(scan func(...any) error) error {
		var r store.UserRow
		err := scan(&r.User, &r.Calls, &r.OK, &r.Empty, &r.BadArgs, &r.ToolError, &r.Crashed, &r.FirstSeen, &r.LastSeen, &r.Days, &r.Returning)
		r.FirstSeen, r.LastSeen = r.FirstSeen.UTC(), r.LastSeen.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// UserSeries implements store.Reader.
func (in *reader) UserSeries(ctx context.Context, f store.Filter, since time.Time, step time.Duration) ([]store.UserPoint, error) {
	q := statement.New(f)
	q.Since, q.Step = since, step
	var all []store.UserPoint
	err := in.each(ctx, "users_series", q, func(scan func(...any) error) error {
		var p store.UserPoint
		var at int64
		err := scan(&at, &p.Users, &p.New)
		p.At = time.UnixMicro(at).UTC()
		all = append(all, p)
		return err
	})
	return all, err
}

// UserTotals implements store.Reader.
func (in *reader) UserTotals(ctx context.Context, f store.Filter, since time.Time) (t store.UserTotals, err error) {
	q := statement.New(f)
	q.Since = since
	q.Day, q.Week, q.Month = f.Lately()
	err = in.each(ctx, "users_active", q, func(scan func(...any) error) error {
		return scan(&t.Day, &t.Week, &t.Month, &t.Range, &t.New)
	})
	return t, err
}

// IntentTools implements store.Reader.
func (in *reader) IntentTools(ctx context.Context, f store.Filter, limit int) ([]store.IntentRow, error) {
	var all []store.IntentRow
	err := in.each(ctx, "intents", limited(f, limit), func(scan func(...any) error) error {
		var r store.IntentRow
		err := scan(&r.Tool, &r.Calls, &r.Told)
		all = append(all, r)
		return err
	})
	return all, err
}

// Reads implements store.Reader.
func (in *reader) Reads(ctx context.Context, f store.Filter, kind string, limit int) ([]store.ReadRow, error) {
	q := limited(f, limit)
	q.Key = kind
	var all []store.ReadRow
	index := map[string]int{}
	err := in.each(ctx, "reads", q, func(scan func(...any) error) error {
		var r store.ReadRow
		err := scan(&r.Name, &r.Reads, &r.OK, &r.BadArgs, &r.ToolError, &r.Crashed, &r.Clients, &r.LastSeen)
		r.LastSeen = r.LastSeen.UTC()
		index[r.Name] = len(all)
		all = append(all, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = in.each(ctx, "reads_latency", q, func(scan func(...any) error) error {
		var name string
		var bucket int
		var n int64
		err := scan(&name, &bucket, &n)
		if i, ok := index[name]; ok {
			all[i].Latency = add(all[i].Latency, bucket, n)
		}
		return err
	})
	return all, err
}
