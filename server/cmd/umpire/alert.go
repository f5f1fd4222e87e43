package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/alert"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

type alertCommand struct {
	List   alertListCommand   `cmd:"" help:"List the alerts, and which of them fire."`
	Add    alertAddCommand    `cmd:"" help:"Make an alert, or change the one of its name."`
	Delete alertDeleteCommand `cmd:"" help:"Delete an alert."`
	Test   alertTestCommand   `cmd:"" help:"Send a message of an alert's figures to each of its places now."`
	Mute   alertMuteCommand   `cmd:"" help:"Keep an alert silent for a while."`
}

// askAlerts speaks to whoever holds the data directory.
func askAlerts(ctx context.Context, where dataFlag, method, path string, in, out any) error {
	return inDirectory(ctx, where, func(client *admin.Client) error {
		return remote.Do(ctx, client.HTTP(), method, "http://umpire", "", "/admin/v1/alerts"+path, nil, in, out)
	})
}

type alertListCommand struct {
	dataFlag
	JSON bool `help:"Print JSON."`
}

func (c *alertListCommand) Run(ctx context.Context) error {
	var list []alertLine
	if err := askAlerts(ctx, c.dataFlag, http.MethodGet, "", nil, &list); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, list)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ALERT\tPROJECT\tWATCHES\tLIMIT\tWINDOW\tSTATE\tTELLS")
	for _, l := range list {
		limit, state := l.Above+l.Below, "ok"
		if limit == "" {
			limit = "–"
		}
		if l.Firing {
			state = "firing since " + l.Since.UTC().Format(time.DateTime)
		}
		if l.Muted != nil {
			state += ", muted until " + l.Muted.UTC().Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Name, l.Project, strings.TrimSpace(string(l.Kind)+" "+l.Slice), limit, l.Window, state, strings.Join(l.To, " "))
	}
	return w.Flush()
}

type alertAddCommand struct {
	dataFlag
	Name     string   `arg:"" help:"Name of the alert."`
	Project  string   `help:"Project; may be left out where there is only one." env:"UMPIRE_PROJECT"`
	Kind     string   `help:"What it watches: error_rate, empty_rate, slice, p95, first_call_success, crash, new_error, silence, digest." required:"" enum:"error_rate,empty_rate,slice,p95,first_call_success,crash,new_error,silence,digest" placeholder:"KIND"`
	Slice    string   `help:"With --kind slice: ok, empty, bad_args, tool_error or crashed." placeholder:"NAME"`
	Above    string   `help:"The most that is fine: 5%, 2s, or a number of crashes." placeholder:"LIMIT"`
	Below    string   `help:"With first_call_success: the least that is fine." placeholder:"LIMIT"`
	Clear    string   `help:"Where an incident is over; a fifth inside the limit if left out." placeholder:"LIMIT"`
	Window   string   `help:"How far back each look goes; 1h, and 24h of silence, if left out." placeholder:"1h"`
	MinCalls int64    `name:"min-calls" help:"Fewer calls than these say nothing; 20 if left out." placeholder:"N"`
	Tool     string   `help:"Only this tool." placeholder:"NAME"`
	Client   string   `help:"Only this client." placeholder:"NAME"`
	Server   string   `help:"Only this MCP server." placeholder:"NAME"`
	Env      string   `help:"Only this environment." placeholder:"NAME"`
	To       []string `help:"Who is told: webhook+https://…, slack+https://…, discord+https://…, mailto:ops@example.com; may be repeated. What is secret in it is seen on a command line: - reads them from standard input, one a line." required:"" sep:"none" placeholder:"PLACE"`
}

func (c *alertAddCommand) Run(ctx context.Context) error {
	to, err := places(c.To)
	if err != nil {
		return err
	}
	r := alert.Rule{
		Name: c.Name, Project: c.Project, Kind: alert.Kind(c.Kind), Slice: c.Slice, Above: c.Above, Below: c.Below, Clear: c.Clear, Window: c.Window,
		MinCalls: c.MinCalls, Tool: c.Tool, Client: c.Client, Server: c.Server, Env: c.Env, To: to,
	}
	if err := r.Check(); err != nil {
		return err
	}
	return askAlerts(ctx, c.dataFlag, http.MethodPost, "", r, nil)
}

// places reads - from standard input.
func places(list []string) ([]string, error) {
	if !slices.Contains(list, "-") {
		return list, nil
	}
	var all []string
	for _, one := range list {
		if one != "-" {
			all = append(all, one)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			all = append(all, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read the places: %w", err)
	}
	return all, nil
}

// alertName names one alert.
type alertName struct {
	dataFlag
	Name    string `arg:"" help:"Name of the alert."`
	Project string `help:"Project; may be left out where only one has an alert of the name." env:"UMPIRE_PROJECT"`
}

type alertDeleteCommand struct{ alertName }

func (c *alertDeleteCommand) Run(ctx context.Context) error {
	return askAlerts(ctx, c.dataFlag, http.MethodPost, "/delete", alertAsked{Project: c.Project, Name: c.Name}, nil)
}

type alertTestCommand struct{ alertName }

func (c *alertTestCommand) Run(ctx context.Context) error {
	results := map[string]string{}
	if err := askAlerts(ctx, c.dataFlag, http.MethodPost, "/test", alertAsked{Project: c.Project, Name: c.Name}, &results); err != nil {
		return err
	}
	failed := 0
	for to, what := range results {
		if what == "" {
			what = "told"
		} else {
			failed++
		}
		fmt.Printf("%s: %s\n", to, what)
	}
	if failed > 0 {
		return fault.New(fault.Unavailable, fmt.Sprintf("%d of %d places were not told", failed, len(results)), "the lines above say why")
	}
	return nil
}

type alertMuteCommand struct {
	alertName
	For time.Duration `help:"For how long: 2h; 0 ends it." required:"" placeholder:"DURATION"`
}

func (c *alertMuteCommand) Run(ctx context.Context) error {
	asked := alertAsked{Project: c.Project, Name: c.Name}
	if c.For > 0 {
		until := time.Now().Add(c.For).UTC()
		asked.Until = &until
	}
	return askAlerts(ctx, c.dataFlag, http.MethodPost, "/mute", asked, nil)
}
