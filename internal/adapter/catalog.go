package adapter

import (
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
)

const (
	// MaxTools bounds the tools of one catalog event (docs/wire.md).
	MaxTools = 500
	// Lists are described at most once in learnEvery, off every caller's path.
	learnEvery = time.Second
	// A server that shows each session other tools goes back and forth between
	// lists. Going back to one that was said before is said maxBack times in
	// backWithin.
	maxBack    = 10
	backWithin = 10 * time.Minute
	maxKept    = 64 // servers of a client, and lists of a server, that are remembered
)

// Catalogs holds what is known of each client's servers, whose tools are of the
// SDK's type T. It is kept with the client and not with the server that is
// watched, because servers are cheap: stateless HTTP servers are often made anew
// for each request.
type Catalogs[T any] struct {
	// Name is the tool's name, Define its definition as tools/list shows it.
	Name   func(T) string
	Define func(T) umpire.ToolDefinition
	// Same reports whether two tools are one, without looking at them closely: a
	// tool is not changed after it was added to a server. A wrong no costs only
	// the work of describing the tool again.
	Same func(a, b T) bool

	sets Table[umpire.Client, catalogSet[T]]
}

type catalogSet[T any] struct {
	mu sync.Mutex
	m  map[umpire.Peer]*Catalog[T]
}

// Of returns what client knows of server. It is kept small by forgetting.
func (cs *Catalogs[T]) Of(client *umpire.Client, server umpire.Peer) *Catalog[T] {
	set := cs.sets.Of(client)
	set.mu.Lock()
	defer set.mu.Unlock()
	if c := set.m[server]; c != nil {
		return c
	}
	if set.m == nil || len(set.m) >= maxKept {
		set.m = make(map[umpire.Peer]*Catalog[T])
	}
	c := &Catalog[T]{of: cs, server: server}
	set.m[server] = c
	return c
}

// Catalog is what tools/list of one server said last.
type Catalog[T any] struct {
	of     *Catalogs[T]
	server umpire.Peer
	asked  atomic.Bool // a list was seen, or asked for
	// byName holds the definition hash of each tool, for call events.
	byName atomic.Pointer[map[string]string]

	mu      sync.Mutex
	known   map[string]described[T] // by tool name
	last    []T                     // as listed
	learned time.Time               // when a list was last described
	pending bool                    // learn is going to run
	said    map[string]bool         // hashes of whole lists
	current string                  // the one said last
	back    int                     // lists said again since backAt
	backAt  time.Time
}

// described is a tool with its definition.
type described[T any] struct {
	tool T
	umpire.ToolDefinition
}

// Ask reports, once, that nobody has asked for a list yet.
func (c *Catalog[T]) Ask() bool {
	return !c.asked.Load() && c.asked.CompareAndSwap(false, true)
}

// Asked takes note that a list was seen.
func (c *Catalog[T]) Asked() { c.asked.Store(true) }

// Definition returns the hash of the tool as it was last listed, if it was.
func (c *Catalog[T]) Definition(tool string) string {
	if m := c.byName.Load(); m != nil {
		return (*m)[tool]
	}
	return ""
}

// MayList reports whether tool is among what was listed, or nothing was yet.
func (c *Catalog[T]) MayList(tool string) bool {
	m := c.byName.Load()
	if m == nil {
		return true
	}
	_, ok := (*m)[tool]
	return ok
}

// Described returns what Describe last said of the tool with that name.
func (c *Catalog[T]) Described(tool string) (umpire.ToolDefinition, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.known[tool]
	return d.ToolDefinition, ok
}

// Describe returns the definition of t, made once for each tool that is added.
func (c *Catalog[T]) Describe(t T) umpire.ToolDefinition {
	name := c.of.Name(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.known[name]; ok && c.of.Same(d.tool, t) {
		return d.ToolDefinition
	}
	d := c.of.Define(t)
	if c.known == nil || len(c.known) >= 4*MaxTools {
		c.known = make(map[string]described[T])
	}
	c.known[name] = described[T]{t, d}
	return d
}

// Offer notes a complete list. If it differs from the last one it is described
// and said, on a goroutine of its own.
func (c *Catalog[T]) Offer(client *umpire.Client, tools []T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && slices.EqualFunc(c.last, tools, c.of.Same) {
		return
	}
	c.last = tools
	if !c.pending {
		c.pending = true
		time.AfterFunc(max(0, learnEvery-time.Since(c.learned)), func() { c.learn(client) })
	}
}

// learn describes the last list and records it if it is news.
func (c *Catalog[T]) learn(client *umpire.Client) {
	defer func() { _ = recover() }() // a schema's own marshaller may panic
	c.mu.Lock()
	c.pending, c.learned = false, time.Now()
	tools := c.last
	c.mu.Unlock()

	event := umpire.Event{Kind: "catalog", StartedAt: time.Now(), Server: c.server, SeenBy: "sdk"}
	names := map[string]string{}
	if old := c.byName.Load(); old != nil && len(*old) < 4*MaxTools {
		maps.Copy(names, *old)
	}
	whole := sha256.New()
	for _, t := range tools {
		d := c.Describe(t)
		names[d.Name] = d.Definition
		whole.Write([]byte(d.Definition))
		if len(event.Tools) < MaxTools {
			event.Tools = append(event.Tools, d)
		}
	}
	c.byName.Store(&names)
	if c.isNews(string(whole.Sum(nil))) {
		client.Record(event)
	}
}

// isNews reports whether a list is to be said, and notes that it was. One that
// is held back is looked at again when it is next seen.
func (c *Catalog[T]) isNews(list string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.said[list] {
		if c.said == nil || len(c.said) >= maxKept {
			c.said = make(map[string]bool)
		}
		c.said[list] = true
		c.current = list
		return true
	}
	if c.current == list {
		return false
	}
	if time.Since(c.backAt) > backWithin {
		c.back, c.backAt = 0, time.Now()
	}
	if c.back == maxBack {
		c.last = nil
		return false
	}
	c.back++
	c.current = list
	return true
}
