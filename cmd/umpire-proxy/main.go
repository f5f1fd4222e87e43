package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/umpire-mcp/umpire/internal/proxy"
)

// version is set by the release build; otherwise the module's version is shown.
var version = ""

const usage = `Watches an MCP server in any language, from outside, and records how each tool call ended.

  umpire-proxy [flags] -- COMMAND [ARGS...]           a server on stdio
  umpire-proxy [flags] --upstream URL --listen ADDR   a server on Streamable HTTP

Without --to and --key, events go to the Umpire that you run on this machine
(umpire serve, umpire demo), or wait on disk until there is one.

Flags, and the environment variables that they stand for:
  --to URL          address of the Umpire server (UMPIRE_ENDPOINT)
  --key KEY         write key of a project (UMPIRE_KEY)
  --project NAME    project on this machine's Umpire, without a key (UMPIRE_PROJECT; "local")
  --upstream URL    address of the MCP server to stand in front of (UMPIRE_UPSTREAM)
  --listen ADDR     where to listen, with --upstream (UMPIRE_PROXY_LISTEN; "127.0.0.1:8788")
  --host NAME       another name that clients may use for the proxy; may be repeated
  --quiet           do not say on stderr where the events go
  --version         print the version
`

type names []string

func (n *names) String() string     { return strings.Join(*n, ",") }
func (n *names) Set(s string) error { *n = append(*n, s); return nil }

func main() {
	ended, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "umpire:", err)
		if errors.Is(err, proxy.ErrUsage) {
			fmt.Fprintln(os.Stderr, "  umpire-proxy --help shows how")
		}
	}
	ended.Exit()
}

func run(args []string) (proxy.Ended, error) {
	var to, key, project string
	var job proxy.Job
	flags := flag.NewFlagSet("umpire-proxy", flag.ContinueOnError)
	flags.Usage = func() { _, _ = os.Stderr.WriteString(usage) }
	flags.StringVar(&to, "to", os.Getenv("UMPIRE_ENDPOINT"), "")
	flags.StringVar(&key, "key", os.Getenv("UMPIRE_KEY"), "")
	flags.StringVar(&project, "project", os.Getenv("UMPIRE_PROJECT"), "")
	flags.StringVar(&job.Upstream, "upstream", os.Getenv("UMPIRE_UPSTREAM"), "")
	flags.StringVar(&job.Listen, "listen", os.Getenv("UMPIRE_PROXY_LISTEN"), "")
	flags.Var((*names)(&job.Hosts), "host", "")
	flags.BoolVar(&job.Quiet, "quiet", false, "")
	show := flags.Bool("version", false, "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return proxy.Ended{}, nil
		}
		return proxy.Ended{Code: 2}, nil // flag has said it
	}
	if *show {
		_, err := fmt.Fprintln(os.Stdout, "umpire-proxy", buildVersion())
		return proxy.Ended{}, err
	}
	if job.Args = flags.Args(); len(job.Args) > 0 && job.Upstream == os.Getenv("UMPIRE_UPSTREAM") {
		job.Upstream = "" // the command was meant
	}
	job.Place = proxy.PlaceOf(strings.TrimSpace(to), strings.TrimSpace(key), project)
	return job.Do(os.Stderr)
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
