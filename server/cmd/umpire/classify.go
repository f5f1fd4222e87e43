package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/transcript"
	"github.com/umpire-mcp/umpire/server/internal/verdict"
)

type classifyCommand struct {
	File string `arg:"" optional:"" default:"-" help:"File of exchanges, of JSON-RPC messages, or of records around messages, one a line; - is the standard input."`
}

// Help is what umpire classify --help adds.
func (classifyCommand) Help() string {
	return `Each line of FILE is one of:

  {"request":{…tools/call…},"response":{…},"tools":[…],"end":"process_exit"}
  {"direction":"client","time":"2026-05-01T10:00:00Z","message":{"jsonrpc":"2.0",…}}
  {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{…}}
  2026-05-01T10:00:00Z [info] Message from client: {"jsonrpc":"2.0",…}

One verdict is printed for each tools/call: id, kind, outcome, empty, empty_rule, cause, error_type, error_status,
bad_params, suspects, fingerprint, why. A line that cannot be read is named on stderr, the rest is judged all the same,
and the exit code is 1. docs/classify.md has more.`
}

func (c *classifyCommand) Run() error {
	in := os.Stdin
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			code := fault.Unavailable
			if errors.Is(err, fs.ErrNotExist) {
				code = fault.NotFound
			}
			return fault.Wrap(err, code, fmt.Sprintf("cannot read %q", c.File), "give the path of a file, or - for the standard input")
		}
		defer file.Close()
		in = file
	} else if term.IsTerminal(int(in.Fd())) {
		fmt.Fprintln(os.Stderr, "umpire: reading the standard input; umpire classify FILE reads a file")
	}
	return classify(in, os.Stdout, os.Stderr)
}

func classify(in io.Reader, out, complaints io.Writer) error {
	buffered := bufio.NewWriter(out)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	print := func(v verdict.Verdict) error {
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("cannot print a verdict: %w", err)
		}
		return buffered.Flush() // a pipe's reader sees each verdict when it is made
	}
	unread := 0
	err := transcript.Judge(in, print, func(line int, f *fault.Error) {
		unread++
		fmt.Fprintf(complaints, "umpire: line %d: %s\n", line, f.Message)
		if cause := f.Unwrap(); cause != nil {
			fmt.Fprintln(complaints, "  because", cause)
		}
		fmt.Fprintln(complaints, "  hint:", f.Hint)
	})
	switch {
	case err != nil:
		return err
	case unread == 1:
		return errors.New("1 line could not be judged")
	case unread > 0:
		return fmt.Errorf("%d lines could not be judged", unread)
	}
	return nil
}
