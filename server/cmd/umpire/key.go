package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// dataFlag is where everything is kept: a directory, and what lies elsewhere.
type dataFlag struct {
	Data string `help:"Data directory." default:"./umpire-data" env:"UMPIRE_DATA" type:"path"`
	Meta string `help:"PostgreSQL database for projects, keys and rules, in place of a file in the data directory: several nodes share it. The address holds a password: better in UMPIRE_META." placeholder:"postgres://…" env:"UMPIRE_META"`
	// Store is where the events are; empty: the file in the directory.
	Store string `help:"ClickHouse for the events, in place of a file in the data directory: several nodes share it. The address holds a password: better in UMPIRE_STORE." placeholder:"clickhouse://…" env:"UMPIRE_STORE"`
}

type keyCommand struct {
	Add    keyAddCommand    `cmd:"" help:"Make a key and print only it. Makes the project and the directory, too."`
	List   keyListCommand   `cmd:"" help:"List keys by their first characters."`
	Rotate keyRotateCommand `cmd:"" help:"Make a key in place of another, which works a while beside it, and print only it."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a key at once."`
}

type keyAddCommand struct {
	dataFlag
	Project string `help:"Project that the key belongs to." required:"" env:"UMPIRE_PROJECT"`
	Write   bool   `help:"A key that writes events (ump_w_…)." xor:"kind"`
	Read    bool   `help:"A key that reads figures (ump_r_…)." xor:"kind"`
	Name    string `help:"What the key is for, as lists show it."`
	Foreign string `help:"Accept this key of another vendor's SDK for writing." xor:"kind"`
}

func (c *keyAddCommand) Run(ctx context.Context) error {
	kind := ""
	switch {
	case c.Write:
		kind = "write"
	case c.Read:
		kind = "read"
	case c.Foreign != "":
		kind = "foreign"
	default:
		return fault.New(fault.BadRequest, "which kind of key?", "add --write, --read or --foreign KEY")
	}
	return withKeys(ctx, c.dataFlag, func(client keyring) error {
		key, err := client.AddKey(ctx, c.Project, kind, c.Foreign)
		if err == nil && c.Name != "" {
			err = client.NameKey(ctx, key, c.Name)
		}
		if err != nil {
			return err
		}
		fmt.Println(key)
		return nil
	})
}

type keyListCommand struct{ dataFlag }

func (c *keyListCommand) Run(ctx context.Context) error {
	return inKeys(ctx, c.dataFlag, func(client keyring) error {
		keys, err := client.Keys(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "KEY\tKIND\tPROJECT\tCREATED\tLAST USED\tSTATE\tNAME")
		for _, k := range keys {
			used, state := "never", "in force"
			if k.LastUsed != nil {
				used = k.LastUsed.UTC().Format(time.DateTime)
			}
			if k.Revoked != nil {
				state = "revoked"
			} else if k.Ends != nil {
				state = "until " + k.Ends.UTC().Format(time.DateTime)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.Prefix, k.Kind, k.Project, k.Created.UTC().Format(time.DateTime), used, state, k.Name)
		}
		return w.Flush()
	})
}

type keyRevokeCommand struct {
	dataFlag
	Prefix string `arg:"" help:"The key, or its first characters as key list shows them."`
}

func (c *keyRevokeCommand) Run(ctx context.Context) error {
	return inKeys(ctx, c.dataFlag, func(client keyring) error {
		return client.RevokeKey(ctx, c.Prefix)
	})
}

type keyRotateCommand struct {
	dataFlag
	Prefix string `arg:"" help:"The key, or its first characters as key list shows them."`
	Grace  string `help:"How long the old key works beside the new one: 24h, 7d, or 0 for not at all." default:"24h"`
}

func (c *keyRotateCommand) Run(ctx context.Context) error {
	grace, err := parseGrace(c.Grace)
	if err != nil {
		return err
	}
	return inKeys(ctx, c.dataFlag, func(client keyring) error {
		key, err := client.RotateKey(ctx, c.Prefix, grace)
		if err != nil {
			return err
		}
		fmt.Println(key)
		return nil
	})
}

// parseGrace reads 24h, 7d or 0.
func parseGrace(text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	if days, err := parseDays(text); err == nil && days != nil {
		return time.Duration(*days) * 24 * time.Hour, nil
	}
	grace, err := time.ParseDuration(text)
	if err != nil || grace < 0 {
		return 0, fault.New(fault.BadRequest, fmt.Sprintf("%.20q is no time", text), "give hours as 24h, days as 7d, or 0")
	}
	return grace, nil
}

type projectCommand struct {
	List      projectListCommand      `cmd:"" help:"List the projects."`
	Delete    projectDeleteCommand    `cmd:"" help:"Delete a project with its keys and events."`
	Rename    projectRenameCommand    `cmd:"" help:"Give a project another name. Keys and events stay."`
	Price     projectPriceCommand     `cmd:"" help:"Print or set what a million tokens cost, in US dollars."`
	Mute      projectMuteCommand      `cmd:"" help:"List the empty answers that are fine, or say that a tool's are."`
	Retention projectRetentionCommand `cmd:"" help:"Print or change how long a project keeps single events and figures."`
}

type projectListCommand struct{ dataFlag }

func (c *projectListCommand) Run(ctx context.Context) error {
	return inKeys(ctx, c.dataFlag, func(client keyring) error {
		projects, err := client.Projects(ctx)
		if err != nil {
			return err
		}
		for _, p := range projects {
			fmt.Println(p.Name)
		}
		return nil
	})
}

type projectDeleteCommand struct {
	dataFlag
	Name string `arg:"" help:"Project to delete."`
	Yes  bool   `help:"Do not ask." short:"y"`
}

func (c *projectDeleteCommand) Run(ctx context.Context) error {
	if !c.Yes {
		fmt.Fprintf(os.Stderr, "Delete project %q with its keys and every event? Type its name: ", c.Name)
		var typed string
		if _, err := fmt.Fscanln(os.Stdin, &typed); err != nil || typed != c.Name {
			return fault.New(fault.BadRequest, "not deleted", "type the project's name, or add --yes")
		}
	}
	return inDirectory(ctx, c.dataFlag, func(client *admin.Client) error {
		return client.DeleteProject(ctx, c.Name)
	})
}
