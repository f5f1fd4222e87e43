package load

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Ledger is what the server has promised to hold.
type Ledger struct {
	mu    sync.Mutex
	ids   [][]umpire.ID // by project
	cells map[Cell]*Count
	kinds map[string]int64
}

// Cell is one place in the figures. Client and Tool are as they were sent.
type Cell struct {
	Project      int
	Hour         int64 // Unix seconds
	Tool, Client string
}

// Count is what a cell must show.
type Count struct {
	store.Counts
	ResponseBytes int64
	Latency       store.Histogram
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{cells: map[Cell]*Count{}, kinds: map[string]int64{}}
}

// add notes events that were acknowledged for the first time.
func (l *Ledger) add(project int, events []umpire.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.ids) <= project {
		l.ids = append(l.ids, nil)
	}
	for i := range events {
		e := &events[i]
		l.ids[project] = append(l.ids[project], e.ID)
		l.kinds[e.Kind]++
		if e.Kind != "call" {
			continue
		}
		cell := Cell{project, e.StartedAt.Truncate(time.Hour).Unix(), e.Tool, e.Client.Name}
		c := l.cells[cell]
		if c == nil {
			c = &Count{Latency: store.Histogram{}}
			l.cells[cell] = c
		}
		c.add(e)
	}
}

func (c *Count) add(e *umpire.Event) {
	c.Calls++
	switch e.Outcome {
	case umpire.BadArgs:
		c.BadArgs++
	case umpire.ToolError:
		c.ToolError++
	case umpire.Crashed:
		c.Crashed++
	default:
		c.OK++
	}
	if e.Empty {
		c.Empty++
	}
	if e.ResponseBytes != nil {
		c.ResponseBytes += *e.ResponseBytes
	}
	if e.DurationUS != nil {
		c.Latency[store.Bucket(*e.DurationUS)]++
	}
}

// plus adds o to c.
func (c *Count) plus(o *Count) {
	c.Calls += o.Calls
	c.OK += o.OK
	c.Empty += o.Empty
	c.BadArgs += o.BadArgs
	c.ToolError += o.ToolError
	c.Crashed += o.Crashed
	c.ResponseBytes += o.ResponseBytes
	for b, n := range o.Latency {
		c.Latency[b] += n
	}
}

// Events is how many events were acknowledged, over all projects.
func (l *Ledger) Events() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ids := range l.ids {
		n += len(ids)
	}
	return n
}

// IDs are the acknowledged ids of a project.
func (l *Ledger) IDs(project int) []umpire.ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if project >= len(l.ids) {
		return nil
	}
	return l.ids[project]
}

// Calls is how many of a project's events were calls.
func (l *Ledger) Calls(project int) (n int64) {
	for _, c := range l.By(project, func(Cell) string { return "" }) {
		for _, count := range c {
			n += count.Calls
		}
	}
	return n
}

// By sums a project's cells by a name that key gives them, and by hour.
func (l *Ledger) By(project int, key func(Cell) string) map[string]map[time.Time]*Count {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]map[time.Time]*Count{}
	for cell, n := range l.cells {
		if cell.Project != project {
			continue
		}
		name, hour := key(cell), time.Unix(cell.Hour, 0).UTC()
		if out[name] == nil {
			out[name] = map[time.Time]*Count{}
		}
		if out[name][hour] == nil {
			out[name][hour] = &Count{Latency: store.Histogram{}}
		}
		out[name][hour].plus(n)
	}
	return out
}

// WriteIDs writes one acknowledged id a line, behind its project's number.
func (l *Ledger) WriteIDs(w io.Writer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := bufio.NewWriter(w)
	for p, ids := range l.ids {
		for _, id := range ids {
			fmt.Fprintf(out, "%d %s\n", p, id)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot write the ledger: %w", err)
	}
	return nil
}
