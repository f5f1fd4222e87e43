package views

import (
	"slices"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// View is a table as a statement sees it.
type View struct {
	Name    string
	Columns []Column

	table store.Table
	// row makes a row of the view out of one of the table, or says that it has none.
	row func(in, out []any) bool
}

// Column is a column of a view. Texts that are not known are NULL, but for those of
// the rollups, which are "unknown" in every view.
type Column struct {
	Name string
	Kind store.Kind // Text, Integer, Flag or Time
}

// All are the views, the one of single calls first.
var All = append([]View{calls}, rollups()...)

// callColumns are the columns of calls, by those of the events that they come from.
var callColumns = []struct{ name, from string }{
	{"id", ""},
	{"started_at", ""},
	{"ended_at", ""},
	{"server", "server_name"},
	{"version", "server_version"},
	{"env", "server_env"},
	{"tool", ""},
	{"client", "client_name"},
	{"platform", ""},
	{"client_version", ""},
	{"protocol", ""},
	{"transport", ""},
	{"session", ""},
	{"user_id", "user"},
	{"seen_by", ""},
	{"sdk", "sdk_name"},
	{"sdk_version", ""},
	{"outcome", ""},
	{"empty", ""},
	{"empty_rule", ""},
	{"cause", ""},
	{"evidence", ""},
	{"handler_ran", ""},
	{"error_type", ""},
	{"error_status", ""},
	{"error_message", ""},
	{"fingerprint", ""},
	{"bad_params", ""},
	{"near", ""},
	{"suspects", ""},
	{"late", ""},
	{"duration_us", ""},
	{"request_bytes", ""},
	{"response_bytes", ""},
	{"args_hash", ""},
	{"is_retry", ""},
	{"reworded", ""},
	{"repeated", ""},
	{"intent", ""},
	{"trace_id", ""},
	{"definition", ""},
}

// dimensions are the columns of calls that go by "unknown", as they do in rollups.
var dimensions = []string{"server", "version", "env", "tool", "client", "platform"}

var calls = newCalls()

// newCalls is the view of the calls that figures count: those with a known outcome.
func newCalls() View {
	v := View{Name: "calls", table: store.Table{Name: store.Events.Name, At: store.Events.At}}
	known := map[int]bool{}
	for i, c := range callColumns {
		from := c.from
		if from == "" {
			from = c.name
		}
		at := slices.IndexFunc(store.Events.Columns, func(e store.Column) bool { return e.Name == from })
		if at < 0 {
			panic("BUG: events have no column " + from)
		}
		column := store.Events.Columns[at]
		v.table.Columns = append(v.table.Columns, column)
		kind := column.Kind
		if kind == store.ID || kind == store.JSON {
			kind = store.Text
		}
		v.Columns = append(v.Columns, Column{c.name, kind})
		known[i] = slices.Contains(dimensions, c.name)
	}
	n := len(v.Columns)
	outcome, empty := slices.IndexFunc(v.Columns, func(c Column) bool { return c.Name == "outcome" }), slices.IndexFunc(v.Columns, func(c Column) bool { return c.Name == "empty" })
	// What the row is made of beside its columns.
	v.table.Columns = append(v.table.Columns, store.Column{Name: "kind"})
	v.Columns = append(v.Columns, Column{"slice", store.Text})
	v.row = func(in, out []any) bool {
		if in[n] != "call" {
			return false
		}
		call := umpire.Call{}
		o, _ := in[outcome].(string)
		call.Outcome = umpire.Outcome(o)
		call.Empty, _ = in[empty].(bool)
		if !call.Outcome.Known() {
			return false // set aside: in no figure
		}
		for i := range n {
			if out[i] = in[i]; in[i] == "" {
				out[i] = nil
				if known[i] {
					out[i] = store.Unknown
				}
			}
		}
		out[n] = string(call.Slice())
		return true
	}
	return v
}

// rollups are the views by the hour, and the catalog: as they lie in the store, but
// for the project, of which there is one.
func rollups() (all []View) {
	for _, t := range append(slices.Clone(store.Rollups), store.Catalog) {
		if t.Name == store.SessionSlots.Name {
			continue // what sessions are made of
		}
		v := View{Name: t.Name, table: t}
		for _, c := range t.Columns[1:] {
			kind := c.Kind
			if kind == store.ID || kind == store.JSON {
				kind = store.Text
			}
			v.Columns = append(v.Columns, Column{c.Name, kind})
		}
		v.row = func(in, out []any) bool {
			copy(out, in[1:])
			return true
		}
		all = append(all, v)
	}
	return all
}

// Names are the views' names.
func Names() (names []string) {
	for _, v := range All {
		names = append(names, v.Name)
	}
	return names
}
