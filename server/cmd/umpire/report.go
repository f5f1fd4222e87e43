package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/console"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

type reportCommand struct {
	dataFlag
	To      string   `help:"Address of a running Umpire, in place of a data directory." placeholder:"URL" env:"UMPIRE_TO"`
	Key     string   `help:"Read key (ump_r_…) for --to." env:"UMPIRE_READ_KEY"`
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
	if c.To != "" && !strings.HasPrefix(c.To, "http://") && !strings.HasPrefix(c.To, "https://") {
		return fault.New(fault.BadRequest, "--to is the address of a server, such as http://127.0.0.1:8787", "the end of the window is --until")
	}
	if c.To != "" {
		return c.print(ctx, os.Stdout, &http.Client{Timeout: time.Minute}, c.To)
	}
	return inDirectory(ctx, c.Data, func(client *admin.Client) error {
		if err := client.Sync(ctx); err != nil {
			return err
		}
		return c.print(ctx, os.Stdout, client.HTTP(), "http://umpire")
	})
}

func (c *reportCommand) print(ctx context.Context, out io.Writer, client *http.Client, base string) error {
	values := c.values()
	var r report
	for _, part := range []struct {
		path string
		into any
	}{{"overview", &r.Overview}, {"tools", &r.Tools}, {"clients", &r.Clients}} {
		if err := remote.Get(ctx, client, strings.TrimRight(base, "/"), c.Key, "/api/v1/"+part.path, values, part.into); err != nil {
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
