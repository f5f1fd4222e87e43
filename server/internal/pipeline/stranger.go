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

	// maxReads is how many resources, and how many prompts, a project has by name.
	// An adapter sends the name that the server gave; another sender may not. The
	// rest share OtherResources and OtherPrompts, and what was asked for is not
	// kept.
	maxReads       = 2000
	OtherResources = "(other resources)"
	OtherPrompts   = "(other prompts)"
)

// strangers are the unknown tools, the resources and the prompts that each project
// has by name.
type strangers struct {
	mu    sync.Mutex
	known map[namesOf]map[string]struct{}
}

// namesOf are the names of one kind in one project.
type namesOf struct {
	project uint32
	kind    string
}

// bound puts a call of an unknown tool, a resource or a prompt under the shared
// name when the project has too many such names already.
func (s *strangers) bound(project uint32, e *umpire.Event) {
	if e.Kind == "resource" || e.Kind == "prompt" {
		s.boundRead(project, e)
		return
	}
	if e.Kind != "call" || e.Cause != "unknown_tool" || s.admit(namesOf{project, e.Kind}, e.Tool, maxStrangers) {
		return
	}
	if e.Meta == nil {
		e.Meta = map[string]any{}
	}
	e.Meta[MarkTool], e.Tool, e.Near = e.Tool, StrangersTool, nil
}

func (s *strangers) boundRead(project uint32, e *umpire.Event) {
	switch {
	case e.Tool == "" || s.admit(namesOf{project, e.Kind}, e.Tool, maxReads):
	case e.Kind == "prompt":
		e.Tool = OtherPrompts
	default:
		e.Tool = OtherResources
	}
}

func (s *strangers) admit(of namesOf, name string, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := s.known[of]
	if names == nil {
		if s.known == nil {
			s.known = map[namesOf]map[string]struct{}{}
		}
		names = map[string]struct{}{}
		s.known[of] = names
	}
	if _, known := names[name]; known {
		return true
	}
	if len(names) >= most {
		return false
	}
	names[name] = struct{}{}
	return true
}
