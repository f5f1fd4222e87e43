package main

import (
	"context"
	"net/url"
	"strconv"

	"github.com/umpire-mcp/umpire/server/internal/console"
)

type sessionsCommand struct {
	questionFlags
	ID     string `arg:"" optional:"" help:"One session, call by call."`
	Failed bool   `help:"Only sessions that hold a failed call."`
	Loops  bool   `help:"Only sessions that hold a loop."`
	limitFlags
}

// limitFlags are which part of a long list is printed.
type limitFlags struct {
	Limit  int    `help:"Rows to print, at most 1000. Default: 50." default:"50" short:"n" placeholder:"N"`
	Cursor string `help:"The part that follows another: next, of the part before." placeholder:"CURSOR"`
}

func (l limitFlags) into(v url.Values) url.Values {
	v.Set("limit", strconv.Itoa(l.Limit))
	if l.Cursor != "" {
		v.Set("cursor", l.Cursor)
	}
	return v
}

func (c *sessionsCommand) Run(ctx context.Context) error {
	v := c.into(c.values())
	if c.ID != "" {
		return answerTo(ctx, &c.questionFlags, "sessions/"+url.PathEscape(c.ID), v, (*console.Printer).Session)
	}
	for name, set := range map[string]bool{"failed": c.Failed, "loops": c.Loops} {
		if set {
			v.Set(name, "1")
		}
	}
	return answerTo(ctx, &c.questionFlags, "sessions", v, (*console.Printer).Sessions)
}
