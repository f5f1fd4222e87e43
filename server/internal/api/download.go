package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/export"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// formats are the forms of a list beside JSON, by the end of its path.
var formats = map[string]export.Format{".csv": export.CSV, ".ndjson": export.NDJSON, ".parquet": export.Parquet}

// wanted is the form that the Accept header names first; false for JSON.
func wanted(r *http.Request) (export.Format, bool) {
	for _, part := range strings.Split(r.Header.Get("Accept"), ",") {
		name, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "text/csv":
			return export.CSV, true
		case "application/x-ndjson", "application/ndjson", "application/jsonl":
			return export.NDJSON, true
		case "application/vnd.apache.parquet":
			return export.Parquet, true
		case "application/json", "*/*", "application/*":
			return "", false
		}
	}
	return "", false
}

// download sends a list whole, part by part: no more than a part of it is in memory,
// and the store is not held while a slow reader reads.
func (a *API) download(w http.ResponseWriter, r *http.Request, path string, f export.Format) {
	p, err := a.scope(r, takes[path]...)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	one := p.List.Limit > 0 // whoever names a limit wants one part
	if !one {
		p.List.Limit = query.MaxLimit
	}
	answer, list, err := a.part(r, path, p)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", f.MediaType())
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.%s"`, fileName(p.Project), strings.ReplaceAll(path, "/", "-"), f))
	if r.Method == http.MethodHead {
		return
	}
	t := newTable(list.Type().Elem())
	out, err := export.NewWriter(w, f, t.columns)
	for err == nil {
		if err = t.write(out, list); err != nil {
			break
		}
		if p.List.Cursor = nextIn(answer); p.List.Cursor == "" || one {
			err = out.Close()
			break
		}
		answer, list, err = a.part(r, path, p)
	}
	if err != nil {
		if r.Context().Err() == nil {
			a.opt.Log.ErrorContext(r.Context(), "a list broke off", "path", r.URL.Path, "err", err)
		}
		panic(http.ErrAbortHandler) // so that nobody takes the beginning for the whole
	}
}

// part asks for one part of a list.
func (a *API) part(r *http.Request, path string, p query.Params) (answer any, list reflect.Value, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), a.opt.Timeout)
	defer cancel()
	if answer, err = questions[path](ctx, a.src, p, r); err != nil {
		return nil, list, err
	}
	list, known := listIn(answer, tables[path])
	if !known {
		return nil, list, errNotKept
	}
	return answer, list, nil
}

// table is how rows of one type are written.
type table struct {
	fields  []field
	columns []export.Column
}

func newTable(row reflect.Type) table {
	t := table{fields: fieldsOf(row, "", nil)}
	for _, f := range t.fields {
		t.columns = append(t.columns, f.column)
	}
	return t
}

func (t table) write(out export.Writer, list reflect.Value) error {
	row := make([]any, len(t.fields))
	for i := range list.Len() {
		for c, f := range t.fields {
			v, err := f.value(list.Index(i))
			if err != nil {
				return fmt.Errorf("cannot write %q of a row: %w", f.column.Name, err)
			}
			row[c] = v
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// fileName is the project's name as any file system takes it.
func fileName(project string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, project)
}
