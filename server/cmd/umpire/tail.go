package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/console"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

type tailCommand struct {
	questionFlags
	Lines int           `help:"Calls to begin with. Default: 10." short:"n" default:"10" placeholder:"N"`
	Once  bool          `help:"Print those and end."`
	Every time.Duration `help:"How often to print what is new. Default: 2s." default:"2s" placeholder:"DURATION"`
}

// Help implements kong.HelpProvider.
func (tailCommand) Help() string {
	return `Prints the newest calls, then each new one as it ends, until Ctrl-C.

    umpire tail --slice crashed --slice tool_error
    umpire tail --tool search --json | jq .error_message

With --json it prints one object a line.`
}

const (
	// tailBehind is how long ago a call may have begun that is new now: it is stored
	// when it ends.
	tailBehind = 10 * time.Minute
	tailMost   = 1000 // calls at a time, and to begin with
)

func (c *tailCommand) Run(ctx context.Context) error {
	who, err := c.each()
	if err != nil {
		return err
	}
	t := tail{who: who, print: printer(os.Stdout), json: c.JSON, seen: map[umpire.ID]time.Time{}}
	v := c.values()
	v.Set("limit", strconv.Itoa(min(max(c.Lines, 1), tailMost)))
	if c.Lines > 0 {
		if err := t.more(ctx, v); err != nil || c.Once {
			return err
		}
	}
	b := newBell()
	go b.listen(ctx, &c.askFlags, c.values())
	follow(v, time.Now().Add(-tailBehind))
	if err := t.skip(ctx, v); err != nil {
		return err
	}
	every := time.NewTicker(max(c.Every, 100*time.Millisecond))
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil // Ctrl-C is how it ends
		case now := <-every.C:
			from, rang := b.rung(now)
			if !rang {
				continue
			}
			follow(v, from)
			if err := t.more(ctx, v); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// tail prints each call once.
type tail struct {
	who   asking
	print *console.Printer
	json  bool
	seen  map[umpire.ID]time.Time
}

// follow makes the window the one in which calls began that are new now.
func follow(v url.Values, from time.Time) {
	v.Del("last")
	v.Del("to")
	v.Set("from", from.UTC().Format(time.RFC3339))
	v.Set("limit", strconv.Itoa(tailMost))
}

// skip takes what is there already for printed.
func (t *tail) skip(ctx context.Context, values url.Values) error {
	var a query.CallsAnswer
	err := t.who.get(ctx, "calls", values, &a)
	for _, call := range a.Calls {
		t.seen[call.ID] = call.StartedAt
	}
	return err
}

// more prints what is new, oldest first.
func (t *tail) more(ctx context.Context, values url.Values) error {
	var a query.CallsAnswer
	if err := t.who.get(ctx, "calls", values, &a); err != nil {
		return err
	}
	slices.Reverse(a.Calls)
	for _, call := range a.Calls {
		if _, old := t.seen[call.ID]; old {
			continue
		}
		t.seen[call.ID] = call.StartedAt
		if err := t.line(call); err != nil {
			return err
		}
	}
	for id, at := range t.seen {
		if time.Since(at) > 2*tailBehind {
			delete(t.seen, id)
		}
	}
	return nil
}

func (t *tail) line(call query.CallLine) error {
	if !t.json {
		t.print.CallLine(call)
		return nil
	}
	text, err := json.Marshal(call)
	if err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	_, err = fmt.Println(string(text))
	return err
}
