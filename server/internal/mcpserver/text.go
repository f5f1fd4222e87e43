package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

// text is an answer as a model reads it: few words, one row a line.
type text struct{ strings.Builder }

// maxCell is how many characters of a name or a message are shown.
const maxCell = 160

func (t *text) line(format string, args ...any) {
	fmt.Fprintf(t, format, args...)
	t.WriteByte('\n')
}

// head says what the answer is about: the filters, the window, the calls.
func (t *text) head(a answer) {
	var parts []string
	filters := fields(a["filters"])
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		var values []string
		for _, v := range rows(filters[name]) {
			values = append(values, cell(v))
		}
		parts = append(parts, name+"="+strings.Join(values, "|"))
	}
	window := fields(a["range"])
	parts = append(parts, moment(window["from"])+" to "+moment(window["to"])+" UTC")
	if n, ok := a["calls"].(json.Number); ok {
		parts = append(parts, count(n)+" calls")
	}
	t.line("%s", strings.Join(parts, " · "))
}

// foot says what the figures lack, and how to get more.
func (t *text) foot(a answer) {
	if list := rows(a["not_filtered"]); len(list) > 0 {
		var names []string
		for _, v := range list {
			names = append(names, cell(v))
		}
		t.line("Not known under this filter or range: %s", strings.Join(names, ", "))
	}
	for _, v := range rows(a["not_reported"]) {
		n := fields(v)
		var names []string
		for _, what := range append(rows(n["what"]), rows(n["lower_bound"])...) {
			names = append(names, format.Unseen(cell(what)))
		}
		t.line("%s calls from %s: not or only partly reported: %s", count(n["calls"]), format.Sender(cell(n["sender"]), cell(n["sdk"])), strings.Join(names, ", "))
	}
	if more, ok := a["note"].(string); ok {
		t.line("More: %s", more)
	}
}

// column is one column of a table: a name of the row, what stands above it, and
// how a value is written.
type column struct {
	key, head string
	write     func(any) string
}

// table writes the rows of a list with a line above that says how many they are.
func (t *text) table(a answer, list, title string, columns ...column) {
	all := rows(a[list])
	of := len(all)
	if n := fields(fields(a["rows"])[list]); n != nil && n["of"] != nil {
		of = int(number(n["of"]))
	}
	switch {
	case a[list] == nil:
		t.line("%s: not known", title)
		return
	case len(all) == 0:
		t.line("%s: none", title)
		return
	case len(all) < of:
		t.line("%s (%d of %d):", title, len(all), of)
	default:
		t.line("%s (%d):", title, of)
	}
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.head
	}
	t.line("%s", strings.Join(heads, " | "))
	for _, row := range all {
		r, cells := fields(row), make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.write(at(r, c.key))
		}
		t.line("%s", strings.Join(cells, " | "))
	}
}

// at finds a value by its name, or by names with dots between them.
func at(r answer, key string) any {
	head, rest, deeper := strings.Cut(key, ".")
	if !deeper {
		return r[head]
	}
	return at(fields(r[head]), rest)
}

// fields is the value as an object; nil if it is none.
func fields(v any) answer {
	m, _ := v.(map[string]any)
	return m
}

// rows is the value as a list; nil if it is none.
func rows(v any) []any {
	list, _ := v.([]any)
	return list
}

func number(v any) int64 {
	switch n := v.(type) {
	case json.Number:
		whole, _ := n.Int64()
		return whole
	case int:
		return int64(n)
	}
	return 0
}

// What follows writes one value; null is a dash.

// cell writes a text on one line, without what a terminal or a model could take for
// anything else.
func cell(v any) string {
	var s string
	switch v := v.(type) {
	case nil:
		return format.Dash
	case string:
		s = v
	case json.Number:
		return v.String()
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = cell(v[i])
		}
		s = strings.Join(parts, ", ")
	default:
		s = fmt.Sprint(v)
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if s == "" {
		return format.Dash
	}
	if r := []rune(s); len(r) > maxCell {
		s = string(r[:maxCell]) + "…"
	}
	return strings.ReplaceAll(s, " | ", " / ")
}

func count(v any) string {
	if v == nil {
		return format.Dash
	}
	return format.Count(number(v))
}

func rate(v any) string {
	n, ok := v.(json.Number)
	if !ok {
		return format.Dash
	}
	x, err := n.Float64()
	if err != nil {
		return format.Dash
	}
	return format.Rate(x)
}

// share writes {rate, of}: a rate is never without its denominator.
func share(v any) string {
	s := fields(v)
	if s == nil || s["rate"] == nil {
		return format.Dash
	}
	return rate(s["rate"]) + " of " + count(s["of"])
}

func micros(v any) string {
	if v == nil {
		return format.Dash
	}
	return format.Duration(number(v))
}

func size(v any) string {
	if v == nil {
		return format.Dash
	}
	return format.Bytes(number(v))
}

func decimal(v any) string {
	n, ok := v.(json.Number)
	if !ok {
		return format.Dash
	}
	x, _ := n.Float64()
	return format.Decimal(x)
}

func moment(v any) string {
	s, _ := v.(string)
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return format.Dash
	}
	return t.UTC().Format("2006-01-02 15:04")
}
