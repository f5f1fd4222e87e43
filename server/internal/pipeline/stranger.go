package pipeline

import (
	"sync"

	"github.com/umpire-mcp/umpire"
)

// Names of unknown tools are chosen by whoever calls, so they are bounded
// (outcomes.md 5.5).
const (
	// maxStrangers is how many of them a project has by name, since the server
	// was started; the rest share StrangersTool.
	maxStrangers = 500
	// StrangersTool stands for the names beyond the bound.
	StrangersTool = "(other unknown tools)"
	// MarkTool is the name asked for, where StrangersTool stands for it.
	MarkTool = "umpire.tool"
)

// strangers are the unknown tool names that each project has by name.
type strangers struct {
	mu    sync.Mutex
	known map[uint32]map[string]struct{}
}

// bound puts a call of an unknown tool under the shared name when the project
// has too many such names already.
func (s *strangers) bound(project uint32, e *umpire.Event) {
	if e.Kind != "call" || e.Cause != "unknown_tool" || s.admit(project, e.Tool) {
		return
	}
	if e.Meta == nil {
		e.Meta = map[string]any{}
	}
	e.Meta[MarkTool], e.Tool, e.Near = e.Tool, StrangersTool, nil
}

func (s *strangers) admit(project uint32, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := s.known[project]
	if names == nil {
		if s.known == nil {
			s.known = map[uint32]map[string]struct{}{}
		}
		names = map[string]struct{}{}
		s.known[project] = names
	}
	if _, known := names[name]; known {
		return true
	}
	if len(names) >= maxStrangers {
		return false
	}
	names[name] = struct{}{}
	return true
}
