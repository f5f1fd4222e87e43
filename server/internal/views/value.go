package views

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	driver "github.com/duckdb/duckdb-go/v2"
)

// maxText bounds one value of an answer.
const maxText = 10 << 10

// rowText is a row as a JSON array.
func rowText(row []any, columns []ColumnOf) json.RawMessage {
	out := make([]any, len(row))
	for i, v := range row {
		out[i] = plain(v, columns[i].Type)
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic("BUG: a plain value is no JSON: " + err.Error())
	}
	return text
}

// plain is a value as JSON has it: what JSON lacks is a text.
func plain(v any, kind string) any {
	switch x := v.(type) {
	case nil, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return x
	case float32:
		return number(float64(x))
	case float64:
		return number(x)
	case *big.Int:
		return json.Number(x.String())
	case driver.Decimal:
		return json.Number(x.String())
	case string:
		return short(x)
	case time.Time:
		switch kind {
		case "DATE":
			return x.UTC().Format(time.DateOnly)
		case "TIME":
			return x.UTC().Format("15:04:05.999999")
		}
		return x.UTC().Format(time.RFC3339Nano)
	case []byte:
		if kind == "UUID" && len(x) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", x[:4], x[4:6], x[6:8], x[8:10], x[10:])
		}
		return `\x` + hex.EncodeToString(x[:min(len(x), maxText/2)])
	case driver.Interval:
		return fmt.Sprintf("%d months %d days %d us", x.Months, x.Days, x.Micros)
	}
	// Lists, structures, maps and what is rare.
	if text, err := json.Marshal(v); err == nil && len(text) <= maxText {
		return json.RawMessage(text)
	}
	return short(fmt.Sprint(v))
}

func number(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return f
}

// short is a text of at most maxText bytes, marked where it was cut.
func short(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
		for !utf8.ValidString(s) && len(s) > maxText-utf8.UTFMax {
			s = s[:len(s)-1]
		}
		s += "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
