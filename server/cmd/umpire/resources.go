package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/machine"
)

// resourceFlags bound what the process takes of the machine.
type resourceFlags struct {
	Memory  string `help:"Memory that the server may use, such as 512MB or 2GB. By default half of the machine's, or three quarters of the container's." placeholder:"SIZE" env:"UMPIRE_MEMORY"`
	Threads int    `help:"Threads that questions and writing may use, one question half of them. By default as many as the machine, or the container, has cores." placeholder:"N" env:"UMPIRE_THREADS"`
}

// resources are the flags as they hold.
type resources struct {
	threads int
	store   int64 // bytes, of DuckDB
	rest    int64 // bytes, of everything else
}

const (
	leastMemory = 256_000_000
	// unknownMemory is assumed where the system does not tell.
	unknownMemory = 4 << 30
	// mostRest is more than everything beside the store ever needs.
	mostRest = 1 << 30
)

// resolve fills in what the machine has.
func (f resourceFlags) resolve() (resources, error) {
	memory := defaultMemory(machine.Memory())
	if f.Memory != "" {
		n, err := humanize.ParseBytes(f.Memory)
		if err != nil || n < leastMemory || n > math.MaxInt64 {
			return resources{}, fault.New(fault.BadRequest, fmt.Sprintf("--memory cannot be %.20q", f.Memory), "give 256MB or more, such as 512MB or 2GB")
		}
		memory = int64(n)
	}
	if f.Threads < 0 || f.Threads > 1024 {
		return resources{}, fault.New(fault.BadRequest, fmt.Sprintf("--threads cannot be %d", f.Threads), "give 1 or more, or leave it out")
	}
	r := resources{threads: f.Threads, rest: min(memory/2, mostRest)}
	r.store = memory - r.rest
	if r.threads == 0 {
		r.threads = runtime.GOMAXPROCS(0) // which knows of a container's limit
	}
	return r, nil
}

func defaultMemory(total, limit int64) int64 {
	switch {
	case limit > 0:
		return max(limit/4*3, leastMemory)
	case total > 0:
		return max(total/2, leastMemory)
	default:
		return unknownMemory
	}
}

// apply holds everything but the store to its part. GOMEMLIMIT and GOMAXPROCS stand.
func (r resources) apply() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(r.rest)
	}
	// Who is in the store or waits for the disk holds one of these for up to 10 ms before
	// Go notices: with one a core, a request waits behind a question.
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * r.threads)
	}
}

// stillFor is for how long no event has been stored before memory is given back.
const stillFor = 5 * time.Second

// giveBack calls free once behind each time in which events were stored, when none have
// been for a while; stored is a number that rises with each. It ends with the context.
func giveBack(ctx context.Context, stored func() uint64, free func()) {
	tick := time.NewTicker(stillFor)
	defer tick.Stop()
	last := stored()
	freed := last
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := stored()
		if now == last && now != freed {
			free()
			freed = now
		}
		last = now
	}
}

// memoryLimit is the store's part as DuckDB reads it.
func (r resources) memoryLimit() string { return fmt.Sprintf("%dMiB", r.store>>20) }
