package export

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Format is how a table is written.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	NDJSON  Format = "ndjson"
	Parquet Format = "parquet"
)

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	switch f := Format(strings.ToLower(name)); f {
	case CSV, NDJSON, Parquet:
		return f, nil
	}
	return "", fault.New(fault.BadRequest, fmt.Sprintf("%.20q is no format of a table", name), "use csv, ndjson or parquet")
}

// MediaType is what the format is called in HTTP.
func (f Format) MediaType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	case NDJSON:
		return "application/x-ndjson"
	default:
		return "application/vnd.apache.parquet"
	}
}

// Type is what the values of a column are, but for nil.
type Type int

// The types, with the Go values that a row may hold for them.
const (
	Text    Type = iota // string
	Integer             // any integer that fits into int64
	Number              // float64
	Flag                // bool
	Time                // time.Time, told in UTC and microseconds
	JSON                // string or json.RawMessage that holds JSON; "" is not known
)

// Column is one column. Its name is that of the JSON field (docs/wire.md).
type Column struct {
	Name string
	Type Type
}

// Writer takes one row after the other; a row has a value for each column. The row
// is the caller's again when Write returns. Only after Close everything is written.
type Writer interface {
	Write(row []any) error
	Close() error
}

// NewWriter writes a table of these columns to w, which stays the caller's to close.
func NewWriter(w io.Writer, f Format, columns []Column) (Writer, error) {
	switch f {
	case CSV:
		return newCSV(w, columns)
	case NDJSON:
		return newNDJSON(w, columns), nil
	case Parquet:
		return newParquet(w, columns)
	}
	return nil, fmt.Errorf("cannot write a table as %q: no such format", string(f))
}

// Write writes a whole table, and returns how many rows it had.
func Write(w io.Writer, f Format, columns []Column, rows iter.Seq2[[]any, error]) (n int64, err error) {
	out, err := NewWriter(w, f, columns)
	if err != nil {
		return 0, err
	}
	for row, err := range rows {
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, out.Close()
}
