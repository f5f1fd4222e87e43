package reader

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

var _ store.Dumper = (*reader)(nil)

// Rows implements store.Dumper.
func (in *reader) Rows(ctx context.Context, t store.Table, project uint32, from, to time.Time, yield func(row []any) error) error {
	q := statement.Question{Filter: store.Filter{Project: project, From: from, To: to}, Table: t}
	row, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i, c := range t.Columns {
		into[i] = target(c.Kind)
	}
	return in.each(ctx, "rows", q, func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		for i := range into {
			row[i] = found(into[i])
		}
		return yield(row)
	})
}

// Span implements store.Dumper.
func (in *reader) Span(ctx context.Context, t store.Table, project uint32) (first, last time.Time, err error) {
	q := statement.Question{Filter: store.Filter{Project: project}, Table: t}
	err = in.each(ctx, "span", q, func(scan func(...any) error) error {
		var n int64
		var from, to sql.NullTime
		if err := scan(&n, &from, &to); err != nil || n == 0 { // an empty table has times in ClickHouse
			return err
		}
		first, last = from.Time.UTC(), to.Time.UTC()
		return nil
	})
	return first, last, err
}

// Sums implements store.Dumper.
func (in *reader) Sums(ctx context.Context, t store.Table, project uint32, from, to time.Time) (all []store.HourSums, err error) {
	q := statement.Question{Filter: store.Filter{Project: project, From: from, To: to}, Table: t}
	err = in.each(ctx, "sums", q, func(scan func(...any) error) error {
		s := store.HourSums{Sums: make([]int64, len(t.Summed()))}
		into := []any{&s.Hour, &s.Rows}
		for i := range s.Sums {
			into = append(into, &s.Sums[i])
		}
		err := scan(into...)
		s.Hour = s.Hour.UTC()
		all = append(all, s)
		return err
	})
	return all, err
}

// target is where a value of the kind is read to.
func target(k store.Kind) any {
	switch k {
	case store.Integer:
		return new(sql.NullInt64)
	case store.Flag:
		return new(sql.NullBool)
	case store.Time:
		return new(sql.NullTime)
	default:
		return new(sql.NullString)
	}
}

// found is what was read there.
func found(into any) any {
	switch v := into.(type) {
	case *sql.NullInt64:
		if v.Valid {
			return v.Int64
		}
	case *sql.NullBool:
		if v.Valid {
			return v.Bool
		}
	case *sql.NullTime:
		if v.Valid {
			return v.Time.UTC()
		}
	case *sql.NullString:
		if v.Valid {
			return v.String
		}
	default:
		panic(fmt.Sprintf("BUG: a row is read into %T", into))
	}
	return nil
}
