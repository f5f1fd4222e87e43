package clickhouse

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schema writes the statements of the migrations for one server, or for a cluster: a
// table of several replicas on every server and one over all of them.
type schema struct {
	cluster string
	// filled says that the tables were filled by an older version's views.
	filled bool
}

// statements are those of one file of migrations.
func (s schema) statements(name string) ([]string, error) {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Funcs(template.FuncMap{
		"table": s.table, "eventsLeft": s.eventsLeft, "eventsAnew": s.eventsAnew, "indexSigns": s.indexSigns,
		"indexEnds": s.indexEnds, "view": s.view, "engine": s.engine, "distributed": s.distributed, "fill": s.fill, "refill": s.refill,
		"columns": eventColumns, "dimensions": dimensionColumns, "counters": counterColumns,
		"factCounters": func() string { return "  " + strings.Join(statement.Counters, " Int64,\n  ") + " Int64" },
		"day": func(x string) string {
			us := "toUnixTimestamp64Micro(" + x + ")"
			return fmt.Sprintf("fromUnixTimestamp64Micro(%s - positiveModulo(%s, %d), 'UTC')", us, us, day.Microseconds())
		},
		"dims":         func() string { return strings.Join(statement.Dimensions, ", ") },
		"counterNames": func() string { return strings.Join(statement.Counters, ", ") },
		"noCounters":   func() string { return "0 AS " + strings.Join(statement.Counters, ", 0 AS ") },
		"settings":     func() string { return s.dedupe() + ", fsync_after_insert = 1, fsync_part_directory = 1" },
	}).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("cannot read migration %q: %w", name, err)
	}
	var out strings.Builder
	if err := t.Execute(&out, nil); err != nil {
		return nil, fmt.Errorf("cannot write migration %q: %w", name, err)
	}
	var all []string
	for _, one := range strings.Split(out.String(), ";\n") {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all, nil
}

// on is the clause that lets a statement run on every server of the cluster.
func (s schema) on() string {
	if s.cluster == "" {
		return ""
	}
	return " ON CLUSTER '" + s.cluster + "'"
}

// local is the table that holds the rows of a server: what is changed and filled.
func (s schema) local(name string) string {
	if s.cluster == "" {
		return name
	}
	return name + "_local"
}

func (s schema) table(name string) string { return "IF NOT EXISTS " + s.local(name) + s.on() }
func (s schema) view(name string) string  { return "IF NOT EXISTS " + name + s.on() }

func (s schema) engine(name, args string) string {
	if s.cluster == "" {
		return name + "(" + args + ")"
	}
	if args != "" {
		args = ", " + args
	}
	return "Replicated" + name + "('/clickhouse/tables/{shard}/{database}/{table}', '{replica}'" + args + ")"
}

// dedupe is how many blocks a table remembers by their tokens.
func (s schema) dedupe() string {
	if s.cluster == "" {
		return "non_replicated_deduplication_window = 10000"
	}
	return "replicated_deduplication_window = 10000"
}

func (s schema) distributed(name, by string) string {
	if s.cluster == "" {
		return ""
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s%s AS %s ENGINE = Distributed('%s', currentDatabase(), %s, %s)",
		name, s.on(), s.local(name), s.cluster, s.local(name), by)
}

// fill is the materialized view that counts the rows that come into event_rows. It
// reads and fills the tables of its own server.
func (s schema) fill(name string) (string, error) {
	text, err := s.counting(name)
	return "CREATE MATERIALIZED VIEW IF NOT EXISTS fill_" + name + s.on() + " TO " + s.local(name) + " AS\n" + text, err
}

// eventsLeft are the events as they are. FINAL reads every column of what it reads in the
// order of the key, which takes many times as long: only those events are read by it that
// rows were taken back of. They are few, as pairs go when parts are merged, and all parts
// of the statement see one state of the table (enable_shared_storage_snapshot_in_query). Of
// a cluster two replicas could answer it, of which one is behind: there all is FINAL.
func (s schema) eventsLeft() string {
	if s.cluster != "" {
		return "SELECT * FROM event_rows FINAL WHERE sign = 1"
	}
	const taken = "(SELECT project, started_at, id FROM event_rows WHERE sign = -1)"
	return "SELECT * FROM event_rows WHERE sign = 1 AND (project, started_at, id) NOT IN " + taken +
		"\nUNION ALL\nSELECT * FROM event_rows FINAL WHERE sign = 1 AND (project, started_at, id) IN " + taken
}

// eventsAnew and indexSigns bring an older version's there.
func (s schema) eventsAnew() string {
	if !s.filled || s.cluster != "" {
		return ""
	}
	return "CREATE OR REPLACE VIEW events AS\n" + s.eventsLeft()
}

func (s schema) indexSigns() string {
	if !s.filled {
		return ""
	}
	return "ALTER TABLE " + s.local("event_rows") + s.on() + " ADD INDEX IF NOT EXISTS by_sign sign TYPE minmax GRANULARITY 1"
}

// indexEnds gives the events of an older version the index by which calls are looked for
// by their end.
func (s schema) indexEnds() string {
	if !s.filled {
		return ""
	}
	return "ALTER TABLE " + s.local("event_rows") + s.on() + " ADD INDEX IF NOT EXISTS by_ended ended_at TYPE minmax GRANULARITY 1"
}

// refill lets the view of an older version read as fill's does, at one moment.
func (s schema) refill(name string) (string, error) {
	if !s.filled {
		return "", nil
	}
	text, err := s.counting(name)
	return "ALTER TABLE fill_" + name + s.on() + " MODIFY QUERY\n" + text, err
}

func (s schema) counting(name string) (string, error) {
	text, args, err := statement.ClickHouse.Render("rollup_"+name, statement.Question{})
	if err != nil {
		return "", err
	}
	if len(args) > 0 {
		panic("BUG: a rollup has values")
	}
	text = strings.ReplaceAll(text, "FROM facts", "FROM "+s.local("facts"))
	return strings.TrimSpace(strings.ReplaceAll(text, "FROM event_rows", "FROM "+s.local("event_rows"))), nil
}

func eventColumns() string {
	const at = "DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1))"
	lines := []string{
		"project UInt32", "received_at " + at, "started_at " + at, "ended_at " + at, "id FixedString(16)",
	}
	for _, c := range textColumns {
		kind := "String CODEC(ZSTD(1))"
		if c.low {
			kind = "LowCardinality(String)"
		}
		lines = append(lines, quoted(c.name)+" "+kind)
	}
	for _, c := range numberColumns {
		lines = append(lines, c.name+" Nullable(Int64) CODEC(ZSTD(1))")
	}
	lines = append(lines, "empty Bool", "late Bool", "is_retry Bool", "reworded Bool", "repeated Bool")
	return "  " + strings.Join(append(lines, "rules Int64 CODEC(ZSTD(1))"), ",\n  ")
}

func quoted(name string) string {
	if name == "user" {
		return `"user"`
	}
	return name
}

func dimensionColumns() string {
	return "  " + strings.Join(statement.Dimensions, " LowCardinality(String),\n  ") + " LowCardinality(String)"
}

func counterColumns() string {
	const kind = " SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1))"
	return "  " + strings.Join(statement.Counters, kind+",\n  ") + kind
}

// migrate brings the tables up to this version's. Every statement can be repeated, so
// that two nodes that start at once, and a start that was cut short, do no harm.
func (db *DB) migrate(ctx context.Context) error {
	s := schema{cluster: db.cluster}
	state := "CREATE TABLE " + s.table("schema_versions") + " (version UInt32, at DateTime) ENGINE = " + s.engine("MergeTree", "") + " ORDER BY version"
	for _, one := range []string{state, s.distributed("schema_versions", "1")} {
		if one == "" {
			continue
		}
		if err := db.exec(ctx, one); err != nil {
			return fmt.Errorf("cannot make the table of versions: %w", err)
		}
	}
	var have uint32
	if err := db.conn.QueryRow(ctx, "SELECT max(version) FROM schema_versions").Scan(&have); err != nil {
		return fmt.Errorf("cannot read the store's version: %w", clean(err))
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("cannot list the migrations: %w", err)
	}
	if int(have) > len(names) {
		return fault.New(fault.Conflict, fmt.Sprintf("the store is of version %d, and this umpire knows up to %d", have, len(names)),
			"it was written by a newer umpire: start that one")
	}
	for i := int(have); i < len(names); i++ {
		if i == facts {
			if err := db.emptied(ctx, have); err != nil {
				return err
			}
		}
		s.filled = have > 0
		all, err := s.statements(names[i])
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := db.exec(ctx, one); err != nil {
				return fmt.Errorf("cannot apply migration %q: %w", names[i], err)
			}
		}
		if err := db.exec(ctx, fmt.Sprintf("INSERT INTO schema_versions VALUES (%d, %d)", i+1, time.Now().Unix())); err != nil {
			return fmt.Errorf("cannot note migration %q: %w", names[i], err)
		}
	}
	return nil
}

// facts is the number of the migration that lets the rollups be filled from facts.
const facts = 1

// emptied sees to it that no batch is half applied by the views of the version before:
// those of this one would not know what they have counted.
func (db *DB) emptied(ctx context.Context, have uint32) error {
	if have == 0 {
		return nil
	}
	if err := db.recover(ctx); err != nil {
		return err
	}
	var left uint64
	if err := db.conn.QueryRow(ctx, "SELECT uniqExact(token) FROM inbox").Scan(&left); err != nil {
		return fmt.Errorf("cannot look into the inbox: %w", clean(err))
	}
	if left > 0 {
		return fault.New(fault.Conflict, fmt.Sprintf("the store is brought up to date, and %d batches of other nodes are on their way into it", left),
			"stop the other nodes that take events, and start this one again; one that was killed is started once with the older umpire before")
	}
	return nil
}

// exec runs a statement that holds no values of anybody's.
func (db *DB) exec(ctx context.Context, text string, args ...any) error {
	return clean(db.conn.Exec(ctx, text, args...))
}
