package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

type ndjsonWriter struct {
	columns []Column
	keys    [][]byte // "name":
	out     *bufio.Writer
	line    bytes.Buffer
	enc     *json.Encoder
}

func newNDJSON(w io.Writer, columns []Column) *ndjsonWriter {
	n := &ndjsonWriter{columns: columns, out: bufio.NewWriterSize(w, 32<<10)}
	n.enc = json.NewEncoder(&n.line)
	n.enc.SetEscapeHTML(false)
	for _, c := range columns {
		key, _ := json.Marshal(c.Name) // a string
		n.keys = append(n.keys, append(key, ':'))
	}
	return n
}

// Write implements Writer.
func (n *ndjsonWriter) Write(row []any) error {
	n.line.Reset()
	n.line.WriteByte('{')
	err := each(n.columns, row, func(i int, v any) error {
		if i > 0 {
			n.line.WriteByte(',')
		}
		n.line.Write(n.keys[i])
		return n.value(n.columns[i].Type, v)
	})
	if err != nil {
		return err
	}
	n.line.WriteString("}\n")
	if _, err := n.out.Write(n.line.Bytes()); err != nil {
		return fmt.Errorf("cannot write NDJSON: %w", err)
	}
	return nil
}

func (n *ndjsonWriter) value(t Type, v any) error {
	switch v := v.(type) {
	case string:
		if t == JSON && json.Valid([]byte(v)) {
			return json.Compact(&n.line, []byte(v))
		}
		if err := n.enc.Encode(v); err != nil {
			return fmt.Errorf("cannot write NDJSON: %w", err)
		}
		n.line.Truncate(n.line.Len() - 1) // the encoder ends its values with a line
	case int64:
		n.line.Write(strconv.AppendInt(n.line.AvailableBuffer(), v, 10))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) { // which JSON has not
			n.line.WriteString("null")
			break
		}
		n.line.Write(strconv.AppendFloat(n.line.AvailableBuffer(), v, 'g', -1, 64))
	case bool:
		n.line.Write(strconv.AppendBool(n.line.AvailableBuffer(), v))
	case time.Time:
		n.line.WriteByte('"')
		n.line.Write(v.AppendFormat(n.line.AvailableBuffer(), timeForm))
		n.line.WriteByte('"')
	default:
		n.line.WriteString("null")
	}
	return nil
}

// Close implements Writer.
func (n *ndjsonWriter) Close() error {
	if err := n.out.Flush(); err != nil {
		return fmt.Errorf("cannot write NDJSON: %w", err)
	}
	return nil
}
