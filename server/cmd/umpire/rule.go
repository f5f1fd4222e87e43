package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

type ruleCommand struct {
	Add    ruleAddCommand    `cmd:"" help:"From now on: ok calls of a tool that carry a mark are tool_error, or failures with a code are refusals. Earlier calls keep what they were."`
	List   ruleListCommand   `cmd:"" help:"List the rules of a project."`
	Delete ruleDeleteCommand `cmd:"" help:"End a rule. What was judged by it stays so."`
}

type ruleFlags struct {
	dataFlag
	Project string `help:"Project; may be left out where there is only one." env:"UMPIRE_PROJECT"`
}

// ask speaks the API of whoever holds the data directory.
func (f *ruleFlags) ask(ctx context.Context, method, path string, in, out any) error {
	return inDirectory(ctx, f.dataFlag, func(client *admin.Client) error {
		query := url.Values{}
		if f.Project != "" {
			query.Set("project", f.Project)
		}
		return remote.Do(ctx, client.HTTP(), method, "http://umpire", "", "/api/v1/"+path, query, in, out)
	})
}

type ruleAddCommand struct {
	ruleFlags
	Tool   string `help:"Tool that it is about."`
	Server string `help:"Only calls of the server of this name."`
	Mark   string `help:"Mark of an answer that reports success and is none: structured_error, envelope_error, error_text … (docs/outcomes.md 4)." xor:"what"`
	Code   int64  `help:"JSON-RPC error code that the server refuses with: --code=-32603." xor:"what"`
}

func (c *ruleAddCommand) Run(ctx context.Context) error {
	var made api.Rule
	if err := c.ask(ctx, http.MethodPost, "rules", api.Rule{Tool: c.Tool, Server: c.Server, Mark: c.Mark, Code: c.Code}, &made); err != nil {
		return err
	}
	fmt.Println(made.ID)
	return nil
}

type ruleListCommand struct {
	ruleFlags
	JSON bool `help:"Print JSON."`
}

func (c *ruleListCommand) Run(ctx context.Context) error {
	var answer struct {
		Rules []api.Rule `json:"rules"`
	}
	if err := c.ask(ctx, http.MethodGet, "rules", nil, &answer); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, answer)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tSINCE\tTOOL\tSERVER\tWHEN\tCOUNTS AS")
	for _, r := range answer.Rules {
		when, counts := "ok and "+r.Mark, "tool_error · rule"
		if r.Mark == "" {
			when, counts = "crashed by code "+strconv.FormatInt(r.Code, 10), "tool_error · refused"
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.CreatedAt.UTC().Format(time.DateTime), orAny(r.Tool), orAny(r.Server), when, counts)
	}
	return w.Flush()
}

func orAny(name string) string {
	if name == "" {
		return "any"
	}
	return name
}

type ruleDeleteCommand struct {
	ruleFlags
	ID int64 `arg:"" help:"Number of the rule, as rule list shows it."`
}

func (c *ruleDeleteCommand) Run(ctx context.Context) error {
	return c.ask(ctx, http.MethodDelete, "rules/"+strconv.FormatInt(c.ID, 10), nil, nil)
}
