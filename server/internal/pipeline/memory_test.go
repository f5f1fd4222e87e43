package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// memory is a store that lives in memory and can be told to fail. It outlives the
// pipelines of a test, as a file does.
type memory struct {
	mu       sync.Mutex
	entries  []store.Entry
	position uint64
	applies  int
	asked    int // ids asked for by Known

	poison map[umpire.ID]bool
	down   error
	hold   chan struct{} // Apply waits until it is closed
}

func (m *memory) Apply(_ context.Context, batch []store.Entry) error {
	m.mu.Lock()
	hold := m.hold
	m.mu.Unlock()
	if hold != nil {
		<-hold
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applies++
	if m.down != nil {
		return m.down
	}
	for _, e := range batch {
		if m.poison[e.Event.ID] {
			if e.Event.Tool == "panic" {
				panic("poison")
			}
			return errors.New("poison")
		}
	}
	for _, e := range batch {
		if e.Seq <= m.position {
			continue
		}
		m.entries = append(m.entries, e)
		m.position = e.Seq
	}
	return nil
}

func (m *memory) Position(context.Context) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.position, nil
}

func (m *memory) Known(_ context.Context, project uint32, ids []umpire.ID) (map[umpire.ID]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked += len(ids)
	out := map[umpire.ID]string{}
	for _, id := range ids {
		for _, e := range m.entries {
			if e.Project == project && e.Event.ID == id {
				out[id] = e.Event.SeenBy
				if e.Event.SeenBy == store.Halves && !store.Whole(&e.Event) {
					out[id] = store.Half
				}
			}
		}
	}
	return out, nil
}

func (m *memory) RecentIDs(_ context.Context, since time.Time, yield func(uint32, umpire.ID)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		if !e.ReceivedAt.Before(since) {
			yield(e.Project, e.Event.ID)
		}
	}
	return nil
}

func (m *memory) DeleteProject(_ context.Context, project uint32) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var kept []store.Entry
	for _, e := range m.entries {
		if e.Project != project {
			kept = append(kept, e)
		}
	}
	m.entries = kept
	return nil
}

func (m *memory) set(change func(*memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

// tools lists what is stored as "project/tool", in order.
func (m *memory) tools() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, e := range m.entries {
		out = append(out, fmt.Sprintf("%d/%s", e.Project, e.Event.Tool))
	}
	return out
}
