package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/doctor"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

type doctorCommand struct {
	askFlags
	JSON bool `help:"Print JSON: the findings, and what the server told of itself."`
}

// diagnosis is what --json prints.
type diagnosis struct {
	Findings []doctor.Finding `json:"findings"`
	State    *doctor.State    `json:"state"` // null: nobody answered
}

func (c *doctorCommand) Run(ctx context.Context) error {
	d := c.look(ctx)
	if c.JSON {
		if err := printJSON(os.Stdout, d); err != nil {
			return err
		}
	} else {
		printFindings(os.Stdout, d.Findings)
	}
	if doctor.Sick(d.Findings) {
		return &exitError{code: 1} // it has said why
	}
	return nil
}

// look asks, and turns a refusal into a finding.
func (c *doctorCommand) look(ctx context.Context) diagnosis {
	var state doctor.State
	var sent, got time.Time
	err := c.reach(ctx, func(who asking) error {
		sent = time.Now()
		err := who.get(ctx, "status", nil, &state)
		got = time.Now()
		return err
	})
	if err != nil {
		return diagnosis{Findings: []doctor.Finding{unanswered(err)}}
	}
	by := doctor.Seen{Version: buildVersion()}
	where := "the data directory " + c.Data
	if c.To != "" {
		by.Sent, by.Got, where = sent, got, c.To
	}
	list := []doctor.Finding{{Check: "server", Level: doctor.OK, Text: where + " answers"}}
	return diagnosis{Findings: append(list, doctor.Diagnose(state, by)...), State: &state}
}

// reach is ask that does not wait for a store which is behind, or fails: that is what
// is to be told.
func (c *doctorCommand) reach(ctx context.Context, do func(asking) error) error {
	if c.To != "" {
		return c.ask(ctx, do)
	}
	return inDirectory(ctx, c.dataFlag, func(client *admin.Client) error {
		return do(asking{client: client.HTTP(), base: "http://umpire"})
	})
}

func unanswered(err error) doctor.Finding {
	f := doctor.Finding{Check: "server", Level: doctor.Wrong, Text: err.Error()}
	var known *fault.Error
	if errors.As(err, &known) {
		f.Text, f.Do = known.Message, known.Hint
		if cause := known.Unwrap(); cause != nil {
			f.Text += ": " + cause.Error()
		}
		if known.Code == fault.Unauthorized || known.Code == fault.Forbidden {
			f.Check = "key"
		}
	}
	return f
}

func printFindings(out io.Writer, list []doctor.Finding) {
	for _, f := range list {
		fmt.Fprintf(out, "%-5s  %-12s  %s\n", f.Level, f.Check, f.Text)
		if f.Do != "" {
			fmt.Fprintf(out, "%21s→ %s\n", "", f.Do)
		}
	}
}
