package reader

import (
	"context"
	"database/sql"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// ByRelease implements store.Reader.
func (in *reader) ByRelease(ctx context.Context, f store.Filter) ([]store.ReleaseRow, error) {
	q := statement.New(f)
	var all []store.ReleaseRow
	err := in.snapshot(ctx, func(tx *sql.Tx) error {
		type release struct{ server, version string }
		index := map[release]int{}
		err := in.rows(ctx, tx, "releases", q, func(scan func(...any) error) error {
			var r store.ReleaseRow
			err := scan(&r.Server, &r.Version, &r.Calls, &r.OK, &r.Empty, &r.BadArgs, &r.ToolError, &r.Crashed,
				&r.ResponseBytes, &r.ResponseKnown, &r.Retries, &r.FirstCalls, &r.FirstOK, &r.LastSeen)
			r.LastSeen = r.LastSeen.UTC()
			index[release{r.Server, r.Version}] = len(all)
			all = append(all, r)
			return err
		})
		if err != nil {
			return err
		}
		return in.releaseParts(ctx, tx, q, func(server, version string) *store.ReleaseRow {
			if i, ok := index[release{server, version}]; ok {
				return &all[i]
			}
			return &store.ReleaseRow{}
		})
	})
	return all, err
}

func (in *reader) releaseParts(ctx context.Context, tx *sql.Tx, q statement.Question, row func(server, version string) *store.ReleaseRow) error {
	var server, version string
	err := in.rows(ctx, tx, "releases_latency", q, func(scan func(...any) error) error {
		var bucket int
		var n int64
		err := scan(&server, &version, &bucket, &n)
		r := row(server, version)
		r.Latency = add(r.Latency, bucket, n)
		return err
	})
	if err != nil {
		return err
	}
	err = in.rows(ctx, tx, "releases_sessions", q, func(scan func(...any) error) error {
		var n int64
		err := scan(&server, &version, &n)
		row(server, version).Sessions = n
		return err
	})
	if err != nil {
		return err
	}
	return in.rows(ctx, tx, "releases_since", q, func(scan func(...any) error) error {
		var since time.Time
		err := scan(&server, &version, &since)
		row(server, version).Since = since.UTC()
		return err
	})
}

// Changes implements store.Reader.
func (in *reader) Changes(ctx context.Context, f store.Filter) ([]store.ChangeRow, error) {
	var all []store.ChangeRow
	err := in.each(ctx, "changes", limited(f, store.MaxChanges), func(scan func(...any) error) error {
		var c store.ChangeRow
		err := scan(&c.Kind, &c.Server, &c.Name, &c.Before, &c.Value, &c.At)
		c.At = c.At.UTC()
		all = append(all, c)
		return err
	})
	return all, err
}

// ClientVersions implements store.Reader.
func (in *reader) ClientVersions(ctx context.Context, f store.Filter, limit int) ([]store.ClientVersionRow, error) {
	var all []store.ClientVersionRow
	err := in.each(ctx, "versions_of_clients", limited(f, limit), func(scan func(...any) error) error {
		var r store.ClientVersionRow
		err := scan(&r.Client, &r.Version, &r.Calls, &r.OK, &r.Empty, &r.BadArgs, &r.ToolError, &r.Crashed,
			&r.FirstCalls, &r.FirstOK, &r.FirstSeen, &r.LastSeen)
		r.FirstSeen, r.LastSeen = r.FirstSeen.UTC(), r.LastSeen.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}
