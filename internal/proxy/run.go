package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// closeLimit bounds what the proxy does for its events when the server has ended.
const closeLimit = 2 * time.Second

// Job is what the command line asks for: a server's command to run, or an address
// to stand in front of.
type Job struct {
	Place Place
	// Quiet leaves out the line that says where the events go.
	Quiet bool

	Args []string // a command and its arguments

	Upstream string // or the address of a server over Streamable HTTP
	Listen   string
	Hosts    []string // names under which the proxy may be addressed, beside its own
}

// ErrUsage is an error of the command line.
var ErrUsage = errors.New("cannot tell what to watch")

// Do does the job until it ends, and returns how this process shall end.
func (j *Job) Do(stderr io.Writer) (Ended, error) {
	switch {
	case j.Place.Wrong != nil:
		return Ended{Code: 2}, j.Place.Wrong
	case len(j.Args) > 0 && strings.HasPrefix(j.Args[0], "-"):
		return Ended{Code: 2}, fmt.Errorf("%w: there is no flag %q; the server's command stands after --", ErrUsage, j.Args[0])
	case len(j.Args) > 0 && j.Upstream != "":
		return Ended{Code: 2}, fmt.Errorf("%w: give a server's command or --upstream, not both", ErrUsage)
	case len(j.Args) > 0:
		return j.command(stderr)
	case j.Upstream != "":
		return j.front(stderr)
	}
	return Ended{Code: 2}, fmt.Errorf("%w: give a server's command after --, or --upstream with its address", ErrUsage)
}

func sayTo(stderr io.Writer) func(string) {
	return func(s string) { _, _ = io.WriteString(stderr, "umpire: "+s+"\n") }
}

// command runs a server and watches its pipes.
func (j *Job) command(stderr io.Writer) (Ended, error) {
	r := Stdio{
		Command: j.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Say: sayTo(stderr), Patience: closeLimit / 2, Run: umpire.NewID().String(),
	}
	w := j.watch(mcpwire.Config{Run: r.Run, Transport: "stdio"}, r.Say)
	if w != nil {
		r.Tap = NewWatch(w.watcher)
	} else {
		r.Run = ""
	}
	ended, err := r.Play()
	w.close()
	return ended, err
}

// watching is what makes events of the traffic; nil when nothing is recorded.
type watching struct {
	client  *umpire.Client
	watcher *mcpwire.Watcher
	told    chan struct{}
}

func (j *Job) watch(config mcpwire.Config, say func(string)) *watching {
	if j.Place.Nothing != "" {
		say(j.Place.Nothing + "; nothing is recorded")
		return nil
	}
	client := umpire.New(j.Place.Options)
	if !client.Enabled() {
		return nil
	}
	config.Record, config.Hooks = client.Record, client.Options()
	w := &watching{client: client, watcher: mcpwire.New(config), told: make(chan struct{})}
	go func() {
		defer close(w.told)
		if !j.Quiet && j.Place.Reach != nil {
			j.Place.tell(context.Background(), say)
		}
	}()
	return w
}

// close sends what is left, or leaves it on disk.
func (w *watching) close() {
	if w == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	_ = w.client.Close(ctx) // what it could not keep is counted, and told the server
	select {
	case <-w.told:
	case <-ctx.Done():
	}
}
