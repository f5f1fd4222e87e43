package export

import (
	"encoding/json"
	"fmt"
	"time"
)

// value is v as one of string, int64, float64, bool, time.Time, or nil.
func (c Column) value(v any) (any, error) {
	ok := false
	switch c.Type {
	case Text:
		v, ok = v.(string)
	case Integer:
		v, ok = integer(v)
	case Number:
		v, ok = number(v)
	case Flag:
		_, ok = v.(bool)
	case Time:
		if t, is := v.(time.Time); is {
			v, ok = t.UTC().Truncate(time.Microsecond), true
		}
	case JSON:
		v, ok = text(v)
		if v == "" {
			v = nil
		}
	}
	if !ok {
		return nil, fmt.Errorf("cannot export column %q: a value is of the type %T", c.Name, v)
	}
	return v, nil
}

func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.RawMessage:
		return string(v), true
	case []byte:
		return string(v), true
	}
	return "", false
}

func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint64:
		return int64(v), v < 1<<63
	}
	return 0, false
}

func number(v any) (float64, bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	n, ok := integer(v)
	return float64(n), ok
}

// each calls do with each value of the row, in its column's form.
func each(columns []Column, row []any, do func(i int, v any) error) error {
	if len(row) != len(columns) {
		return fmt.Errorf("cannot export a row of %d values: there are %d columns", len(row), len(columns))
	}
	for i, v := range row {
		if v != nil {
			var err error
			if v, err = columns[i].value(v); err != nil {
				return err
			}
		}
		if err := do(i, v); err != nil {
			return err
		}
	}
	return nil
}
