package reader

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// rows runs a statement of package sql and calls row with the scanner of each row.
func (in *reader) rows(ctx context.Context, from querier, name string, q statement.Question, row func(scan func(...any) error) error) error {
	text, args, err := in.dialect.Render(name, q)
	if err != nil {
		return err
	}
	rows, err := from.QueryContext(ctx, text, args...)
	if err != nil {
		return fmt.Errorf("cannot ask %q: %w", name, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return fmt.Errorf("cannot read a row of %q: %w", name, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("cannot read the rows of %q: %w", name, err)
	}
	return nil
}

// Totals implements store.Reader.
func (in *reader) Totals(ctx context.Context, f store.Filter) (store.Totals, error) {
	_, t, err := in.TotalsApart(ctx, f, time.Time{})
	return t, err
}

// TotalsApart implements store.Reader.
func (in *reader) TotalsApart(ctx context.Context, f store.Filter, at time.Time) (before, since store.Totals, err error) {
	q := statement.New(f)
	q.Rollups = q.Rollups && at.Equal(at.Truncate(time.Hour))
	q.Split = at
	var parts [2]store.Totals
	err = in.snapshot(ctx, func(tx *sql.Tx) error { return in.totals(ctx, tx, q, &parts) })
	return parts[0], parts[1], err
}

func (in *reader) totals(ctx context.Context, tx *sql.Tx, q statement.Question, parts *[2]store.Totals) error {
	var part int
	err := in.rows(ctx, tx, "totals", q, func(scan func(...any) error) error {
		var t store.Totals
		err := scan(&part, &t.Calls, &t.OK, &t.Empty, &t.BadArgs, &t.ToolError, &t.Crashed, &t.Cancelled, &t.Rounds, &t.SetAside,
			&t.Retries, &t.Reworded, &t.NoSession, &t.FirstCalls, &t.FirstOK,
			&t.RequestBytes, &t.RequestKnown, &t.ResponseBytes, &t.ResponseKnown)
		parts[part] = t
		return err
	})
	if err != nil {
		return err
	}
	err = in.rows(ctx, tx, "totals_latency", q, func(scan func(...any) error) error {
		var bucket int
		var n int64
		err := scan(&part, &bucket, &n)
		parts[part].Latency = add(parts[part].Latency, bucket, n)
		return err
	})
	if err != nil {
		return err
	}
	err = in.rows(ctx, tx, "totals_sessions", q, func(scan func(...any) error) error {
		var n int64
		err := scan(&part, &n)
		parts[part].Sessions = n
		return err
	})
	if err != nil {
		return err
	}
	return in.rows(ctx, tx, "totals_kinds", q, func(scan func(...any) error) error {
		var kind string
		var n int64
		err := scan(&part, &kind, &n)
		t := &parts[part]
		if kind == store.Outside {
			t.Outside = n
			return err
		}
		if t.OtherKinds == nil {
			t.OtherKinds = map[string]int64{}
		}
		t.OtherKinds[kind] = n
		return err
	})
}

func add(h store.Histogram, bucket int, n int64) store.Histogram {
	if h == nil {
		h = store.Histogram{}
	}
	h[bucket] += n
	return h
}

// Series implements store.Reader.
func (in *reader) Series(ctx context.Context, f store.Filter, step time.Duration) ([]store.Point, error) {
	q := statement.New(f)
	q.Step = step
	q.Rollups = q.Rollups && step%time.Hour == 0
	var points []store.Point
	err := in.snapshot(ctx, func(tx *sql.Tx) error {
		index := map[int64]int{}
		err := in.rows(ctx, tx, "series", q, func(scan func(...any) error) error {
			var p store.Point
			var at int64
			err := scan(&at, &p.Calls, &p.OK, &p.Empty, &p.BadArgs, &p.ToolError, &p.Crashed, &p.FirstCalls, &p.FirstOK)
			p.At = time.UnixMicro(at).UTC()
			index[at] = len(points)
			points = append(points, p)
			return err
		})
		if err != nil {
			return err
		}
		err = in.rows(ctx, tx, "series_latency", q, func(scan func(...any) error) error {
			var at, n int64
			var bucket int
			err := scan(&at, &bucket, &n)
			if i, ok := index[at]; ok {
				points[i].Latency = add(points[i].Latency, bucket, n)
			}
			return err
		})
		if err != nil {
			return err
		}
		return in.rows(ctx, tx, "series_sessions", q, func(scan func(...any) error) error {
			var at, n int64
			err := scan(&at, &n)
			if i, ok := index[at]; ok {
				points[i].Sessions = n
			}
			return err
		})
	})
	return points, err
}

// ByTool implements store.Reader.
func (in *reader) ByTool(ctx context.Context, f store.Filter) ([]store.ToolRow, error) {
	q := statement.New(f)
	var all []store.ToolRow
	err := in.snapshot(ctx, func(tx *sql.Tx) error {
		index := map[string]int{}
		err := in.rows(ctx, tx, "tools", q, func(scan func(...any) error) error {
			var r store.ToolRow
			err := scan(&r.Tool, &r.Calls, &r.OK, &r.Empty, &r.BadArgs, &r.ToolError, &r.Crashed,
				&r.ResponseBytes, &r.ResponseKnown, &r.Retries, &r.FirstCalls, &r.FirstOK, &r.LastSeen)
			r.LastSeen = r.LastSeen.UTC()
			index[r.Tool] = len(all)
			all = append(all, r)
			return err
		})
		if err != nil {
			return err
		}
		return in.rows(ctx, tx, "tools_latency", q, func(scan func(...any) error) error {
			var tool string
			var bucket int
			var n int64
			err := scan(&tool, &bucket, &n)
			if i, ok := index[tool]; ok {
				all[i].Latency = add(all[i].Latency, bucket, n)
			}
			return err
		})
	})
	return all, err
}

// ByClient implements store.Reader.
func (in *reader) ByClient(ctx context.Context, f store.Filter) ([]store.ClientRow, error) {
	q := statement.New(f)
	var all []store.ClientRow
	err := in.snapshot(ctx, func(tx *sql.Tx) error {
		index := map[string]int{}
		err := in.rows(ctx, tx, "clients", q, func(scan func(...any) error) error {
			var r store.ClientRow
			err := scan(&r.Client, &r.Calls, &r.OK, &r.Empty, &r.BadArgs, &r.ToolError, &r.Crashed, &r.LastSeen)
			r.LastSeen = r.LastSeen.UTC()
			index[r.Client] = len(all)
			all = append(all, r)
			return err
		})
		if err != nil {
			return err
		}
		return in.clientParts(ctx, tx, q, func(client string) *store.ClientRow {
			if i, ok := index[client]; ok {
				return &all[i]
			}
			return &store.ClientRow{}
		})
	})
	return all, err
}

func (in *reader) clientParts(ctx context.Context, tx *sql.Tx, q statement.Question, row func(client string) *store.ClientRow) error {
	err := in.rows(ctx, tx, "clients_latency", q, func(scan func(...any) error) error {
		var client string
		var bucket int
		var n int64
		err := scan(&client, &bucket, &n)
		r := row(client)
		r.Latency = add(r.Latency, bucket, n)
		return err
	})
	if err != nil {
		return err
	}
	err = in.rows(ctx, tx, "clients_sessions", q, func(scan func(...any) error) error {
		var client string
		var n int64
		err := scan(&client, &n)
		row(client).Sessions = n
		return err
	})
	if err != nil {
		return err
	}
	return in.rows(ctx, tx, "clients_versions", q, func(scan func(...any) error) error {
		var client, version string
		err := scan(&client, &version)
		r := row(client)
		r.Versions = append(r.Versions, version)
		return err
	})
}
