package main

import (
	"context"
	"io"
	"net/url"
	"os"
	"strconv"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/views"
)

type queryCommand struct {
	askFlags
	SQL     string `arg:"" name:"sql" help:"One SELECT in DuckDB's SQL; - reads it from standard input."`
	Project string `help:"Project; may be left out where there is only one." env:"UMPIRE_PROJECT" group:"filter"`
	Last    string `help:"Window that ends now, in hours or days: 24h, 7d, 90d." placeholder:"7d" group:"filter"`
	From    string `help:"Begin of the window, RFC 3339 or a date, UTC." placeholder:"TIME" group:"filter"`
	Until   string `help:"End of the window (to in the API), RFC 3339 or a date, UTC." placeholder:"TIME" group:"filter"`
	Limit   int    `help:"Rows to print, at most 1000. Default: 100." default:"100" short:"n" placeholder:"N"`
	JSON    bool   `help:"Print JSON, as the read API has it."`
}

// Help implements kong.HelpProvider.
func (queryCommand) Help() string {
	return `Reads the rows of one project and one window through views (docs/sql.md): calls, tool_hours, tool_latency, session_hours, client_hours, kind_hours, sender_hours, failure_hours, catalog.

    umpire query "DESCRIBE calls"
    umpire query "SELECT tool, count(*) AS n FROM calls WHERE slice = 'crashed' GROUP BY ALL ORDER BY n DESC" --last 24h
    umpire query --to URL --json - < question.sql

A server that is asked with --to has to run with --allow-query.`
}

func (c *queryCommand) Run(ctx context.Context) error {
	v := url.Values{"sql": {c.SQL}, "limit": {strconv.Itoa(c.Limit)}}
	if c.SQL == "-" {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, views.MaxStatement+1))
		if err != nil {
			return fault.Wrap(err, fault.BadRequest, "cannot read the statement from standard input", "give it as an argument")
		}
		v.Set("sql", string(text))
	}
	for name, value := range map[string]string{"project": c.Project, "last": c.Last, "from": c.From, "to": c.Until} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return c.ask(ctx, func(who asking) error {
		var a query.SQLAnswer
		if err := who.get(ctx, "query", v, &a); err != nil {
			return err
		}
		if c.JSON {
			return printJSON(os.Stdout, a)
		}
		printer(os.Stdout).SQL(a)
		return nil
	})
}

// viewsCommand is the process that holds the rows a statement sees: the server starts
// it by itself.
type viewsCommand struct{}

func (viewsCommand) Run() error {
	in, out := views.Pipes()
	// It ends when the pipes do, and by no signal that is meant for the server.
	return views.Serve(context.Background(), in, out)
}
