package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/remote"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

type eraseCommand struct {
	dataFlag
	Project string `help:"Project; may be left out where there is only one." env:"UMPIRE_PROJECT"`
	User    string `help:"User, as the events name them." xor:"whose"`
	Session string `help:"Session." xor:"whose"`
	Yes     bool   `help:"Do not ask." short:"y"`
	JSON    bool   `help:"Print JSON."`
}

// erased is what is gone; it is also what the API answers.
type erased struct {
	store.Erased
	// SetAside counts what was in none of the figures.
	SetAside int `json:"set_aside"`
}

func (c *eraseCommand) Run(ctx context.Context) error {
	if c.User == "" && c.Session == "" {
		return fault.New(fault.BadRequest, "whose events are to be erased?", "name --user U or --session S")
	}
	if !c.Yes {
		fmt.Fprintf(os.Stderr, "Erase every event of %q? There is no way back. Type the name: ", c.User+c.Session)
		var typed string
		if _, err := fmt.Fscanln(os.Stdin, &typed); err != nil || typed != c.User+c.Session {
			return fault.New(fault.BadRequest, "not erased", "type the name, or add --yes")
		}
	}
	return inDirectory(ctx, c.dataFlag, func(client *admin.Client) error {
		query := url.Values{}
		if c.Project != "" {
			query.Set("project", c.Project)
		}
		var gone erased
		if err := remote.Do(ctx, client.HTTP(), http.MethodPost, "http://umpire", "", "/api/v1/erase", query, api.Whose{User: c.User, Session: c.Session}, &gone); err != nil {
			return err
		}
		if c.JSON {
			return printJSON(os.Stdout, gone)
		}
		fmt.Printf("erased %d events, %d of them calls, in %d sessions", gone.Events, gone.Calls, gone.Sessions)
		if gone.From != nil {
			fmt.Printf(", from %s to %s", gone.From.Format(time.DateTime), gone.To.Format(time.DateTime))
		}
		fmt.Printf("; %d that were set aside\n", gone.SetAside)
		return nil
	})
}

// Erase implements api.Keeper.
func (k keeper) Erase(ctx context.Context, project uint32, whose api.Whose) (any, error) {
	var out erased
	of := func(e *umpire.Event) bool {
		return whose.User != "" && e.User == whose.User || whose.Session != "" && e.Session == whose.Session
	}
	if k.pipe == nil {
		return nil, fault.New(fault.Conflict, "this node takes no events: it cannot reach those that others have not stored yet, or set aside",
			"run umpire erase on each node with --role ingest; the first of them erases what is stored")
	}
	letters, err := k.pipe.Erase(ctx, project, of, whose.User+whose.Session, func(ctx context.Context) (err error) {
		out.Erased, err = k.store.Erase(ctx, project, store.Whose(whose))
		return err
	})
	if err != nil {
		return nil, err
	}
	k.live.Forget(project)
	lines, err := door.EraseAside(filepath.Join(k.dir, "set-aside.jsonl"), whose.User+whose.Session)
	if err != nil {
		return nil, err
	}
	out.SetAside = letters + lines
	// Whose it was is not for the log.
	slog.Info("erased one user or session", "events", out.Events, "set_aside", out.SetAside)
	return out, nil
}
