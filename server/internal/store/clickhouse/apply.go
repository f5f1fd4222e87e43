package clickhouse

import (
	"context"
	"fmt"
	"strings"

	lib "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/cell"
)

// Apply implements store.Writer.
func (db *DB) Apply(ctx context.Context, batch []store.Entry) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.unsure {
		if err := db.recover(ctx); err != nil {
			return fmt.Errorf("cannot finish the batch before: %w", unavailable(err))
		}
	}
	batch = after(batch, db.position)
	if len(batch) == 0 {
		return nil
	}
	first, last := batch[0].Seq, batch[len(batch)-1].Seq
	if err := db.apply(ctx, batch, first, last); err != nil {
		return fmt.Errorf("cannot apply entries %d to %d: %w", first, last, unavailable(err))
	}
	db.position = last
	return nil
}

func (db *DB) apply(ctx context.Context, batch []store.Entry, first, last uint64) error {
	fresh := make([]*row, len(batch))
	for i := range batch {
		fresh[i] = fromEntry(&batch[i], db.node)
	}
	fresh = oncePerID(fresh)
	fresh, gone, err := db.replace(ctx, fresh)
	if err != nil {
		return err
	}
	changed, err := db.mark(ctx, fresh, gone)
	if err != nil {
		return err
	}
	// Before the commit: if that fails, what is listed is listed again.
	if err := db.list(ctx, batch); err != nil {
		return err
	}
	rows := append(fresh, changed...)
	for _, r := range gone {
		rows = append(rows, r.away())
	}
	return db.commit(ctx, rows, db.token(first, last), last)
}

// token names the batch of the log. It is not another process's, so that two that feed
// one log by mistake take nothing for their own that is not.
func (db *DB) token(first, last uint64) string {
	return strings.TrimSuffix(fmt.Sprintf("%s/%d-%d/%s", db.node, first, last, db.session), "/")
}

// after is the part of the batch behind the position. Seq rises along a batch.
func after(batch []store.Entry, position uint64) []store.Entry {
	for i := range batch {
		if batch[i].Seq > position {
			return batch[i:]
		}
	}
	return nil
}

// Position implements store.Writer.
func (db *DB) Position(ctx context.Context) (uint64, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.unsure {
		if err := db.recover(ctx); err != nil {
			return 0, err
		}
	}
	return db.position, nil
}

// key is an event's identity.
type key struct {
	project uint32
	id      umpire.ID
}

// oncePerID leaves one of the rows of an id: what the SDK saw, else what is whole, else
// the first.
func oncePerID(rows []*row) []*row {
	kept := make([]*row, 0, len(rows))
	at := make(map[key]int, len(rows))
	for _, r := range rows {
		k := key{r.project, r.id}
		i, twice := at[k]
		switch {
		case !twice:
			at[k] = len(kept)
			kept = append(kept, r)
		case rank(r) > rank(kept[i]):
			kept[i] = r
		}
	}
	return kept
}

func rank(r *row) int {
	switch {
	case r.text[seenByAt] == "sdk":
		return 2
	case r.whole():
		return 1
	}
	return 0
}

// replace looks for what is stored under the ids of the batch (outcomes.md 1.4,
// store.Halves): gone is what yields to it; what does not yield is a duplicate, and the
// batch is returned without it.
func (db *DB) replace(ctx context.Context, fresh []*row) (left, gone []*row, err error) {
	stored, err := db.stored(ctx, fresh)
	if err != nil || len(stored) == 0 {
		return fresh, nil, err
	}
	left = make([]*row, 0, len(fresh))
	for _, r := range fresh {
		old := stored[key{r.project, r.id}]
		if len(old) > 0 && !old[0].yieldsTo(r) {
			continue
		}
		left, gone = append(left, r), append(gone, old...)
	}
	return left, gone, nil
}

// away is the row that takes this one away.
func (r *row) away() *row {
	minus := *r
	minus.sign = -1
	return &minus
}

// remarked are the rows that put others in the place of the row, with its marks.
func (r *row) remarked(m marks) []*row {
	plus := *r
	plus.retry, plus.reworded, plus.repeated = m.retry, m.reworded, m.repeated
	plus.version, plus.sign = plus.next(), 1
	return []*row{r.away(), &plus}
}

// list brings the catalog up to what the batch's tools/list answers said.
func (db *DB) list(ctx context.Context, batch []store.Entry) error {
	var all lib.Batch
	for i := range batch {
		e := &batch[i].Event
		if e.Kind != "catalog" || len(e.Tools) == 0 {
			continue
		}
		if all == nil {
			var err error
			if all, err = db.conn.PrepareBatch(ctx, "INSERT INTO catalog_rows"); err != nil {
				return fmt.Errorf("cannot list tools: %w", clean(err))
			}
			defer all.Close()
		}
		at := moment(e.StartedAt)
		for _, t := range e.Tools {
			err := all.Append(batch[i].Project, cell.Known(e.Server.Name), cell.Known(e.Server.Version), cell.Known(e.Server.Env), cell.Known(t.Name), cell.Text(t.Definition), at, at,
				[]any{at, cell.Text(t.Title), cell.Text(t.Description), cell.Clamp(int64(t.Bytes), cell.MaxBytes), cell.Text(string(t.InputSchema)), cell.Text(string(t.Annotations))})
			if err != nil {
				return fmt.Errorf("cannot list tools of catalog %s: %w", e.ID, err)
			}
		}
	}
	if all == nil {
		return nil
	}
	if err := all.Send(); err != nil {
		return fmt.Errorf("cannot list tools: %w", clean(err))
	}
	return nil
}
