package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/remote"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

type projectRetentionCommand struct {
	dataFlag
	Name    string `arg:"" help:"Project."`
	Raw     string `help:"How long single events are kept: 90d, or forever." placeholder:"90d"`
	Rollups string `help:"How long figures by the hour are kept: 400d, or forever." placeholder:"forever"`
}

func (c *projectRetentionCommand) Run(ctx context.Context) error {
	change := map[string]*int{}
	for field, text := range map[string]string{"raw_days": c.Raw, "rollup_days": c.Rollups} {
		if text == "" {
			continue
		}
		days, err := parseDays(text)
		if err != nil {
			return err
		}
		change[field] = days
	}
	return inDirectory(ctx, c.dataFlag, func(client *admin.Client) error {
		var now api.Retention
		method, body := http.MethodGet, any(nil)
		if len(change) > 0 {
			method, body = http.MethodPut, change
		}
		query := url.Values{"project": {c.Name}}
		if err := remote.Do(ctx, client.HTTP(), method, "http://umpire", "", "/api/v1/retention", query, body, &now); err != nil {
			return err
		}
		fmt.Printf("raw %s, rollups %s\n", sayDays(now.RawDays), sayDays(now.RollupDays))
		if len(change) > 0 {
			fmt.Fprintln(os.Stderr, "applied once a day and when the server starts; until then it can be taken back")
		}
		return nil
	})
}

var daysForm = regexp.MustCompile(`^([1-9][0-9]{0,4})d$`)

// parseDays reads 90d; nil is forever.
func parseDays(text string) (*int, error) {
	if text == "forever" {
		return nil, nil //nolint:nilnil // for ever
	}
	m := daysForm.FindStringSubmatch(text)
	if m == nil {
		return nil, fault.New(fault.BadRequest, fmt.Sprintf("%.20q is no retention", text), "give days as 90d, or forever")
	}
	n, _ := strconv.Atoi(m[1])
	return &n, nil
}

func sayDays(n *int) string {
	if n == nil {
		return "forever"
	}
	return strconv.Itoa(*n) + "d"
}

// keeper lets the API change what the node keeps.
type keeper struct{ *node }

// Retention implements api.Keeper.
func (k keeper) Retention(project uint32) api.Retention {
	p, _ := k.meta.ProjectByID(project)
	days := func(n int) *int {
		if n == 0 {
			return nil
		}
		return &n
	}
	return api.Retention{RawDays: days(p.Retention.RawDays), RollupDays: days(p.Retention.RollupDays)}
}

// SetRetention implements api.Keeper.
func (k keeper) SetRetention(ctx context.Context, project uint32, r api.Retention) error {
	var to meta.Retention
	if r.RawDays != nil {
		to.RawDays = *r.RawDays
	}
	if r.RollupDays != nil {
		to.RollupDays = *r.RollupDays
	}
	return k.meta.SetRetention(ctx, project, to)
}

// retentionOf is how far back an event of the project may lie.
func (n *node) retentionOf(project uint32) time.Duration {
	p, ok := n.meta.ProjectByID(project)
	if ok && p.Retention.RawDays == 0 {
		return -1 // for ever
	}
	if !ok {
		return defaultRetention
	}
	return days(p.Retention.RawDays)
}

const defaultRetention = 90 * 24 * time.Hour

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// expireDaily removes what the projects no longer keep, now and once a day, until
// the context ends.
func (n *node) expireDaily(ctx context.Context) {
	for began := time.Now(); ; {
		if n.trusts(ctx, began, time.Now()) {
			for _, p := range n.meta.Projects() {
				n.expire(ctx, p, time.Now())
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(24 * time.Hour):
		}
	}
}

// trusts reports whether the clock may be believed when things are removed for good by
// it, and logs if not.
func (n *node) trusts(ctx context.Context, began, now time.Time) bool {
	var projects []uint32
	for _, p := range n.meta.Projects() {
		projects = append(projects, p.ID)
	}
	plausible, err := clockPlausible(ctx, n.store, projects, began, now)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		slog.Error("cannot tell whether the clock is right; nothing is removed by its age today", "err", err)
	case !plausible:
		slog.Warn("by this machine's clock no call is younger than 30 days; in case it is wrong, nothing is removed by its age before a call comes, or the server has run for a week", "clock", now.UTC().Format(time.RFC3339))
	}
	return plausible && err == nil
}

// A clock that is far ahead makes everything old. It is not believed if no call began in
// the last quietFor before what it says, unless the process has run for patience, which
// is measured without it: then nothing comes, and what is old goes.
const (
	quietFor = 30 * 24 * time.Hour
	patience = 7 * 24 * time.Hour
)

func clockPlausible(ctx context.Context, r store.Reader, projects []uint32, began, now time.Time) (bool, error) {
	if now.Sub(began) >= patience {
		return true, nil
	}
	old := false
	for _, project := range projects {
		to := now.UTC().Truncate(time.Hour)
		f := store.Filter{Project: project, From: to.Add(-quietFor), To: to.Add(25 * time.Hour)}
		lately, err := r.Totals(ctx, f)
		if err != nil {
			return false, err
		}
		if lately.Calls > 0 {
			return true, nil
		}
		f.From, f.To = time.Unix(0, 0).UTC(), f.From
		before, err := r.Totals(ctx, f)
		if err != nil {
			return false, err
		}
		old = old || before.Calls > 0
	}
	return !old, nil // or there is nothing to lose
}

func (n *node) expire(ctx context.Context, p meta.Project, now time.Time) {
	before := func(n int) time.Time {
		if n == 0 {
			return time.Time{}
		}
		return now.UTC().Add(-days(n)).Truncate(24 * time.Hour)
	}
	raw, rollups := before(p.Retention.RawDays), before(p.Retention.RollupDays)
	if raw.IsZero() && rollups.IsZero() {
		return
	}
	events, err := n.store.Expire(ctx, p.ID, raw, rollups)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		slog.Error("cannot remove what is older than the retention; it is tried again tomorrow", "project", p.Name, "err", err)
	case events > 0:
		slog.Info("removed single events older than the retention", "project", p.Name, "events", events, "before", raw.Format(time.DateOnly))
	}
}
