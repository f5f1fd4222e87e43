package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Views answers SQL over one project's rows of [from, to) (docs/sql.md).
type Views interface {
	Answer(ctx context.Context, project uint32, from, to time.Time, statement string, limit int) (query.SQLRows, error)
}

// paramSQL is the statement.
const paramSQL = "sql"

var errNoQuery = fault.New(fault.Forbidden, "this Umpire answers no SQL", "umpire serve --allow-query allows it (docs/sql.md); beside the data directory umpire query --data needs no leave")

func (a *API) serveQuery() {
	a.mux.HandleFunc("GET /api/v1/query", func(w http.ResponseWriter, r *http.Request) {
		answer, err := a.query(r)
		a.answer(w, r, answer, err)
	})
}

// query takes the place of the filters by the statement: only project and range are
// beside it.
func (a *API) query(r *http.Request) (any, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.Wrap(err, fault.BadRequest, "the query string cannot be read", "escape the values as in a URL")
	}
	for name := range values {
		switch name {
		case "project", "from", "to", "last", paramSQL, query.ParamLimit:
		default:
			return nil, fault.New(fault.BadRequest, fmt.Sprintf("SQL is not narrowed by %.60q", name), "by project and by from and to, or last; the rest is the statement's WHERE")
		}
	}
	if len(values[paramSQL]) > 1 {
		return nil, fault.New(fault.BadRequest, "sql is given more than once", "one SELECT is answered at a time")
	}
	statement := values.Get(paramSQL)
	values.Del(paramSQL) // longer than a filter may be
	rest := *r
	rest.URL = &url.URL{Path: r.URL.Path, RawQuery: values.Encode()}
	p, err := a.scope(&rest, query.ParamLimit)
	if err != nil {
		return nil, err
	}
	if a.opt.Views == nil {
		return nil, errNoQuery
	}
	limit := p.List.Limit
	if limit == 0 {
		limit = query.DefaultLimit
	}
	// Its limits are its own: a copy and a statement.
	rows, err := a.opt.Views.Answer(r.Context(), p.Filter.Project, p.Filter.From, p.Filter.To, statement, limit)
	if err != nil {
		return nil, err
	}
	return query.OfSQL(p, rows), nil
}
