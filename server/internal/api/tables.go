package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/export"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TableSpan says of a table of the store when its first and its last row of a project
// are; null: it has none.
type TableSpan struct {
	Table   string     `json:"table"`
	Project string     `json:"project"`
	First   *time.Time `json:"first"`
	Last    *time.Time `json:"last"`
}

// RowsTrailer tells, behind a table, how many rows it had.
const RowsTrailer = "Umpire-Rows"

// serveTables hands out whole tables of the store: raw events and rollups.
func (a *API) serveTables() {
	a.mux.HandleFunc("GET /api/v1/tables/{table}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("table")
		format, file := formats[path.Ext(name)]
		table, known := store.TableNamed(strings.TrimSuffix(name, path.Ext(name)))
		switch {
		case a.opt.Dumper == nil || !known || !file && path.Ext(name) != "":
			a.fail(w, r, fault.New(fault.NotFound, "there is no such table", "the tables are "+strings.Join(TableNames(), ", ")+`; put .csv, .ndjson or .parquet behind the name`))
		case file:
			a.sendTable(w, r, table, format)
		default:
			answer, err := a.tableSpan(r, table)
			a.answer(w, r, answer, err)
		}
	})
}

// TableNames are the tables that can be had whole.
func TableNames() []string {
	names := []string{store.Events.Name, store.Catalog.Name}
	for _, t := range store.Rollups {
		names = append(names, t.Name)
	}
	return names
}

func (a *API) tableSpan(r *http.Request, t store.Table) (any, error) {
	p, err := a.tableScope(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.opt.Timeout)
	defer cancel()
	first, last, err := a.opt.Dumper.Span(ctx, t, p.Filter.Project)
	out := TableSpan{Table: t.Name, Project: p.Project}
	if !first.IsZero() {
		out.First, out.Last = &first, &last
	}
	return out, err
}

// tableScope is scope for what has no filters but project, from and to.
func (a *API) tableScope(r *http.Request) (query.Params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return query.Params{}, fault.Wrap(err, fault.BadRequest, "the query string cannot be read", "escape the values as in a URL")
	}
	for name := range values {
		if name != "project" && name != "from" && name != "to" && name != "last" {
			return query.Params{}, fault.New(fault.BadRequest, fmt.Sprintf("a table is not narrowed by %.60q", name), "by project and by from and to, or last; filter what you got")
		}
	}
	return a.scope(r)
}

// sendTable streams the rows of the range. It takes as long as it takes.
func (a *API) sendTable(w http.ResponseWriter, r *http.Request, t store.Table, f export.Format) {
	p, err := a.tableScope(r)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", f.MediaType())
	w.Header().Set("Trailer", RowsTrailer)
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.%s"`, fileName(p.Project), t.Name, f))
	if r.Method == http.MethodHead {
		return
	}
	out, err := export.NewWriter(w, f, tableColumns(t))
	if err == nil {
		rows := 0
		err = a.opt.Dumper.Rows(r.Context(), t, p.Filter.Project, p.Filter.From, p.Filter.To, func(row []any) error {
			rows++
			return out.Write(row)
		})
		if err == nil {
			err = out.Close()
		}
		w.Header().Set(RowsTrailer, strconv.Itoa(rows))
	}
	if err != nil {
		if r.Context().Err() == nil {
			a.opt.Log.ErrorContext(r.Context(), "a table broke off", "path", r.URL.Path, "err", err)
		}
		panic(http.ErrAbortHandler) // so that nobody takes the beginning for the whole
	}
}

func tableColumns(t store.Table) []export.Column {
	types := map[store.Kind]export.Type{
		store.Text: export.Text, store.ID: export.Text, store.JSON: export.JSON, store.Integer: export.Integer, store.Flag: export.Flag, store.Time: export.Time,
	}
	out := make([]export.Column, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = export.Column{Name: c.Name, Type: types[c.Kind]}
	}
	return out
}
