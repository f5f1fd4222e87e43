package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/export"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

type exportCommand struct {
	askFlags
	Project string   `help:"Project; all of them if left out." env:"UMPIRE_PROJECT"`
	Table   []string `help:"Table to write: events, catalog, or a rollup such as tool_hours; all for every one (docs/export.md). May be repeated." default:"events" placeholder:"TABLE"`
	From    string   `help:"First day, UTC; the first there is, if left out." placeholder:"DATE"`
	Until   string   `help:"Day after the last one, UTC." placeholder:"DATE"`
	Format  string   `help:"parquet, ndjson or csv." default:"parquet" enum:"parquet,ndjson,csv"`
	Out     string   `help:"Directory, in which PROJECT/TABLE/DAY.FORMAT is made; or one file that ends in .parquet, .ndjson or .csv; or - for standard output." required:"" placeholder:"DIR"`
}

// Help implements kong.HelpProvider.
func (exportCommand) Help() string {
	return `Raw events and rollups as files that DuckDB, ClickHouse and pandas read, a file a day. A running server is asked, or the data directory opened:

    umpire export --data DIR --out archive
    duckdb -c "SELECT tool, count(*) FROM 'archive/*/events/*.parquet' GROUP BY ALL"`
}

func (c *exportCommand) Run(ctx context.Context) error {
	tables := c.Table
	if slices.Contains(tables, "all") {
		tables = api.TableNames()
	}
	return c.ask(ctx, func(who asking) error {
		whole := *who.client
		whole.Timeout = 0 // a table takes as long as it takes
		e := exporting{asking: asking{client: &whole, base: who.base, key: who.key}, command: c}
		if file := extension(c.Out); file || c.Out == "-" {
			return e.one(ctx, tables)
		}
		return e.days(ctx, tables)
	})
}

// extension reports whether the path is that of one file.
func extension(path string) bool {
	_, err := export.ParseFormat(strings.TrimPrefix(filepath.Ext(path), "."))
	return err == nil
}

type exporting struct {
	asking
	command *exportCommand
	files   int
	bytes   int64
}

// one writes one table of one project into one file, or to standard output.
func (e *exporting) one(ctx context.Context, tables []string) error {
	format := export.Format(e.command.Format)
	if len(tables) != 1 {
		return fault.New(fault.BadRequest, "one file holds one table", "name one with --table, or a directory with --out")
	}
	if e.command.Out != "-" {
		format, _ = export.ParseFormat(strings.TrimPrefix(filepath.Ext(e.command.Out), "."))
	}
	span, err := e.span(ctx, e.command.Project, tables[0])
	if err != nil {
		return err
	}
	from, to, err := e.command.bounds(span)
	if err != nil {
		return err
	}
	if e.command.Out == "-" {
		_, err := e.fetch(ctx, os.Stdout, span.Project, tables[0], format, from, to)
		return err
	}
	if err := e.file(ctx, e.command.Out, span.Project, tables[0], format, from, to, false); err != nil {
		return err
	}
	return e.done()
}

// days writes a file for each day that has a row.
func (e *exporting) days(ctx context.Context, tables []string) error {
	projects := []string{e.command.Project}
	if e.command.Project == "" {
		var answer struct{ Projects []struct{ Name string } }
		if err := e.get(ctx, "projects", nil, &answer); err != nil {
			return err
		}
		projects = nil
		for _, p := range answer.Projects {
			projects = append(projects, p.Name)
		}
	}
	format := export.Format(e.command.Format)
	for _, project := range projects {
		for _, table := range tables {
			span, err := e.span(ctx, project, table)
			if err != nil {
				return err
			}
			from, to, err := e.command.bounds(span)
			if err != nil {
				return err
			}
			for day := from; day.Before(to); day = day.AddDate(0, 0, 1) {
				path := filepath.Join(e.command.Out, project, table, day.Format(time.DateOnly)+"."+string(format))
				if err := e.file(ctx, path, project, table, format, day, day.AddDate(0, 0, 1), true); err != nil {
					return err
				}
			}
		}
	}
	return e.done()
}

func (e *exporting) done() error {
	fmt.Fprintf(os.Stderr, "%d files, %s\n", e.files, humanize.IBytes(uint64(e.bytes)))
	return nil
}

func (e *exporting) span(ctx context.Context, project, table string) (span api.TableSpan, err error) {
	values := url.Values{}
	if project != "" {
		values.Set("project", project)
	}
	err = e.get(ctx, "tables/"+url.PathEscape(table), values, &span)
	return span, err
}

// bounds are the days of the span that the flags leave: from, and the one after the last.
func (c *exportCommand) bounds(span api.TableSpan) (from, to time.Time, err error) {
	if span.First == nil { // an empty table has columns all the same
		from = time.Now().UTC().Truncate(24 * time.Hour)
		return from, from.AddDate(0, 0, 1), nil
	}
	from, to = span.First.Truncate(24*time.Hour), span.Last.Truncate(24*time.Hour).AddDate(0, 0, 1)
	for _, flag := range []struct {
		name, text string
		day        *time.Time
		tighter    func(day time.Time) bool
	}{
		{"--from", c.From, &from, func(day time.Time) bool { return day.After(from) }},
		{"--until", c.Until, &to, func(day time.Time) bool { return day.Before(to) }},
	} {
		if flag.text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, flag.text)
		if err != nil {
			return from, to, fault.New(fault.BadRequest, fmt.Sprintf("%s cannot be %.40q", flag.name, flag.text), "give a date such as 2026-05-04, in UTC")
		}
		if flag.tighter(day) {
			*flag.day = day
		}
	}
	return from, to, nil
}

// file writes a part of a table into a new file, which takes its name when it is
// whole. sparing: a part without a row is no file.
func (e *exporting) file(ctx context.Context, path, project, table string, format export.Format, from, to time.Time, sparing bool) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fault.Wrap(err, fault.BadRequest, "cannot make the directory "+filepath.Dir(path), "give a directory that you can write to with --out")
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".umpire-export-*")
	if err != nil {
		return fault.Wrap(err, fault.BadRequest, "cannot write to "+filepath.Dir(path), "give a directory that you can write to with --out")
	}
	defer func() { _ = os.Remove(part.Name()) }() // unless it has its name by then
	rows, err := e.fetch(ctx, part, project, table, format, from, to)
	if err := errors.Join(err, part.Sync()); err != nil || sparing && rows == 0 {
		return errors.Join(err, part.Close())
	}
	info, err := part.Stat()
	if err := errors.Join(err, part.Close()); err != nil {
		return fmt.Errorf("cannot write %q: %w", path, err)
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return fmt.Errorf("cannot write %q: %w", path, err)
	}
	e.files, e.bytes = e.files+1, e.bytes+info.Size()
	return nil
}

// fetch writes a part of a table and returns how many rows it had, -1 if that was not
// told.
func (e *exporting) fetch(ctx context.Context, into io.Writer, project, table string, format export.Format, from, to time.Time) (rows int, err error) {
	values := url.Values{"project": {project}, "from": {from.Format(time.RFC3339)}, "to": {to.Format(time.RFC3339)}}
	address := e.base + "/api/v1/tables/" + url.PathEscape(table) + "." + string(format) + "?" + values.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, fault.Wrap(err, fault.BadRequest, "cannot read the address "+e.base, "give it as http://host:port")
	}
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return 0, fault.Wrap(err, fault.Unavailable, "cannot reach Umpire at "+e.base, "is umpire serve running there? --to names another address")
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, remote.Decode(res, nil)
	}
	if _, err := io.Copy(into, res.Body); err != nil {
		return 0, fmt.Errorf("cannot fetch the table %q: it broke off: %w", table, err)
	}
	if rows, err = strconv.Atoi(res.Trailer.Get(api.RowsTrailer)); err != nil { // a proxy may drop it
		rows = -1
	}
	return rows, nil
}
