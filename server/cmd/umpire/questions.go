package main

import (
	"context"
	"net/url"
	"os"

	"github.com/umpire-mcp/umpire/server/internal/console"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// answerTo asks the read API and prints what it says, in the words of say.
func answerTo[A any](ctx context.Context, c *questionFlags, path string, values url.Values, say func(*console.Printer, A)) error {
	return c.ask(ctx, func(who asking) error {
		var a A
		if err := who.get(ctx, path, values, &a); err != nil {
			return err
		}
		if c.JSON {
			return printJSON(os.Stdout, a)
		}
		say(printer(os.Stdout), a)
		return nil
	})
}

type toolCommand struct {
	questionFlags
	Name string `arg:"" help:"Tool, as the server lists it or as it was called."`
}

func (c *toolCommand) Run(ctx context.Context) error {
	return answerTo(ctx, &c.questionFlags, "tools/"+url.PathEscape(c.Name), c.values(), (*console.Printer).Tool)
}

type insightsCommand struct{ questionFlags }

func (c *insightsCommand) Run(ctx context.Context) error {
	return answerTo(ctx, &c.questionFlags, "insights", c.values(), (*console.Printer).Insights)
}

type errorsCommand struct{ questionFlags }

func (c *errorsCommand) Run(ctx context.Context) error {
	return answerTo(ctx, &c.questionFlags, "errors", c.values(), (*console.Printer).Errors)
}

type releasesCommand struct{ questionFlags }

func (c *releasesCommand) Run(ctx context.Context) error {
	return answerTo(ctx, &c.questionFlags, "releases", c.values(), (*console.Printer).Releases)
}

type clientsCommand struct{ questionFlags }

func (c *clientsCommand) Run(ctx context.Context) error {
	return answerTo(ctx, &c.questionFlags, "clients", c.values(), func(p *console.Printer, a query.ClientsAnswer) { p.Clients(a) })
}
