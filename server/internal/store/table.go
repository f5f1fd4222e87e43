package store

import (
	"context"
	"time"
)

// Kind is what the values of a column are, as Rows hands them out. Any may be nil.
type Kind int

// The kinds.
const (
	Text    Kind = iota // string
	ID                  // string: a UUID in its canonical form
	JSON                // string: a list or an object; "" is none
	Integer             // int64
	Flag                // bool
	Time                // time.Time, UTC, microseconds
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
	// Of says how the rows of a rollup, which are deltas, become one: a column without
	// it tells them apart. It is SQL that every engine understands.
	Of string
}

// Table is a table as it can be read whole, and as every store has it, whatever lies
// behind its name.
type Table struct {
	Name string
	// At is the column by which it is cut and sorted.
	At      string
	Columns []Column
}

// Dumper hands out what is stored, row by row: for files, and for another store.
type Dumper interface {
	// Rows calls yield with each row of the project whose At lies in [from, to), sorted
	// by At and then by all that tells rows apart, so that the same rows always come in
	// the same order. project is the first column. The row is yield's until it returns.
	Rows(ctx context.Context, t Table, project uint32, from, to time.Time, yield func(row []any) error) error
	// Span is when the first and the last row of the project are; zero for none.
	Span(ctx context.Context, t Table, project uint32) (first, last time.Time, err error)
	// Sums is what the rows of [from, to) come to in each hour, oldest first.
	Sums(ctx context.Context, t Table, project uint32, from, to time.Time) ([]HourSums, error)
}

// HourSums is what the rows of an hour of a table come to.
type HourSums struct {
	Hour time.Time
	Rows int64
	Sums []int64 // of the columns that Table.Summed names
}

// Summed are the columns that can be added up: counts, sizes, durations, marks.
func (t Table) Summed() (names []string) {
	for _, c := range t.Columns {
		if c.Kind == Integer && c.Of == "sum(%)" || t.Name == "events" && (c.Kind == Flag || c.Kind == Integer && c.Name != "project") {
			names = append(names, c.Name)
		}
	}
	return names
}

// Loader takes rows as Rows handed them out of another store: nothing is judged,
// marked or counted again but what a raw event counts for.
type Loader interface {
	// Load stores rows of a table. What Events count for goes to the rollups of their
	// hours; so rollups are loaded for hours only of which the raw events are gone. The
	// token names the rows: the same rows under the same token are stored once.
	Load(ctx context.Context, t Table, token string, rows [][]any) error
	// LoadKept notes since when the project's rows are there.
	LoadKept(ctx context.Context, project uint32, kept Kept) error
}

// Rollups are the tables by the hour; those of what has no raw events any more can only
// be copied.
var Rollups = []Table{ToolHours, ToolLatency, SessionHours, SessionSlots, ClientHours, KindHours, SenderHours, FailureHours}

// The tables. Their names are those of the statements (store/sql).
var (
	Events = Table{Name: "events", At: "started_at", Columns: columns(
		whole("project"), ids("id"), times("received_at", "started_at", "ended_at"), texts("kind", "server_name", "server_version",
			"server_env", "client_name", "client_version", "platform", "protocol", "transport", "session", "user", "seen_by", "sdk_name", "sdk_version"),
		whole("rules"), texts("tool", "outcome"), flags("empty"), texts("empty_rule", "cause", "evidence", "handler_ran", "error_type"),
		whole("error_status"), texts("error_message"), jsons("bad_params", "near", "suspects"), texts("fingerprint"), flags("late"),
		whole("duration_us", "request_bytes", "response_bytes"), texts("args_hash", "ask_hash"), flags("is_retry", "reworded", "repeated"),
		jsons("input_keys", "input_types", "input", "output"), texts("intent", "trace_id", "span_id", "definition"), jsons("tools", "meta"),
	)}
	ToolHours = hourly("tool_hours", of(Integer, "sum(%)", "calls", "ok", "empty", "bad_args", "tool_error", "crashed", "cancelled", "rounds", "set_aside",
		"retries", "reworded", "no_session", "first_calls", "first_ok", "request_bytes", "request_known", "response_bytes", "response_known"),
		of(Time, "max(%)", "last_at"))
	ToolLatency  = hourly("tool_latency", whole("bucket"), of(Integer, "sum(%)", "n"))
	SessionHours = hourly("session_hours", texts("session"))
	SessionSlots = Table{Name: "session_slots", At: "slot", Columns: columns(
		whole("project"), times("slot"), texts("session"), of(Time, "min(%)", "first_at"), of(Time, "max(%)", "last_end"),
	)}
	ClientHours  = hourly("client_hours", texts("client_version"), of(Time, "min(%)", "first_at"))
	KindHours    = hourly("kind_hours", texts("kind"), of(Integer, "sum(%)", "n"))
	SenderHours  = hourly("sender_hours", texts("seen_by", "sdk", "sdk_version"), of(Integer, "sum(%)", "n"))
	FailureHours = hourly("failure_hours", texts("outcome", "cause", "error_type"), whole("error_status"), texts("fingerprint"),
		of(Integer, "sum(%)", "n"), of(Time, "min(%)", "first_at"), of(Time, "max(%)", "last_at"), of(ID, "argMax(%, last_at)", "sample"),
		of(Text, "argMax(%, (message_at, message_id)) FILTER (WHERE message <> '')", "message"),
		of(Time, "max(%) FILTER (WHERE message <> '')", "message_at"),
		of(ID, "argMax(%, (message_at, message_id)) FILTER (WHERE message <> '')", "message_id"))
	// Catalog is every definition that a tool ever had. It is no rollup, and small.
	Catalog = Table{Name: "catalog", At: "first_seen", Columns: columns(
		whole("project"), texts("server", "version", "env", "tool", "definition", "title", "description"), whole("bytes"),
		jsons("input_schema", "annotations"), times("first_seen", "last_seen"),
	)}
)

// TableNamed finds one of the tables by its name.
func TableNamed(name string) (Table, bool) {
	for _, t := range append([]Table{Events, Catalog}, Rollups...) {
		if t.Name == name {
			return t, true
		}
	}
	return Table{}, false
}

func hourly(name string, more ...[]Column) Table {
	begin := [][]Column{whole("project"), times("hour"), texts("server", "version", "env", "tool", "client", "platform")}
	return Table{Name: name, At: "hour", Columns: columns(append(begin, more...)...)}
}

func columns(parts ...[]Column) (all []Column) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func of(kind Kind, how string, names ...string) (all []Column) {
	for _, name := range names {
		all = append(all, Column{name, kind, how})
	}
	return all
}

func texts(names ...string) []Column { return of(Text, "", names...) }
func ids(names ...string) []Column   { return of(ID, "", names...) }
func jsons(names ...string) []Column { return of(JSON, "", names...) }
func whole(names ...string) []Column { return of(Integer, "", names...) }
func flags(names ...string) []Column { return of(Flag, "", names...) }
func times(names ...string) []Column { return of(Time, "", names...) }
