package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"

	"golang.org/x/term"

	"github.com/umpire-mcp/umpire/server/internal/console"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

type reportCommand struct {
	askFlags
	Project string   `help:"Project; may be left out where there is only one." env:"UMPIRE_PROJECT"`
	Last    string   `help:"Window that ends now, in hours or days: 24h, 7d, 90d." placeholder:"7d"`
	From    string   `help:"Begin of the window, RFC 3339 or a date, UTC."`
	Until   string   `help:"End of the window (to in the API), RFC 3339 or a date, UTC."`
	Tool    []string `help:"Only this tool; may be repeated."`
	Client  []string `help:"Only this client; may be repeated."`
	JSON    bool     `help:"Print JSON."`
}

// report is what --json prints.
type report struct {
	Overview query.OverviewAnswer `json:"overview"`
	Tools    query.ToolsAnswer    `json:"tools"`
	Clients  query.ClientsAnswer  `json:"clients"`
}

func (c *reportCommand) Run(ctx context.Context) error {
	return c.ask(ctx, func(who asking) error { return c.print(ctx, os.Stdout, who) })
}

func (c *reportCommand) print(ctx context.Context, out io.Writer, who asking) error {
	values := c.values()
	var r report
	for _, part := range []struct {
		path string
		into any
	}{{"overview", &r.Overview}, {"tools", &r.Tools}, {"clients", &r.Clients}} {
		if err := who.get(ctx, part.path, values, part.into); err != nil {
			return err
		}
	}
	if c.JSON {
		return printJSON(out, r)
	}
	title := c.Project
	if title == "" {
		title = "All calls"
	}
	printer(out).Report(title, r.Overview, r.Tools, r.Clients)
	return nil
}

func (c *reportCommand) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"project": c.Project, "last": c.Last, "from": c.From, "to": c.Until} {
		if value != "" {
			v.Set(name, value)
		}
	}
	v["tool"], v["client"] = c.Tool, c.Client
	return v
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	return nil
}

// printer writes colours only on a terminal, and never with NO_COLOR.
func printer(out io.Writer) *console.Printer {
	p := &console.Printer{Out: out}
	if f, ok := out.(*os.File); ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		p.Color = term.IsTerminal(int(f.Fd()))
	}
	return p
}
