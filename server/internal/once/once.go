package once

import "github.com/umpire-mcp/umpire"

type key struct {
	project uint32
	id      umpire.ID
}

// Set remembers at least the last size events. It is for one goroutine at a time.
type Set struct {
	size     int
	now, old map[key]struct{}
}

// New returns an empty set.
func New(size int) *Set { return &Set{size: size, now: map[key]struct{}{}} }

// First reports whether the event is new to the set, and remembers it.
func (s *Set) First(project uint32, id umpire.ID) bool {
	k := key{project, id}
	if s.Seen(project, id) {
		return false
	}
	if len(s.now) >= s.size {
		s.old, s.now = s.now, make(map[key]struct{}, s.size)
	}
	s.now[k] = struct{}{}
	return true
}

// Seen reports whether the event is remembered.
func (s *Set) Seen(project uint32, id umpire.ID) bool {
	k := key{project, id}
	if _, there := s.now[k]; there {
		return true
	}
	_, there := s.old[k]
	return there
}
