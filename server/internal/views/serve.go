package views

import (
	"context"
	"database/sql"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	sqldriver "database/sql/driver"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Word is the command by which the binary is what holds a copy.
const Word = "__views"

// memoryVariable tells it how many bytes DuckDB may use.
const memoryVariable = "UMPIRE_VIEWS_MEMORY"

// server holds the copy.
type server struct {
	db     *sql.DB
	load   *sql.Conn // until the first statement
	broken error     // of the copy
	tables map[string]*driver.Appender
	views  map[string]View
}

// Serve holds a copy for whoever is at the other end of the pipes, until they are
// closed.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	memory, err := strconv.ParseInt(os.Getenv(memoryVariable), 10, 64)
	if err != nil {
		return errors.New("this is no command: the server starts it by itself")
	}
	os.Clearenv()
	s := &server{tables: map[string]*driver.Appender{}, views: map[string]View{}}
	if err := s.open(ctx, memory); err != nil {
		s.broken = err
	}
	if err := limitMemory(memory); err != nil {
		s.broken = errors.Join(s.broken, err)
	}
	messages := make(chan message)
	go func() {
		dec := gob.NewDecoder(in)
		for {
			var m message
			if err := dec.Decode(&m); err != nil {
				os.Exit(0) // nobody asks any more, whatever runs
			}
			messages <- m
		}
	}()
	enc := gob.NewEncoder(out)
	for m := range messages {
		switch {
		case m.Rows != nil:
			if s.broken == nil {
				s.broken = s.add(ctx, m.Rows)
			}
		case m.Ask != nil:
			if err := enc.Encode(s.answer(ctx, *m.Ask)); err != nil {
				return fmt.Errorf("cannot answer: %w", err)
			}
		}
	}
	return nil
}

// settings shut DuckDB in: no files, no network, no extensions, no other settings.
func settings(memory int64) []string {
	return []string{
		"SET threads = 1",
		fmt.Sprintf("SET memory_limit = '%d B'", memory),
		"SET temp_directory = ''",
		"SET TimeZone = 'UTC'",
		"SET max_expression_depth = 250",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET allow_persistent_secrets = false",
		"SET enable_external_access = false",
		"SET disabled_filesystems = 'LocalFileSystem'",
		"SET lock_configuration = true",
	}
}

// open makes the tables. The views are those of this binary, as is the other end.
func (s *server) open(ctx context.Context, memory int64) (err error) {
	connector, err := driver.NewConnector("", nil)
	if err != nil {
		return err
	}
	s.db = sql.OpenDB(connector)
	if s.load, err = s.db.Conn(ctx); err != nil {
		return err
	}
	types := map[store.Kind]string{store.Text: "VARCHAR", store.Integer: "BIGINT", store.Flag: "BOOLEAN", store.Time: "TIMESTAMP"}
	for _, v := range All {
		var columns []string
		for _, c := range v.Columns {
			columns = append(columns, c.Name+" "+types[c.Kind])
		}
		if _, err := s.load.ExecContext(ctx, "CREATE TABLE "+v.Name+" ("+strings.Join(columns, ", ")+")"); err != nil {
			return fmt.Errorf("cannot make the view %q: %w", v.Name, err)
		}
		s.views[v.Name] = v
	}
	for _, one := range settings(memory) {
		if _, err := s.load.ExecContext(ctx, one); err != nil {
			return fmt.Errorf("cannot set up the views by %q: %w", one, err)
		}
	}
	return nil
}

// add takes rows into the copy.
func (s *server) add(_ context.Context, b *batch) error {
	v := s.views[b.View]
	appender := s.tables[b.View]
	if appender == nil {
		err := s.load.Raw(func(conn any) (err error) {
			appender, err = driver.NewAppenderFromConn(conn.(sqldriver.Conn), "", b.View)
			return err
		})
		if err != nil {
			return err
		}
		s.tables[b.View] = appender
	}
	row := make([]sqldriver.Value, len(v.Columns))
	for r := range b.Length {
		for i, c := range v.Columns {
			row[i] = b.value(c.Kind, i, r)
		}
		if err := appender.AppendRow(row...); err != nil {
			return err
		}
	}
	return nil
}

// loaded ends the copy.
func (s *server) loaded() error {
	for name, appender := range s.tables {
		if err := appender.Close(); err != nil {
			return err
		}
		delete(s.tables, name)
	}
	return nil
}

// answer runs a statement.
func (s *server) answer(ctx context.Context, a ask) reply {
	if s.broken == nil {
		s.broken = s.loaded()
	}
	if s.broken != nil {
		return reply{Wrong: misloaded, Said: s.broken.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, a.Time)
	defer cancel()
	r, err := s.run(ctx, a)
	var failed *driver.Error
	switch {
	case err == nil:
		return r
	case ctx.Err() != nil:
		return reply{Wrong: tooLong}
	case errors.As(err, &failed) && failed.Type == driver.ErrorTypeOutOfMemory, strings.Contains(err.Error(), "Out of Memory Error"), strings.Contains(err.Error(), "bad_alloc"):
		return reply{Wrong: tooLarge}
	default:
		return reply{Wrong: refused, Said: err.Error()}
	}
}

// run runs it on a connection of its own, in a transaction that only reads, if it is one that
// is answered.
func (s *server) run(ctx context.Context, a ask) (r reply, err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return r, err
	}
	defer func() {
		// What a statement did to its connection is gone with it.
		_ = conn.Raw(func(any) error { return sqldriver.ErrBadConn })
		_ = conn.Close()
	}()
	if err := check(ctx, conn, a.SQL); err != nil {
		return r, err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION READ ONLY"); err != nil {
		return r, err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") //nolint:errcheck // nothing was written
	rows, err := conn.QueryContext(ctx, a.SQL)
	if err != nil {
		return r, err
	}
	defer rows.Close()
	return readRows(rows, a.Limit)
}

// maxBytes bounds the rows of an answer, as JSON.
const maxBytes = 1 << 20

func readRows(rows *sql.Rows, limit int) (r reply, err error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return r, err
	}
	for _, t := range types {
		r.Columns = append(r.Columns, ColumnOf{t.Name(), t.DatabaseTypeName()})
	}
	row, into := make([]any, len(types)), make([]any, len(types))
	for i := range row {
		into[i] = &row[i]
	}
	for bytes := 0; rows.Next(); {
		if len(r.Rows) == limit {
			r.More = true
			break
		}
		if err := rows.Scan(into...); err != nil {
			return r, err
		}
		text := rowText(row, r.Columns)
		if bytes += len(text); bytes > maxBytes {
			r.More = true
			break
		}
		r.Rows = append(r.Rows, text)
	}
	return r, rows.Err()
}
