package views

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Windows are how long a stretch of a table is that is read at once: the first, and
// the shortest. The next is made so that it holds about windowRows; one that holds more than
// windowMost is thrown away, and read in parts.
const (
	windowFirst = time.Minute
	windowLeast = time.Second
	windowRows  = 16 << 10
	windowMost  = 64 << 10
	windowGrows = 16 // times, at most
)

// copying is one copy on its way.
type copying struct {
	dumper  store.Dumper
	project uint32
	from    time.Time
	to      time.Time
	rows    int   // of each view, at most
	bytes   int64 // of texts that are left to all of them
	until   time.Time
	now     func() time.Time
	send    func(*batch) error
}

// view copies the newest rows of a view. Since is where it had to stop before the
// begin of the range; zero if it did not.
func (c *copying) view(ctx context.Context, v View) (since time.Time, err error) {
	first, last, err := c.dumper.Span(ctx, v.table, c.project)
	if err != nil {
		return since, fmt.Errorf("cannot look for the rows of %q: %w", v.Name, err)
	}
	if first.IsZero() && last.IsZero() {
		return since, nil
	}
	begin, end := c.from, c.to
	if first.After(begin) {
		begin = first
	}
	if after := last.Add(time.Microsecond); after.Before(end) {
		end = after
	}
	length, left := windowFirst, c.rows
	if v.Name != calls.Name {
		length = 24 * time.Hour
	}
	for end.After(begin) {
		if left <= 0 || c.bytes <= 0 || c.now().After(c.until) {
			return end, nil
		}
		from := end.Add(-length)
		if from.Before(begin) {
			from = begin
		}
		w, err := c.window(ctx, v, from, end, min(left, windowMost))
		if errors.Is(err, errTooMany) {
			if length = end.Sub(from) / 4; length < windowLeast {
				return end, nil
			}
			continue
		}
		if err != nil {
			return since, err
		}
		if err := w.sendTo(c.send); err != nil {
			return since, err
		}
		left, c.bytes = left-w.rows, c.bytes-w.bytes
		end, length = from, nextLength(length, w.rows)
	}
	return since, nil
}

// nextLength makes a window hold about windowRows.
func nextLength(length time.Duration, rows int) time.Duration {
	grows := time.Duration(windowGrows)
	if rows > 0 {
		grows = time.Duration(min(max(windowRows/rows, 1), windowGrows))
	}
	return min(length*grows, 366*24*time.Hour)
}

// window is the rows of a stretch.
type window struct {
	batches []*batch
	rows    int
	bytes   int64
}

var errTooMany = errors.New("the window holds too many rows")

func (c *copying) window(ctx context.Context, v View, from, to time.Time, most int) (*window, error) {
	w, row := &window{}, make([]any, len(v.Columns))
	err := c.dumper.Rows(ctx, v.table, c.project, from, to, func(in []any) error {
		if !v.row(in, row) {
			return nil
		}
		if w.rows == most || w.bytes > c.bytes {
			return errTooMany
		}
		if w.rows%batchRows == 0 {
			w.batches = append(w.batches, newBatch(v))
		}
		w.rows++
		w.bytes += int64(w.batches[len(w.batches)-1].add(v, row))
		return nil
	})
	if err != nil && !errors.Is(err, errTooMany) {
		return nil, fmt.Errorf("cannot copy %q: %w", v.Name, err)
	}
	return w, err
}

func (w *window) sendTo(send func(*batch) error) error {
	for _, b := range w.batches {
		if err := send(b); err != nil {
			return err
		}
	}
	return nil
}
