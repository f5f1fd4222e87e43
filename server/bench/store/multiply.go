package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // the driver
)

// ring is over how many days what is prepared lies; copies are moved within it.
const ring = 90

// multiply makes a directory of so many times the events of another, by SQL in the
// store's file while no server runs. Copy k is moved k days back, within the ninety
// days; its ids are new, and its sessions others. The rollups are moved by the same
// whole days and summed, so they are right without being computed anew. Only the
// first copy has bodies: what an event takes on the disk is not to be read from it.
func (b *bench) multiply(ctx context.Context) error {
	if b.Data == "" || b.From == "" {
		return errors.New("from where to where? give -from and -data")
	}
	if _, err := os.Stat(filepath.Join(b.Data, note)); err == nil {
		fmt.Fprintln(os.Stderr, "there already:", b.Data)
		return nil
	}
	// A server of today's program brings the source to today's form, and empties its log.
	s, err := b.newServer(b.From, "")
	if err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := s.terminate(); err != nil {
		return err
	}
	_ = os.RemoveAll(b.Data)
	if out, err := exec.CommandContext(ctx, "cp", "-r", b.From, b.Data).CombinedOutput(); err != nil {
		return fmt.Errorf("cannot copy %q: %w: %s", b.From, err, out)
	}
	if err := os.Remove(filepath.Join(b.Data, note)); err != nil {
		return err
	}
	db, err := sql.Open("duckdb", filepath.Join(b.Data, "events.duckdb"))
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // one connection has the attached file
	m := multiplied{db: db, times: b.Times, start: s.Until.AddDate(0, 0, -ring)}
	if err := m.all(ctx, filepath.Join(b.From, "events.duckdb")); err != nil {
		return err
	}
	s.dir = b.Data
	return s.remember(s.Until, s.Events*b.Times)
}

type multiplied struct {
	db    *sql.DB
	times int
	start time.Time
}

func (m *multiplied) all(ctx context.Context, from string) error {
	for _, statement := range []string{
		"ATTACH '" + strings.ReplaceAll(from, "'", "''") + "' AS source (READ_ONLY)",
		"SET preserve_insertion_order = true", "SET checkpoint_threshold = '2GB'", "SET memory_limit = '6GB'",
	} {
		if _, err := m.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("cannot %s: %w", statement, err)
		}
	}
	rows, err := m.db.QueryContext(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = 'source' ORDER BY table_name")
	if err != nil {
		return err
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		tables = append(tables, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, table := range tables {
		began := time.Now()
		if err := m.one(ctx, table); err != nil {
			return fmt.Errorf("cannot multiply %s: %w", table, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", table, time.Since(began).Round(time.Second))
	}
	_, err = m.db.ExecContext(ctx, "CHECKPOINT")
	return err
}

// columns of a table, in order.
func (m *multiplied) columns(ctx context.Context, table string) (names []string, kinds map[string]string, err error) {
	rows, err := m.db.QueryContext(ctx, "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'source' AND table_name = ? ORDER BY column_index", table)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	kinds = map[string]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return nil, nil, err
		}
		names, kinds[name] = append(names, name), kind
	}
	return names, kinds, rows.Err()
}

// one multiplies a table by what its columns are called: by the time that its rows are
// of. One without such a column, as the catalogue of tools, stays as it is.
func (m *multiplied) one(ctx context.Context, table string) error {
	names, kinds, err := m.columns(ctx, table)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(names, func(n string) bool { return n == "started_at" || n == "hour" || n == "day" || n == "slot" })
	if at < 0 || table == "goose_db_version" {
		return nil
	}
	clock := names[at]
	if _, err := m.db.ExecContext(ctx, "DELETE FROM "+table); err != nil {
		return err
	}
	copies := m.copies(table, clock, names, kinds)
	if table != rawEvents {
		_, err = m.db.ExecContext(ctx, "INSERT INTO main."+table+" "+copies+" ORDER BY "+quoted(clock))
		return err
	}
	// A day of all copies after the other, so that the file is in the order of time.
	for day := range ring + 1 {
		to := m.start.AddDate(0, 0, day)
		var parts []string
		for k := range m.times {
			from := to.AddDate(0, 0, k)
			if day+k >= ring {
				from = from.AddDate(0, 0, -ring)
			}
			if day == ring { // what is younger than a whole number of days
				if k > 0 {
					break
				}
				from = to
			}
			part := fmt.Sprintf("%s WHERE k = %d AND started_at < '%s'", copies, k, stamp(from.AddDate(0, 0, 1)))
			if day > 0 || k > 0 {
				part += " AND started_at >= '" + stamp(from) + "'"
			}
			parts = append(parts, part)
		}
		if _, err := m.db.ExecContext(ctx, "INSERT INTO main."+rawEvents+" "+strings.Join(parts, " UNION ALL ")); err != nil {
			return err
		}
	}
	return nil
}

// rawEvents is the table behind the view events.
const rawEvents = "packed_events"

func stamp(t time.Time) string { return t.Format(time.DateTime) }

// copies selects the copies: moved, and summed where there are figures.
func (m *multiplied) copies(table, clock string, names []string, kinds map[string]string) string {
	by := fmt.Sprintf("to_days(CASE WHEN %s - to_days(k::INTEGER) < '%s' AND k > 0 THEN %d - k::INTEGER ELSE -k::INTEGER END)", clock, stamp(m.start), ring)
	id := func(id, at string) string {
		return fmt.Sprintf("(format('{:08x}-{:04x}', epoch_ms(%[2]s + %[3]s) >> 16, epoch_ms(%[2]s + %[3]s) & 65535) || substr(%[1]s::VARCHAR, 14, 21) || format('{:02x}', k))::UUID", id, at, by)
	}
	last := map[string]string{
		"last_at": "max", "last_end": "max", "message_at": "max", "first_at": "min",
		"sample":  "arg_max(" + id("sample", "last_at") + ", last_at)",
		"message": "arg_max(message, message_at)", "message_id": "arg_max(" + id("message_id", "message_at") + ", message_at)",
	}
	var out []string
	for _, n := range names {
		value := quoted(n)
		switch {
		case kinds[n] == "TIMESTAMP":
			value = fmt.Sprintf("%s + %s", value, by)
		case n == "id":
			value = id("id", "started_at")
		case n == "session":
			value = "CASE WHEN session = '' OR k = 0 THEN session ELSE session || k::VARCHAR END"
		case n == "bodies":
			value = "CASE WHEN k = 0 THEN bodies ELSE '' END"
		case n == "ended_block":
			value = fmt.Sprintf("(epoch_us(started_at + %s) + coalesce(duration_us, 0)) // 1073741824", by)
		}
		switch how := last[n]; {
		case table == rawEvents:
		case strings.HasPrefix(how, "arg_max"):
			value = how
		case how != "":
			value = how + "(" + value + ")"
		case kinds[n] == "BIGINT" && n != "error_status" || kinds[n] == "HUGEINT":
			value = "sum(" + value + ")::BIGINT"
		}
		out = append(out, value+" AS "+quoted(n))
	}
	text := fmt.Sprintf("SELECT %s FROM source.main.%s, range(%d) AS copies(k)", strings.Join(out, ", "), table, m.times)
	if table != rawEvents {
		text += " GROUP BY ALL"
	}
	return text
}

func quoted(name string) string { return `"` + name + `"` }
