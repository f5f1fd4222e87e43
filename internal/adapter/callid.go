package adapter

import (
	"bytes"
	"crypto/sha256"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/umpire-mcp/umpire"
)

// RunVariable is the environment variable in which the proxy tells the process
// that it runs how the run is called (outcomes.md 1.4).
const RunVariable = "UMPIRE_RUN"

// Run is what the proxy calls this process's run, or "" without one.
func Run() string { return strings.TrimSpace(os.Getenv(RunVariable)) }

// CallIDs makes the ids of the calls of one run over stdio, the same in every
// observer: a version 8 UUID of the run, the tool, args_hash, and the how-manieth
// such call it is (outcomes.md 1.4). Calls that are alike may reach two observers
// in different order: together they get the same ids.
type CallIDs struct {
	run string

	mu sync.Mutex
	// seen counts the calls of a kind. When there are maxKinds of them, those that
	// come new share the counters of rest.
	seen map[[8]byte]uint32
	rest []uint32
}

const (
	maxKinds = 1 << 16
	// maxHashed is the longest arguments that are told apart: as long as those
	// that the client makes an args_hash of.
	maxHashed = 1 << 20
	callIDs   = "umpire call v1\x00"
)

// NewCallIDs returns the ids of a run, from its first call on.
func NewCallIDs(run string) *CallIDs {
	return &CallIDs{run: run, seen: map[[8]byte]uint32{}}
}

// ThisRun returns the ids of the calls of this process's run, or nil without one.
// Each watcher counts for itself.
func ThisRun() *CallIDs {
	if run := Run(); run != "" {
		return NewCallIDs(run)
	}
	return nil
}

// Next returns the id of the call e, of which Tool and Arguments are set. Long
// says that Arguments are not here because they are over 1 MiB. Next is called
// once for each call.
func (c *CallIDs) Next(e *umpire.Event, long bool) umpire.ID {
	arguments := "long"
	switch {
	case long || len(e.Arguments) > maxHashed:
	case string(bytes.TrimSpace(e.Arguments)) == "null": // as good as none
		arguments = (&umpire.Event{}).HashArguments(c.run)
	default:
		arguments = e.HashArguments(c.run)
	}
	return c.next(e.Tool + "\x00" + arguments)
}

// NextRead is Next for what is no call: a resource or prompt, and what was asked
// for.
func (c *CallIDs) NextRead(kind, asked string) umpire.ID {
	return c.next("\x00" + kind + "\x00" + asked) // no tool has this name
}

func (c *CallIDs) next(kind string) (id umpire.ID) {
	kind = c.run + "\x00" + kind
	nth := c.count(sha256.Sum256([]byte(kind)))
	sum := sha256.Sum256([]byte(callIDs + kind + "\x00" + strconv.FormatUint(uint64(nth), 10)))
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 0x80 // version 8
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	return id
}

// count says how many calls of a kind there were, with this one.
func (c *CallIDs) count(kind [32]byte) uint32 {
	key := [8]byte(kind[:8])
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, known := c.seen[key]; known || len(c.seen) < maxKinds {
		c.seen[key] = n + 1
		return n + 1
	}
	if c.rest == nil {
		c.rest = make([]uint32, maxKinds)
	}
	n := &c.rest[int(kind[8])<<8|int(kind[9])]
	*n++
	return *n
}
