// Command umpire is the one binary: it wires the rooms of server/internal
// together and does nothing else.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// version is set by the release build; otherwise the module's version is shown.
var version = ""

type commands struct {
	Serve       serveCommand       `cmd:"" help:"Run the server: the doors, the store and the dashboard."`
	Demo        demoCommand        `cmd:"" help:"Run the whole product on made-up traffic."`
	Proxy       proxyCommand       `cmd:"" help:"Watch an MCP server in any language, from outside."`
	Classify    classifyCommand    `cmd:"" help:"Judge exchanges and transcripts of MCP traffic: one JSON verdict a line."`
	Report      reportCommand      `cmd:"" help:"Print the overview, the tools and the clients."`
	Insights    insightsCommand    `cmd:"" help:"Print what is broken, since when, and what follows."`
	Errors      errorsCommand      `cmd:"" help:"Print what fails, over all tools."`
	Tool        toolCommand        `cmd:"" help:"Print what is wrong with one tool."`
	Clients     clientsCommand     `cmd:"" help:"Print how each client's calls end."`
	Releases    releasesCommand    `cmd:"" help:"Print each version of a server beside the one before."`
	Sessions    sessionsCommand    `cmd:"" help:"Print sessions, or one of them call by call."`
	Query       queryCommand       `cmd:"" help:"Answer one SELECT over documented views of the calls."`
	Tail        tailCommand        `cmd:"" help:"Print calls as they end."`
	Check       checkCommand       `cmd:"" help:"Hold the figures to limits, for CI and cron: exit code 0, 1 or 2."`
	MCP         mcpCommand         `cmd:"" name:"mcp" help:"Answer an agent's questions over MCP, on stdin and stdout."`
	Import      importCommand      `cmd:"" help:"Bring in events from files: PostHog exports, OTLP as JSON, Umpire's own, transcripts and logs of MCP traffic."`
	Export      exportCommand      `cmd:"" help:"Write raw events and rollups to files: Parquet, NDJSON or CSV."`
	Key         keyCommand         `cmd:"" help:"Make, list and revoke keys."`
	Project     projectCommand     `cmd:"" help:"List and delete projects, say how long they keep events."`
	Alert       alertCommand       `cmd:"" help:"Make, list, mute, try and delete alerts."`
	Rule        ruleCommand        `cmd:"" help:"Decide how later calls are judged: failures that a tool reports as success, codes that a server refuses with."`
	Backup      backupCommand      `cmd:"" help:"Make a backup of a data directory, with the server running or stopped."`
	Restore     restoreCommand     `cmd:"" help:"Check a backup and put it into an empty data directory."`
	Migrate     migrateCommand     `cmd:"" help:"Copy a data directory into a store and metadata that several nodes share."`
	Erase       eraseCommand       `cmd:"" help:"Erase one user or one session, from events and figures alike."`
	Doctor      doctorCommand      `cmd:"" help:"Say what is wrong with an Umpire, and what to do about it. Exit code 1 if something is."`
	DeadLetters deadLettersCommand `cmd:"" name:"dead-letters" help:"List, replay and drop events that the store could not take."`
	Version     versionCommand     `cmd:"" help:"Print the version."`

	Completion completionCommand `cmd:"" help:"Print what makes a shell complete the command line: bash, zsh, fish."`
	Views      viewsCommand      `cmd:"" name:"__views" hidden:""`
	Words      wordsCommand      `cmd:"" name:"__words" hidden:"" passthrough:""`
}

type versionCommand struct{}

func (versionCommand) Run() error {
	fmt.Println("umpire", buildVersion())
	return nil
}

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.1.0-dev"
}

func main() {
	ctx, stop := context.Background(), func() {}
	if len(os.Args) < 2 || os.Args[1] != "proxy" { // which passes signals on, and leaves ignored ones ignored
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	}
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	var cli commands
	parser, err := kong.New(
		&cli,
		kong.Name("umpire"),
		kong.Description("Umpire makes the call on every tool call: outcome analytics for MCP servers."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ExplicitGroups([]kong.Group{{Key: "filter", Title: "Filters:"}}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		panic("BUG: the command line does not describe itself: " + err.Error())
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "umpire:", err)
		fmt.Fprintln(os.Stderr, "  umpire --help lists the commands and their flags")
		return 2
	}
	if err := parsed.Run(); err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return 130 // ended by Ctrl-C
		}
		var exit *exitError
		if errors.As(err, &exit) {
			return exit.end()
		}
		var how ended
		if errors.As(err, &how) {
			how.Exit() // by the signal that the server died of, if need be
		}
		return fail(err)
	}
	return 0
}

// exitError ends a command whose exit codes say more than that it failed.
type exitError struct {
	code  int
	cause error // nil if everything was said
}

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func (e *exitError) end() int {
	if e.cause != nil {
		fail(e.cause)
	}
	return e.code
}

// fail says once what went wrong and what to do.
func fail(err error) int {
	var f *fault.Error
	if !errors.As(err, &f) {
		fmt.Fprintln(os.Stderr, "umpire:", err)
		return 1
	}
	fmt.Fprintln(os.Stderr, "umpire:", f.Message)
	if cause := f.Unwrap(); cause != nil {
		fmt.Fprintln(os.Stderr, "  because", cause)
	}
	if f.Hint != "" {
		fmt.Fprintln(os.Stderr, "  hint:", f.Hint)
	}
	return f.Exit()
}
