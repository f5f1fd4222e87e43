package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/umpire-mcp/umpire/server/internal/console"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

type reportCommand struct{ questionFlags }

// Help implements kong.HelpProvider.
func (reportCommand) Help() string {
	return `The overview, the tools and the clients of a project, of the last 7 days or of --last, --from and --until.

    umpire report --last 24h
    umpire report --to https://umpire.example.com --key-file ~/.umpire-key --json | jq .overview.error_rate

Colours are left out with NO_COLOR, and where the output is no terminal.`
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

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	return nil
}

// printer writes colours only on a terminal, never with NO_COLOR, and no line longer
// than the terminal.
func printer(out io.Writer) *console.Printer {
	p := &console.Printer{Out: out}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		p.Width = width
	}
	return p
}
