package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/machine"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// backlogFlags bound what may wait in the log while the store is slow or away.
type backlogFlags struct {
	MaxBacklog    string        `name:"max-backlog" help:"Bytes of events that may wait in the log for the store, such as 2GB; beyond it senders get 503 and keep their events. By default a quarter of what is free on the disk, 64GiB at most." placeholder:"SIZE" env:"UMPIRE_MAX_BACKLOG"`
	MaxBacklogAge time.Duration `name:"max-backlog-age" help:"How long an event may wait there, such as 12h; 0 for any time." default:"72h" env:"UMPIRE_MAX_BACKLOG_AGE"`
}

const (
	leastBacklog = 64 << 20
	mostBacklog  = 64 << 30
)

// bound fills in the pipeline's limits.
func (f backlogFlags) bound(dir string, opts *pipeline.Options) error {
	if f.MaxBacklogAge < 0 {
		return fault.New(fault.BadRequest, "--max-backlog-age cannot be below zero", "give a time such as 12h, or 0 for any")
	}
	opts.MaxLagAge = f.MaxBacklogAge
	if f.MaxBacklog == "" {
		opts.MaxLagBytes = defaultBacklog(freeFor(dir))
		return nil
	}
	n, err := humanize.ParseBytes(f.MaxBacklog)
	if err != nil || n < 1 || n > math.MaxInt64 {
		return fault.New(fault.BadRequest, fmt.Sprintf("--max-backlog cannot be %.20q", f.MaxBacklog), "give a size such as 512MB or 2GB")
	}
	opts.MaxLagBytes = int64(n)
	return nil
}

// defaultBacklog is a quarter of what is free, which may be not known. The log is
// compressed, so that it takes less.
func defaultBacklog(free int64) int64 {
	if free <= 0 {
		return 1 << 30
	}
	return min(max(free/4, leastBacklog), mostBacklog)
}

// freeFor is what is free for a directory that may not be there yet.
func freeFor(dir string) int64 {
	for {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	free, _, err := machine.Disk(dir)
	if err != nil {
		return 0
	}
	return free
}
