package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

var _ store.Loader = (*DB)(nil)

// loader is the node that loaded rows belong to: no log is behind them.
const loader = "migrate"

// behind is where the rows of a table go, and how one of them is written there.
var behind = map[string]struct {
	table, columns string
	row            func(r []any) []any // nil: as it is
}{
	store.ToolHours.Name:    {table: "tool_sums"},
	store.ToolLatency.Name:  {"tool_sums", "project, hour, " + strings.Join(statement.Dimensions, ", ") + ", latency", latency},
	store.SessionHours.Name: {"session_sums", columnsOf(store.SessionHours) + ", n", counted},
	store.SessionSlots.Name: {table: "slot_ends"},
	store.ClientHours.Name:  {"client_sums", columnsOf(store.ClientHours) + ", n", counted},
	store.KindHours.Name:    {table: "kind_hours"},
	store.SenderHours.Name:  {table: "sender_hours"},
	store.FailureHours.Name: {
		"failure_sums", "project, hour, " + strings.Join(statement.Dimensions, ", ") + ", outcome, cause, error_type, error_status, fingerprint, n, first_at, newest, said", failure,
	},
	store.Catalog.Name: {"catalog_rows", "project, server, version, env, tool, definition, first_seen, last_seen, newest", definition},
}

// Load implements store.Loader.
func (db *DB) Load(ctx context.Context, t store.Table, token string, rows [][]any) (err error) {
	if t.Name == store.Events.Name {
		err = db.loadEvents(ctx, token, rows)
	} else {
		err = db.loadRows(ctx, t, token, rows)
	}
	if err != nil {
		return fmt.Errorf("cannot load %d rows of %q: %w", len(rows), t.Name, clean(err))
	}
	return nil
}

func (db *DB) loadRows(ctx context.Context, t store.Table, token string, rows [][]any) error {
	into, ok := behind[t.Name]
	if !ok {
		panic("BUG: nothing is behind " + t.Name)
	}
	if into.columns == "" {
		into.columns = columnsOf(t)
	}
	batch, err := db.conn.PrepareBatch(driver.Context(ctx, with(token, nil)), "INSERT INTO "+into.table+" ("+into.columns+")")
	if err != nil {
		return err
	}
	defer batch.Close()
	for _, r := range rows {
		r = typed(t, r)
		if into.row != nil {
			r = into.row(r)
		}
		if err := batch.Append(r...); err != nil {
			return err
		}
	}
	return batch.Send()
}

func columnsOf(t store.Table) string {
	all := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		all[i] = quoted(c.Name)
	}
	return strings.Join(all, ", ")
}

// typed is the row in the types of the columns, which have no NULL: a time that is not
// known changes no minimum and no maximum.
func typed(t store.Table, r []any) []any {
	out := slices.Clone(r)
	for i, c := range t.Columns {
		switch v := r[i].(type) {
		case nil:
			switch {
			case c.Kind == store.Time && c.Of == "min(%)":
				out[i] = statement.LastMoment
			case c.Kind == store.Time:
				out[i] = statement.FirstMoment
			case c.Kind == store.Integer:
				out[i] = int64(0)
			default:
				out[i] = ""
			}
		case time.Time:
			out[i] = moment(v)
		case string:
			if c.Kind == store.ID {
				out[i] = rawID(v)
			}
		}
	}
	out[0] = uint32(r[0].(int64)) //nolint:gosec // the number of a project
	return out
}

// rawID is an id as FixedString(16) holds it.
func rawID(text string) string {
	id := idOf(text)
	return string(id[:])
}

// counted says that a row is there.
func counted(r []any) []any { return append(r, int64(1)) }

func latency(r []any) []any {
	at := len(r) - 2                                                                // bucket, n
	return append(r[:at], map[uint16]int64{uint16(r[at].(int64)): r[at+1].(int64)}) //nolint:gosec // there are store.Buckets
}

func failure(r []any) []any {
	const at = 15 // last_at, sample, message, message_at, message_id
	fixed := func(id any) string {
		if id == "" {
			return strings.Repeat("\x00", 16)
		}
		return id.(string)
	}
	return append(r[:at:at], []any{r[at], fixed(r[at+1])}, []any{r[at+3], fixed(r[at+4]), r[at+2]})
}

func definition(r []any) []any {
	const at = 6 // title, description, bytes, input_schema, annotations, first_seen, last_seen
	first, last := r[at+5], r[at+6]
	return append(r[:at:at], first, last, append([]any{last}, r[at:at+5]...))
}

// loadEvents puts raw events into event_rows, as they are; the rollups count them.
func (db *DB) loadEvents(ctx context.Context, token string, rows [][]any) error {
	all := make([]*row, len(rows))
	for i := range rows {
		all[i] = fromRow(rows[i])
	}
	columns := append(rowColumns[:len(rowColumns):len(rowColumns)], ofBatch[0]) // applied_at
	ctx = driver.Context(ctx, driver.WithColumnNamesAndTypes(columns), with(token, driver.Settings{"max_insert_block_size": 1 << 30}))
	batch, err := db.conn.PrepareBatch(ctx, "INSERT INTO event_rows ("+names(columns)+")")
	if err != nil {
		return err
	}
	defer batch.Close()
	for i, values := range valuesOf(all, token, 0)[:len(columns)] {
		if err := batch.Column(i).Append(values); err != nil {
			return fmt.Errorf("cannot fill column %q: %w", columns[i].Name, err)
		}
	}
	return batch.Send()
}

// fromRow is the row of +1 of a row of store.Events.
func fromRow(values []any) *row {
	r := &row{node: loader, sign: 1}
	for i, c := range store.Events.Columns {
		r.set(c.Name, values[i])
	}
	r.version = incarnation(loader, 0) ^ incarnation(r.id.String(), uint64(r.project))
	return r
}

func (r *row) set(name string, v any) {
	switch name {
	case "project":
		r.project = uint32(v.(int64)) //nolint:gosec // the number of a project
	case "id":
		r.id = idOf(v.(string))
	case "received_at":
		r.received = moment(v.(time.Time))
	case "started_at":
		r.started = moment(v.(time.Time))
	case "ended_at":
		r.ended = moment(v.(time.Time))
	case "rules":
		r.rules = v.(int64)
	case "empty":
		r.empty = v.(bool)
	case "late":
		r.late = v.(bool)
	case "is_retry":
		r.retry = v.(bool)
	case "reworded":
		r.reworded = v.(bool)
	case "repeated":
		r.repeated = v.(bool)
	default:
		for i := range numberColumns {
			if numberColumns[i].name == name {
				if n, ok := v.(int64); ok {
					r.number[i] = &n
				}
				return
			}
		}
		r.text[place(name)] = v.(string)
	}
}

// LoadKept implements store.Loader.
func (db *DB) LoadKept(ctx context.Context, project uint32, kept store.Kept) error {
	for column, since := range map[string]time.Time{"raw_since": kept.Raw, "rollups_since": kept.Rollups} {
		if since.IsZero() {
			continue
		}
		if err := db.noteExpired(ctx, project, column, since, 1); err != nil {
			return fmt.Errorf("cannot note since when rows of project %d are there: %w", project, err)
		}
	}
	return nil
}

func idOf(text string) (id umpire.ID) {
	if err := id.UnmarshalText([]byte(text)); err != nil {
		panic("BUG: a store handed out " + text + " as an id")
	}
	return id
}
