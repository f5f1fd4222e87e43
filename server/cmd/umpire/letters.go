package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/doctor"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

type deadLettersCommand struct {
	List   lettersListCommand   `cmd:"" help:"List them, with the reason: number, project, tool, when."`
	Replay lettersReplayCommand `cmd:"" help:"Give them to the store again, under their own time. One that is refused again stays."`
	Drop   lettersDropCommand   `cmd:"" help:"Give them up for ever."`
	Aside  lettersAsideCommand  `cmd:"" help:"Show the bodies that no door could read."`
}

// letterFlags say which.
type letterFlags struct {
	dataFlag
	Project string   `help:"Only this project's." env:"UMPIRE_PROJECT"`
	Seq     []uint64 `arg:"" optional:"" name:"number" help:"Only these, by their numbers."`
}

func (f *letterFlags) do(ctx context.Context, method, path string, out any) error {
	return inDirectory(ctx, f.dataFlag, func(client *admin.Client) error {
		var query url.Values
		if f.Project != "" {
			query = url.Values{"project": {f.Project}}
		}
		var body any
		if method != http.MethodGet {
			body = map[string]any{"seq": append([]uint64{}, f.Seq...)}
		}
		if err := remote.Do(ctx, client.HTTP(), method, "http://umpire", "", "/api/v1/"+path, query, body, out); err != nil {
			return err
		}
		if method == http.MethodGet {
			return nil
		}
		settled, cancel := context.WithTimeout(ctx, settleTime)
		defer cancel()
		_ = client.Sync(settled) // a store that is behind gets them later
		return nil
	})
}

// settleTime is how long replay waits for the store, so that list shows what became
// of it.
const settleTime = 10 * time.Second

type lettersListCommand struct {
	letterFlags
	JSON bool `help:"Print JSON, with the events."`
}

func (c *lettersListCommand) Run(ctx context.Context) error {
	var answer struct {
		Count       int             `json:"count"`
		DeadLetters []doctor.Letter `json:"dead_letters"`
	}
	if err := c.do(ctx, http.MethodGet, "dead-letters", &answer); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, answer)
	}
	for _, l := range answer.DeadLetters {
		var e umpire.Event
		_ = json.Unmarshal(l.Event, &e) // what is no event is shown without a tool
		fmt.Printf("%-10d  %s  %-20s  %-24s  %.160s\n", l.Seq, l.SetAsideAt.UTC().Format(time.DateTime), l.Project, e.Tool, l.Reason)
	}
	if more := answer.Count - len(answer.DeadLetters); more > 0 {
		fmt.Fprintf(os.Stderr, "and %d more\n", more)
	}
	return nil
}

type lettersReplayCommand struct{ letterFlags }

func (c *lettersReplayCommand) Run(ctx context.Context) error {
	var answer struct{ Replayed int }
	if err := c.do(ctx, http.MethodPost, "dead-letters/replay", &answer); err != nil {
		return err
	}
	fmt.Println("replayed", answer.Replayed)
	return nil
}

type lettersDropCommand struct{ letterFlags }

func (c *lettersDropCommand) Run(ctx context.Context) error {
	var answer struct{ Dropped int }
	if err := c.do(ctx, http.MethodPost, "dead-letters/drop", &answer); err != nil {
		return err
	}
	fmt.Println("dropped", answer.Dropped)
	return nil
}

type lettersAsideCommand struct{ letterFlags }

func (c *lettersAsideCommand) Run(ctx context.Context) error {
	var answer struct {
		SetAside []doctor.Aside `json:"set_aside"`
	}
	if err := c.do(ctx, http.MethodGet, "set-aside", &answer); err != nil {
		return err
	}
	for _, a := range answer.SetAside {
		if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
			return fmt.Errorf("cannot print: %w", err)
		}
	}
	return nil
}
