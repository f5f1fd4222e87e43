package views

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// message is what the process that holds the copy is sent: one of its parts.
type message struct {
	Rows *batch
	Ask  *ask
}

// batch is rows of a view, column by column.
type batch struct {
	View    string
	Length  int
	Columns []values
}

// values are those of one column, in Texts or in Numbers: whole ones, 0 and 1 for
// flags, microseconds for times.
type values struct {
	Null    []bool
	Texts   []string
	Numbers []int64
}

// ask is a statement and what its answer may hold.
type ask struct {
	SQL   string
	Limit int
	Time  time.Duration
}

// reply is the answer to an ask.
type reply struct {
	Columns []ColumnOf
	Rows    []json.RawMessage
	More    bool
	// Wrong says that the statement is not answered, and why in Said.
	Wrong wrong
	Said  string
}

// ColumnOf is a column of an answer and its type, as DuckDB names it.
type ColumnOf struct{ Name, Type string }

// wrong is what a reply refuses for.
type wrong int

const (
	nothing   wrong = iota
	refused         // the statement is none that is answered
	tooLong         // it took too long
	tooLarge        // it needs too much memory
	misloaded       // the copy could not be made
)

// batchRows is how many rows are sent at once.
const batchRows = 2048

func newBatch(v View) *batch {
	return &batch{View: v.Name, Columns: make([]values, len(v.Columns))}
}

// add takes a row, and tells how many bytes of text it has.
func (b *batch) add(v View, row []any) (bytes int) {
	for i, c := range v.Columns {
		column, value := &b.Columns[i], row[i]
		column.Null = append(column.Null, value == nil)
		var number int64
		switch x := value.(type) {
		case nil:
		case string:
			bytes += len(x)
		case int64:
			number = x
		case bool:
			if x {
				number = 1
			}
		case time.Time:
			number = x.UnixMicro()
		default:
			panic(fmt.Sprintf("BUG: a row holds %T", value))
		}
		if c.Kind == store.Text {
			text, _ := value.(string)
			column.Texts = append(column.Texts, text)
		} else {
			column.Numbers = append(column.Numbers, number)
		}
	}
	b.Length++
	return bytes
}

// value is one of the batch as DuckDB's appender takes it.
func (b *batch) value(kind store.Kind, column, row int) any {
	c := b.Columns[column]
	if c.Null[row] {
		return nil
	}
	switch kind {
	case store.Text:
		return c.Texts[row]
	case store.Flag:
		return c.Numbers[row] == 1
	case store.Time:
		return time.UnixMicro(c.Numbers[row]).UTC()
	default:
		return c.Numbers[row]
	}
}
