package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

type checkCommand struct {
	questionFlags
	MaxErrorRate        string        `name:"max-error-rate" help:"Most calls that may fail: 5%, or 0.05." placeholder:"RATE"`
	MaxEmptyRate        string        `name:"max-empty-rate" help:"Most calls that may be answered with nothing." placeholder:"RATE"`
	MaxCrashed          *int64        `name:"max-crashed" help:"Most calls that may crash." placeholder:"N"`
	MaxP95              time.Duration `name:"max-p95" help:"Longest that 95% of the calls may take: 2s." placeholder:"DURATION"`
	MinFirstCallSuccess string        `name:"min-first-call-success" help:"Fewest first calls of a session's tool that succeed: 80%." placeholder:"RATE"`
	MinCalls            int64         `name:"min-calls" help:"Fewer calls than these say nothing: exit code 2. Default: 20." default:"20" placeholder:"N"`
}

// Help implements kong.HelpProvider.
func (checkCommand) Help() string {
	return `Holds the figures of a window (--last, 24h if left out) to limits.

    umpire check --last 1h --max-error-rate 5% --max-empty-rate 2% --min-calls 20
    umpire check --to https://umpire.example.com --key-file key --tool search --max-p95 2s

Exit codes:

    0  every limit holds
    1  a limit is exceeded
    2  it cannot be told: too few calls, a figure that no sender reports, nobody answers, a wrong flag

A window of less than a day ends now, to the second; a longer one with the running hour.`
}

// The exit codes of umpire check.
const (
	exitExceeded = 1
	exitUnknown  = 2
)

func (c *checkCommand) Run(ctx context.Context) error {
	limits, err := c.limits()
	if err != nil {
		return &exitError{exitUnknown, err}
	}
	var verdict query.Check
	err = c.ask(ctx, func(who asking) error {
		var o query.OverviewAnswer
		if err := who.get(ctx, "overview", c.window(time.Now()), &o); err != nil {
			return err
		}
		verdict = query.CheckOf(o, limits)
		return nil
	})
	if err != nil {
		return &exitError{exitUnknown, err}
	}
	if c.JSON {
		err = printJSON(os.Stdout, verdict)
	} else {
		printer(os.Stdout).Check(verdict)
	}
	switch {
	case err != nil:
		return &exitError{exitUnknown, err}
	case verdict.Verdict == query.Exceeded:
		return &exitError{code: exitExceeded}
	case verdict.Verdict == query.CannotTell:
		return &exitError{code: exitUnknown}
	}
	return nil
}

func (c *checkCommand) limits() (query.Limits, error) {
	l := query.Limits{MinCalls: c.MinCalls, MaxCrashed: c.MaxCrashed}
	for _, r := range []struct {
		flag, text string
		into       **float64
	}{
		{"--max-error-rate", c.MaxErrorRate, &l.MaxErrorRate},
		{"--max-empty-rate", c.MaxEmptyRate, &l.MaxEmptyRate},
		{"--min-first-call-success", c.MinFirstCallSuccess, &l.MinFirstCallSuccess},
	} {
		if r.text == "" {
			continue
		}
		x, err := parseRate(r.text)
		if err != nil {
			return l, fault.New(fault.BadRequest, fmt.Sprintf("%s cannot be %.20q", r.flag, r.text), "give a share of the calls: 5%, or 0.05")
		}
		*r.into = &x
	}
	if c.MaxP95 > 0 {
		us := c.MaxP95.Microseconds()
		l.MaxP95US = &us
	}
	if l.None() {
		return l, fault.New(fault.BadRequest, "there is no limit to check", "give --max-error-rate, --max-empty-rate, --max-crashed, --max-p95 or --min-first-call-success")
	}
	return l, nil
}

// parseRate reads 5%, 5.5% or 0.055.
func parseRate(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	if err == nil && !(x >= 0 && x <= 1) {
		err = fmt.Errorf("%v is no share", x)
	}
	return x, err
}

// window is what --last means here: a window of a few hours that snapped to whole
// hours would be nearly empty at the beginning of each.
func (c *checkCommand) window(now time.Time) url.Values {
	v := c.values()
	if c.From != "" || c.Until != "" {
		return v
	}
	last := c.Last
	if last == "" {
		last = "24h"
		v.Set("last", last)
	}
	if length, err := time.ParseDuration(last); err == nil && length > 0 && length < 24*time.Hour {
		v.Del("last")
		v.Set("from", now.Add(-length).UTC().Format(time.RFC3339))
		v.Set("to", now.Add(time.Second).UTC().Format(time.RFC3339))
	}
	return v
}
