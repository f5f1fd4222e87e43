package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/internal/nearby"
	"github.com/umpire-mcp/umpire/internal/proxy"
	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

type proxyCommand struct {
	To       string   `help:"Address of the Umpire server." placeholder:"URL" env:"UMPIRE_ENDPOINT"`
	Key      string   `help:"Write key of a project (ump_w_…)." env:"UMPIRE_KEY"`
	Project  string   `help:"Project on this machine's Umpire, where no key is needed." default:"local" env:"UMPIRE_PROJECT"`
	Data     string   `help:"Write into this data directory; no server needs to run." placeholder:"DIR" type:"path"`
	Upstream string   `help:"Address of an MCP server on Streamable HTTP, in place of a command." placeholder:"URL" env:"UMPIRE_UPSTREAM"`
	Listen   string   `help:"Where to listen, with --upstream." default:"127.0.0.1:8788" env:"UMPIRE_PROXY_LISTEN"`
	Host     []string `help:"Another name that clients may use for the proxy; may be repeated." placeholder:"NAME"`
	Quiet    bool     `help:"Do not say on stderr where the events go."`
	Command  []string `arg:"" optional:"" passthrough:"" help:"The MCP server's command and its arguments, after --."`
}

// Help is what umpire proxy --help adds.
func (proxyCommand) Help() string {
	return `Watches an MCP server in any language, from outside, and records how each tool call ended.

  umpire proxy -- npx -y @modelcontextprotocol/server-everything
  umpire proxy --upstream https://mcp.example.com/mcp --listen 127.0.0.1:8788

Bytes pass untouched; signals and the exit code are the server's own. Without --to, --key and --data, events go to the
Umpire that you run on this machine (umpire serve, umpire demo), or wait on disk until there is one. docs/proxy.md has
more, and the configuration of common clients.`
}

// ended is how a process ends whose exit is not its own to decide.
type ended struct{ proxy.Ended }

func (ended) Error() string { return "the server has ended" }

func (c *proxyCommand) Run() error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	if len(c.Command) > 0 && c.Upstream == os.Getenv("UMPIRE_UPSTREAM") {
		c.Upstream = "" // the command was meant
	}
	if err := meta.CheckName(c.Project); err != nil {
		return err
	}
	job := proxy.Job{
		Place: proxy.PlaceOf(strings.TrimSpace(c.To), strings.TrimSpace(c.Key), c.Project),
		Quiet: c.Quiet, Args: c.Command, Upstream: c.Upstream, Listen: c.Listen, Hosts: c.Host,
	}
	if c.Data != "" {
		h := &holder{dir: c.Data}
		defer h.close()
		job.Place = h.place(c.Project)
	}
	how, err := job.Do(os.Stderr)
	switch {
	case errors.Is(err, proxy.ErrUsage):
		return fault.Wrap(err, fault.BadRequest, "there is nothing to watch", "umpire proxy -- COMMAND, or umpire proxy --upstream URL")
	case err != nil:
		fmt.Fprintln(os.Stderr, "umpire:", err)
	}
	return ended{how}
}

// holder brings events into a data directory: through whoever holds it, or, where
// nobody does, by holding it itself, so that others can go through this process.
type holder struct {
	dir string

	mu     sync.Mutex
	node   *node
	stop   func() // of the socket
	closed bool
}

func (h *holder) place(project string) proxy.Place {
	// The directory is part of the name: what waits for one goes to no other.
	sum := sha256.Sum256([]byte(h.dir))
	return proxy.Place{
		Options: nearby.Options(project, hex.EncodeToString(sum[:8])+"."+nearby.Anywhere, h.dial),
		Reach: func(ctx context.Context) (string, bool) {
			conn, err := h.dial(ctx)
			if err != nil {
				return "cannot write to " + h.dir + " (" + err.Error() + ")", false
			}
			_ = conn.Close()
			return h.dir + ", project " + project, true
		},
	}
}

// dial reaches the holder of the directory, and becomes it if there is none.
func (h *holder) dial(ctx context.Context) (net.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	socket, err := admin.SocketPath(h.dir)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	for {
		conn, missing := d.DialContext(ctx, "unix", socket)
		if missing == nil || h.closed {
			return conn, missing
		}
		err := h.hold(ctx)
		var busy *fault.Error
		if err != nil && (!errors.As(err, &busy) || busy.Code != fault.Conflict) {
			return nil, err
		}
		if err != nil { // another process is just opening or closing it
			select {
			case <-ctx.Done():
				return nil, err
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

func (h *holder) hold(ctx context.Context) error {
	if h.node != nil {
		return fmt.Errorf("cannot reach the own socket in %q", h.dir)
	}
	n, err := openNode(context.WithoutCancel(ctx), dataFlag{Data: h.dir}, pipeline.Options{})
	if err != nil {
		return err
	}
	stop, err := n.serveSocket()
	if err != nil {
		return errors.Join(err, n.close(ctx))
	}
	h.node, h.stop = n, stop
	return nil
}

func (h *holder) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.node != nil {
		h.stop()
		_ = h.node.close(context.Background()) // what is acknowledged is in the log
	}
}
