package main

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/doctor"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/machine"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// care lets the API tell of the node, and look after what was set aside.
type care struct{ *node }

var _ api.Care = care{}

func (n *node) asideFile() string { return filepath.Join(n.dir, "set-aside.jsonl") }

// State implements api.Care.
func (c care) State(ctx context.Context, project *api.Project) (doctor.State, error) {
	s := doctor.State{Version: buildVersion(), Now: time.Now().UTC(), StartedAt: c.begun.UTC(), Role: string(c.role), Projects: []doctor.Project{}}
	s.Disk.FreeBytes, s.Disk.TotalBytes, _ = machine.Disk(c.dir) // 0: not known
	if c.pipe != nil {
		intake, err := c.intake(project)
		if err != nil {
			return s, err
		}
		s.Intake = &intake
	}
	for _, p := range c.meta.Projects() {
		if project != nil && p.ID != project.ID || project == nil && isOwn(c.meta, p) {
			continue
		}
		told, err := c.project(ctx, p, s.Now)
		if err != nil {
			return s, err
		}
		s.Projects = append(s.Projects, told)
	}
	return s, nil
}

func (c care) intake(project *api.Project) (doctor.Intake, error) {
	stats := c.pipe.Stats()
	in := doctor.Intake{
		Lag:        doctor.Lag{Events: stats.LagEvents, Bytes: stats.LagBytes, Seconds: stats.LagAge.Seconds(), LimitBytes: stats.LagLimit, LogBytes: stats.LogBytes},
		LostEvents: stats.Lost, ClockSteps: stats.ClockSteps, Ahead: stats.Ahead, Damage: []doctor.Damage{}, DamagedFiles: []string{},
	}
	if stats.Err != nil {
		in.Trouble = stats.Err.Error()
	}
	for _, d := range c.log.Damage() {
		out := doctor.Damage{File: d.File, Offset: d.Offset, Bytes: d.Bytes, Reason: d.Reason}
		if !d.Torn && d.From <= d.To {
			out.Lost = int64(d.To - d.From + 1)
		}
		in.Damage = append(in.Damage, out)
	}
	files, _ := filepath.Glob(filepath.Join(c.dir, "wal", "*.damaged")) // the pattern is right
	for _, f := range files {
		in.DamagedFiles = append(in.DamagedFiles, filepath.Base(f))
	}
	if c.front != nil {
		in.SetAside = c.front.Aside()
	}
	in.DeadLetters.Reasons = map[string]int{}
	err := c.pipe.DeadLetters(func(l pipeline.DeadLetter) bool {
		if project == nil || l.Project == project.ID {
			count(&in.DeadLetters, l)
		}
		return true
	})
	return in, err
}

// maxReasons bounds how many reasons are told apart; a store may put a value into
// each.
const maxReasons = 20

func count(sum *doctor.DeadLetters, l pipeline.DeadLetter) {
	at := l.SetAsideAt
	if sum.Oldest == nil || at.Before(*sum.Oldest) {
		sum.Oldest = &at
	}
	if sum.Newest == nil || at.After(*sum.Newest) {
		sum.Newest = &at
	}
	sum.Count++
	reason := l.Reason
	if _, known := sum.Reasons[reason]; !known && len(sum.Reasons) >= maxReasons {
		reason = "other"
	}
	sum.Reasons[reason]++
}

func (c care) project(ctx context.Context, p meta.Project, now time.Time) (doctor.Project, error) {
	out := doctor.Project{Name: p.Name, Unseen: []query.NotReported{}, Dropped: c.dropped(ctx, p.ID)}
	for _, k := range c.meta.Keys(p.ID) {
		if k.Kind == meta.Read {
			continue
		}
		if k.RevokedAt.IsZero() {
			out.WriteKeys++
		}
		if used := k.LastUsed; !used.IsZero() && (out.HeardAt == nil || used.After(*out.HeardAt)) {
			out.HeardAt = &used
		}
	}
	f := store.Filter{Project: p.ID, From: now.Truncate(time.Hour).Add(-30 * 24 * time.Hour), To: now.Truncate(time.Hour).Add(time.Hour), Now: now}
	var err error
	out.Calls, out.Unseen, err = query.Shown(ctx, c.store, f)
	return out, err
}

// DeadLetters implements api.Care.
func (c care) DeadLetters(project *api.Project, limit int) (letters []doctor.Letter, total int, err error) {
	if c.pipe == nil {
		return nil, 0, noIntake()
	}
	names := map[uint32]string{}
	for _, p := range c.meta.Projects() {
		names[p.ID] = p.Name
	}
	err = c.pipe.DeadLetters(func(l pipeline.DeadLetter) bool {
		if project != nil && l.Project != project.ID {
			return true
		}
		if total++; total <= limit {
			letters = append(letters, doctor.Letter{
				Seq: l.Seq, Project: names[l.Project], ID: l.ID(), ReceivedAt: l.ReceivedAt, SetAsideAt: l.SetAsideAt, Reason: l.Reason, Event: l.Event,
			})
		}
		return true
	})
	return letters, total, err
}

// ReplayDeadLetters implements api.Care.
func (c care) ReplayDeadLetters(ctx context.Context, project *api.Project, seqs []uint64) (int, error) {
	if c.pipe == nil {
		return 0, noIntake()
	}
	return c.pipe.ReplayDeadLetters(ctx, these(project, seqs))
}

// DropDeadLetters implements api.Care.
func (c care) DropDeadLetters(project *api.Project, seqs []uint64) (int, error) {
	if c.pipe == nil {
		return 0, noIntake()
	}
	return c.pipe.DropDeadLetters(these(project, seqs))
}

func these(project *api.Project, seqs []uint64) func(pipeline.DeadLetter) bool {
	return func(l pipeline.DeadLetter) bool {
		return (project == nil || l.Project == project.ID) && (len(seqs) == 0 || slices.Contains(seqs, l.Seq))
	}
}

func noIntake() error {
	return fault.New(fault.NotFound, "this node takes no events", "ask the one that does: --role ingest or all")
}

// SetAside implements api.Care.
func (c care) SetAside(limit int) ([]doctor.Aside, error) {
	bodies, err := door.ReadAside(c.asideFile(), limit)
	out := make([]doctor.Aside, 0, len(bodies))
	for _, b := range bodies {
		out = append(out, doctor.Aside(b))
	}
	return out, err
}
