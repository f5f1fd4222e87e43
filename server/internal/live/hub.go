package live

import (
	"sync"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

const (
	// Recent is how many of a project's last events a new watcher is shown.
	Recent = 50
	// buffered is how many events wait for a slow reader.
	buffered = 256
	// MaxWatchers is how many may watch at once.
	MaxWatchers = 200
)

// Hub hands events on. Its methods may be called from many goroutines.
type Hub struct {
	mu       sync.Mutex
	recent   map[uint32][]Event // oldest first, at most Recent
	watchers map[*Watcher]bool
}

// New returns a hub that nobody watches.
func New() *Hub {
	return &Hub{recent: map[uint32][]Event{}, watchers: map[*Watcher]bool{}}
}

// Applied takes a batch that the store took. It never waits for a reader, and of a
// long batch it looks at the end only: nobody is shown more.
func (h *Hub) Applied(batch []store.Entry) {
	n := map[uint32]int{}
	for i := range batch {
		n[batch[i].Project]++
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	events := map[uint32][]Event{}
	for i := range batch {
		p := batch[i].Project
		if n[p]--; n[p] < buffered {
			events[p] = append(events[p], ofEvent(&batch[i].Event))
		} else {
			h.skip(p)
		}
	}
	for p, list := range events {
		h.recent[p] = last(append(h.recent[p], list...), Recent)
		for w := range h.watchers {
			if w.project == p {
				w.add(list)
			}
		}
	}
}

// skip counts an event that no watcher is shown.
func (h *Hub) skip(project uint32) {
	for w := range h.watchers {
		if w.project == project {
			w.miss(1)
		}
	}
}

// last is the end of the list, in an array of its own.
func last(list []Event, n int) []Event {
	if len(list) <= n {
		return list
	}
	return append([]Event{}, list[len(list)-n:]...)
}

// Watch begins to watch a project, whose last events are the first to come; false if
// too many watch already. Whoever watches has to Close.
func (h *Hub) Watch(project uint32) (*Watcher, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.watchers) >= MaxWatchers {
		return nil, false
	}
	w := &Watcher{project: project, wake: make(chan struct{}, 1)}
	w.close = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, w)
	}
	h.watchers[w] = true
	w.add(h.recent[project])
	return w, true
}

// Forget drops the last events of a project, which was deleted, or from which
// somebody was erased.
func (h *Hub) Forget(project uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.recent, project)
}

// Watcher is one reader of a project's events.
type Watcher struct {
	project uint32
	wake    chan struct{}
	close   func()

	mu     sync.Mutex
	events []Event
	missed int64
}

func (w *Watcher) add(list []Event) {
	if len(list) == 0 {
		return
	}
	w.mu.Lock()
	w.events = append(w.events, list...)
	if over := len(w.events) - buffered; over > 0 {
		w.missed += int64(over)
		w.events = last(w.events, buffered)
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *Watcher) miss(n int64) {
	w.mu.Lock()
	w.missed += n
	w.mu.Unlock()
}

// Ready tells that there may be something to Take.
func (w *Watcher) Ready() <-chan struct{} { return w.wake }

// Take is what came since it was called last, oldest first, and how many events
// before these the reader missed because he was slow.
func (w *Watcher) Take() (events []Event, missed int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	events, missed = w.events, w.missed
	w.events, w.missed = nil, 0
	return events, missed
}

// Close ends the watch.
func (w *Watcher) Close() { w.close() }
