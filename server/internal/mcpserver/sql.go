package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Limits of what a statement answers to a model: characters of a value, and bytes of
// all rows.
const (
	sqlText = 500
	sqlRows = 32 << 10
)

var runQuery = &tool{
	name: "run_query", title: "SQL", about: "One read-only SELECT in DuckDB's SQL over views: calls, tool_hours, tool_latency, session_hours, client_hours, kind_hours, sender_hours, failure_hours, catalog. DESCRIBE calls lists columns. For what no other tool answers.",
	args: []string{"project", "last", "sql!", "limit"}, need: "a SELECT over calls or another view", like: query.SQLAnswer{},
	ask: func(ctx context.Context, c *call) (answer, error) {
		values := maps.Clone(c.in.values)
		values["sql"] = c.in.own["sql"]
		values.Set("limit", strconv.Itoa(c.limit))
		a, err := c.get(ctx, "query", values)
		if err != nil {
			return nil, err
		}
		cutRows(a)
		if a["more"] == true {
			a["note"] = "a higher limit (up to " + strconv.Itoa(maxLimit) + "), fewer columns, or LIMIT and OFFSET show the rest"
		}
		return a, nil
	},
	say: func(t *text, a answer) {
		t.head(a)
		var heads []string
		for _, c := range rows(a["columns"]) {
			heads = append(heads, cell(fields(c)["name"]))
		}
		t.line("%s", strings.Join(heads, " | "))
		for _, row := range rows(a["rows"]) {
			var cells []string
			for _, v := range rows(row) {
				cells = append(cells, cell(v))
			}
			t.line("%s", strings.Join(cells, " | "))
		}
		t.line("(%s)", format.Plural(int64(len(rows(a["rows"]))), "row"))
		for _, note := range rows(a["notes"]) {
			t.line("%s", cell(note))
		}
	},
}

// cutRows leaves what a model can read.
func cutRows(a answer) {
	all, bytes := rows(a["rows"]), 0
	for i, row := range all {
		for at, v := range rows(row) {
			if s, ok := v.(string); ok {
				if r := []rune(s); len(r) > sqlText {
					rows(row)[at] = string(r[:sqlText]) + "…"
				}
			}
		}
		text, err := json.Marshal(row)
		if bytes += len(text); err != nil || bytes > sqlRows {
			a["rows"], a["more"] = all[:i], true
			return
		}
	}
}
