package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/cell"
)

// stage brings batches into a table shaped like events. To hand a text to DuckDB
// costs more than all else, and most texts of a batch are the same: so each group of
// texts (see column.said) is handed over once, under a number, and DuckDB puts the
// rows together.
type stage struct {
	own    []int // columns that each event hands over
	texts  [groups + 1][]int
	seen   [groups + 1]map[saidTexts]int32
	create []string
	batch  string // the statement that makes the table batch_hot of them all
}

// saidTexts are the texts of a group; the rest is empty.
type saidTexts [14]string

func newStage() *stage {
	s := &stage{}
	into := make([]string, len(columns))
	for i, c := range columns {
		into[i] = fmt.Sprintf("s.%q", c.name)
		if c.said == own {
			s.own = append(s.own, i)
			continue
		}
		s.texts[c.said] = append(s.texts[c.said], i)
		into[i] = fmt.Sprintf("t%d.%q", c.said, c.name)
	}
	from := "staged s"
	staged := s.names(s.own)
	for g := peers; g <= groups; g++ {
		s.seen[g] = map[saidTexts]int32{}
		staged += fmt.Sprintf(", 0::INTEGER AS t%d", g)
		from += fmt.Sprintf(" JOIN said_%d t%d ON t%d.n = s.t%d", g, g, g, g)
		s.create = append(s.create, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE said_%d AS SELECT 0::INTEGER AS n, %s FROM cold.main.events LIMIT 0", g, s.names(s.texts[g])))
	}
	s.create = append(s.create, "CREATE OR REPLACE TEMP TABLE staged AS SELECT "+staged+" FROM cold.main.events LIMIT 0")
	s.batch = "CREATE OR REPLACE TEMP TABLE batch_hot AS SELECT " + strings.Join(into, ", ") + " FROM " + from
	return s
}

func (s *stage) names(of []int) string {
	names := make([]string, len(of))
	for i, c := range of {
		names[i] = fmt.Sprintf("%q", columns[c].name)
	}
	return strings.Join(names, ", ")
}

// put makes the table batch_hot, shaped like events, of the batch with the marks that
// were decided.
func (s *stage) put(ctx context.Context, conn *sql.Conn, tx *sql.Tx, batch []*store.Entry, decided []marks) error {
	if len(batch) < few {
		return putFew(ctx, conn, tx, batch, decided)
	}
	for _, statement := range s.create {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("cannot make the batch's tables: %w", err)
		}
	}
	if err := conn.Raw(func(c any) error { return s.fill(c.(driver.Conn), batch, decided) }); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, s.batch); err != nil {
		return fmt.Errorf("cannot put a batch together: %w", err)
	}
	return nil
}

// few is how many events are not worth their grouping.
const few = 300

// putFew is put that hands over every text.
func putFew(ctx context.Context, conn *sql.Conn, tx *sql.Tx, batch []*store.Entry, decided []marks) error {
	if _, err := tx.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE batch_hot AS FROM cold.main.events LIMIT 0"); err != nil {
		return fmt.Errorf("cannot make the batch's table: %w", err)
	}
	row := make([]driver.Value, len(columns))
	return fill(conn, "temp", "batch_hot", func(a *duck.Appender) error {
		for i, e := range batch {
			for c := range columns {
				row[c] = value(c, e, decided[i])
			}
			if err := a.AppendRow(row...); err != nil {
				return fmt.Errorf("cannot stage event %s: %w", e.Event.ID, err)
			}
		}
		return nil
	})
}

// value is the event's value of a column, with the marks that were decided.
func value(c int, e *store.Entry, decided marks) driver.Value {
	switch c {
	case retryColumn:
		return decided.retry
	case retryColumn + 1:
		return decided.reworded
	case retryColumn + 2:
		return decided.repeated
	}
	return columns[c].value(e)
}

// retryColumn is the first of the columns of marks.
var retryColumn = slices.IndexFunc(columns, func(c column) bool { return c.name == "is_retry" })

func (s *stage) fill(conn driver.Conn, batch []*store.Entry, decided []marks) (err error) {
	var into [groups + 1]*duck.Appender
	defer func() {
		for _, a := range into {
			if a == nil {
				continue
			}
			if e := a.Close(); err == nil && e != nil {
				err = fmt.Errorf("cannot stage a batch: %w", e)
			}
		}
	}()
	for g := own; g <= groups; g++ {
		name := "staged"
		if g > own {
			name = fmt.Sprintf("said_%d", g)
			clear(s.seen[g])
		}
		if into[g], err = duck.NewAppender(conn, "temp", "main", name); err != nil {
			return fmt.Errorf("cannot append to %q: %w", name, err)
		}
	}
	row := make([]driver.Value, len(s.own)+int(groups))
	for i, e := range batch {
		for n, c := range s.own {
			row[n] = value(c, e, decided[i])
		}
		for g := peers; g <= groups; g++ {
			n, err := s.say(into[g], g, e)
			if err != nil {
				return fmt.Errorf("cannot stage event %s: %w", e.Event.ID, err)
			}
			row[len(s.own)+int(g)-1] = n
		}
		if err := into[own].AppendRow(row...); err != nil {
			return fmt.Errorf("cannot stage event %s: %w", e.Event.ID, err)
		}
	}
	return nil
}

// say returns the number of the event's texts of the group, which it hands over
// unless they were said before.
func (s *stage) say(into *duck.Appender, g said, e *store.Entry) (int32, error) {
	var key saidTexts
	for i, c := range s.texts[g] {
		key[i] = columns[c].text(e)
	}
	if n, ok := s.seen[g][key]; ok {
		return n, nil
	}
	n := int32(len(s.seen[g]))
	row := make([]driver.Value, 1+len(s.texts[g]))
	row[0] = n
	for i := range s.texts[g] {
		row[1+i] = cell.Text(key[i])
	}
	if err := into.AppendRow(row...); err != nil {
		return 0, err
	}
	s.seen[g][key] = n
	return n, nil
}
