package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// SQL writes the rows that a statement answered.
func (p *Printer) SQL(a query.SQLAnswer) {
	t := table{}
	for i, c := range a.Columns {
		t.head = append(t.head, printable(c.Name))
		if !numeric(c.Type) {
			t.texts = append(t.texts, i)
		}
	}
	for _, raw := range a.Rows {
		var row []any
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if dec.Decode(&row) != nil || len(row) != len(t.head) {
			continue // no server sends such a row
		}
		cells := make([]cell, len(row))
		for i, v := range row {
			cells[i] = sqlCell(v)
		}
		t.rows = append(t.rows, cells)
	}
	p.write(p.Out, t)
	more := ""
	if a.More {
		more = ", and there are more"
	}
	p.printf(muted, "(%s%s)", format.Plural(int64(len(t.rows)), "row"), more)
	p.newline()
	for _, note := range a.Notes {
		p.printf(muted, "%s", note)
		p.newline()
	}
}

func numeric(kind string) bool {
	for _, begin := range []string{"TINY", "SMALL", "INT", "BIG", "HUGE", "UTINY", "USMALL", "UINT", "UBIG", "UHUGE", "FLOAT", "DOUBLE", "DECIMAL"} {
		if strings.HasPrefix(kind, begin) && kind != "INTERVAL" {
			return true
		}
	}
	return false
}

func sqlCell(v any) cell {
	switch x := v.(type) {
	case nil:
		return cell{format.Dash, muted}
	case string:
		return plain(strings.Join(strings.Fields(x), " "))
	case []any, map[string]any:
		text, _ := json.Marshal(x)
		return plain(string(text))
	default:
		return plain(fmt.Sprint(x))
	}
}
