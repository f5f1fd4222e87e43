package ingest

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// integer reads a number that is a whole one, also when written 12.0 or 1.2e1.
func integer(raw []byte) (int64, bool) {
	if len(raw) == 0 || len(raw) > maxNumber || raw[0] != '-' && raw[0]-'0' > 9 {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// odd reads a value that has no place and puts it into meta under the name.
func (d *decoder) odd(name string) error {
	raw, deep, err := d.scan.Value()
	if err == nil {
		d.keep(name, raw, deep)
	}
	return err
}

// keep puts a raw value into meta under a field's name.
func (d *decoder) keep(name string, raw []byte, deep bool) {
	if d.item.Extra == nil {
		d.item.Extra = map[string]any{}
	}
	d.item.Extra[name] = d.scalar(raw, deep)
}

// scalar is a raw value as meta holds it: flat, and short.
func (d *decoder) scalar(raw []byte, deep bool) any {
	switch raw[0] {
	case '"':
		if text, ok := d.scan.Unquote(raw); ok {
			return string(text)
		}
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return nil
	case '{', '[':
		if len(raw) <= maxOdd && !deep {
			var out bytes.Buffer
			if json.Compact(&out, raw) == nil {
				return string(bytes.ToValidUTF8(out.Bytes(), []byte("\uFFFD")))
			}
		}
	default:
		if len(raw) <= maxNumber && !deep {
			return json.Number(raw)
		}
	}
	return string(bytes.ToValidUTF8(raw[:min(len(raw), maxOdd)], []byte("\uFFFD")))
}
