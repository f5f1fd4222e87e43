package sql

import (
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// tableColumns are the columns of a table as a statement selects them. idText writes
// an id as text.
func tableColumns(t store.Table, idText func(string) string) string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = quoted(c)
		if c.Of != "" {
			out[i] = strings.ReplaceAll(c.Of, "%", out[i])
			if c.Kind == store.Integer {
				out[i] += "::BIGINT"
			}
		}
		if c.Kind == store.ID {
			out[i] = idText(out[i])
		}
		if c.Of != "" || c.Kind == store.ID {
			out[i] += " AS " + c.Name
		}
	}
	return strings.Join(out, ", ")
}

// tableGroup is what rows that are one have in common; nothing for a table whose rows
// are no deltas.
func tableGroup(t store.Table) string {
	if t.Name == store.Events.Name || t.Name == store.Catalog.Name {
		return ""
	}
	return apart(t)
}

// tableOrder sorts by time, and then so that no two rows are equal.
func tableOrder(t store.Table) string {
	if t.Name == store.Events.Name {
		return "started_at, t.id"
	}
	return t.At + ", " + apart(t)
}

func apart(t store.Table) string {
	var names []string
	for _, c := range t.Columns {
		if c.Of == "" {
			names = append(names, quoted(c))
		}
	}
	return strings.Join(names, ", ")
}

// quoted is the column's name; user is a word of SQL.
func quoted(c store.Column) string {
	if c.Name == "user" {
		return `"user"`
	}
	return c.Name
}
