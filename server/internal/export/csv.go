package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// timeForm is RFC 3339 in microseconds, always as long.
const timeForm = "2006-01-02T15:04:05.000000Z"

type csvWriter struct {
	columns []Column
	out     *csv.Writer
	line    []string
}

func newCSV(w io.Writer, columns []Column) (*csvWriter, error) {
	c := &csvWriter{columns: columns, out: csv.NewWriter(w), line: make([]string, len(columns))}
	for i := range columns {
		c.line[i] = columns[i].Name
	}
	return c, c.put()
}

func (c *csvWriter) put() error {
	if err := c.out.Write(c.line); err != nil {
		return fmt.Errorf("cannot write CSV: %w", err)
	}
	return nil
}

// Write implements Writer.
func (c *csvWriter) Write(row []any) error {
	err := each(c.columns, row, func(i int, v any) error {
		c.line[i] = ""
		switch v := v.(type) {
		case string:
			c.line[i] = harmless(v)
		case int64:
			c.line[i] = strconv.FormatInt(v, 10)
		case float64:
			c.line[i] = strconv.FormatFloat(v, 'g', -1, 64)
		case bool:
			c.line[i] = strconv.FormatBool(v)
		case time.Time:
			c.line[i] = v.Format(timeForm)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.put()
}

// Close implements Writer.
func (c *csvWriter) Close() error {
	c.out.Flush()
	if err := c.out.Error(); err != nil {
		return fmt.Errorf("cannot write CSV: %w", err)
	}
	return nil
}

// harmless is the text as no spreadsheet takes it for a formula.
func harmless(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0 {
		return "'" + s
	}
	return s
}
