package gosdk

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

const (
	maxTools = 500 // of one catalog event (docs/wire.md)
	maxPages = 10  // of one listing
	// lists are described at most once in learnEvery, off every caller's path.
	learnEvery = time.Second
	// A server that shows each session other tools goes back and forth between
	// lists. Going back to one that was said before is said maxBack times in
	// backWithin.
	maxBack    = 10
	backWithin = 10 * time.Minute
	maxKept    = 64 // servers of a client, and lists of a server, that are remembered
	// A failing call waits for a list, but no longer than listWithin. A list that
	// took longer than slowList serves the failing calls of listBudget times as long.
	listWithin = time.Second
	slowList   = 10 * time.Millisecond
	listBudget = 100
	// readWithin ends a list that no call waits for.
	readWithin = 10 * time.Second
)

// catalogs holds what is known of each client's servers. It is kept with the
// client and not with the watcher, because servers are cheap: stateless HTTP
// servers are often made anew for each request.
var catalogs = weakTable[umpire.Client, catalogSet]{make: func(*umpire.Client) *catalogSet { return new(catalogSet) }}

type catalogSet struct {
	mu sync.Mutex
	m  map[umpire.Peer]*catalog
}

// named returns the catalog of server. The set is kept small by forgetting.
func (s *catalogSet) named(server umpire.Peer) *catalog {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.m[server]; c != nil {
		return c
	}
	if s.m == nil || len(s.m) >= maxKept {
		s.m = make(map[umpire.Peer]*catalog)
	}
	c := &catalog{server: server}
	s.m[server] = c
	return c
}

// catalog is what tools/list of one server said last.
type catalog struct {
	server umpire.Peer
	asked  atomic.Bool // a list was seen, or asked for
	// byName holds the definition hash of each tool, for call events.
	byName atomic.Pointer[map[string]string]

	mu      sync.Mutex
	known   map[string]described // by tool name
	last    []*mcp.Tool          // as listed
	learned time.Time            // when a list was last described
	pending bool                 // learn is going to run
	said    map[string]bool      // hashes of whole lists
	current string               // the one said last
	back    int                  // lists said again since backAt
	backAt  time.Time

	listed   []*mcp.Tool // the last list for a failing call, if it was slow; nil if none came
	listedAt time.Time
	listTook time.Duration
}

// described is a tool with its definition. A tool is not changed after it was
// added to a server, so the pointer is its identity.
type described struct {
	tool *mcp.Tool
	umpire.ToolDefinition
}

// definition returns the hash of the tool as it was last listed, if it was.
func (c *catalog) definition(tool string) string {
	if m := c.byName.Load(); m != nil {
		return (*m)[tool]
	}
	return ""
}

// mayList reports whether tool is among what was listed, or nothing was yet.
func (c *catalog) mayList(tool string) bool {
	m := c.byName.Load()
	if m == nil {
		return true
	}
	_, ok := (*m)[tool]
	return ok
}

// sawList takes note of a list that a client was given.
func (w *watcher) sawList(ctx context.Context, req mcp.Request, res mcp.Result, err error, next mcp.MethodHandler) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	list, ok := res.(*mcp.ListToolsResult)
	r, isList := req.(*mcp.ListToolsRequest)
	if err != nil || !ok || list == nil || !isList {
		return
	}
	cat := w.catalog.Load()
	if list.NextCursor == "" && (r.Params == nil || r.Params.Cursor == "") {
		cat.asked.Store(true)
		cat.offer(w.client, slices.Clone(list.Tools))
		return
	}
	if list.NextCursor == "" { // the last of several pages: read them all
		cat.asked.Store(true)
		go w.readList(question(ctx, r.Session, r.Extra, r.Params.Meta, next))
	}
}

// askForList reads the list once by itself, after the first call, for clients
// that know the tools from elsewhere.
func (w *watcher) askForList(ctx context.Context, r *mcp.CallToolRequest, next mcp.MethodHandler) {
	if cat := w.catalog.Load(); !cat.asked.Load() && cat.asked.CompareAndSwap(false, true) {
		go w.readList(question(ctx, r.Session, r.Extra, r.Params.Meta, next))
	}
}

// readList runs on a goroutine of its own.
func (w *watcher) readList(ask asker) {
	if tools, ok := ask(readWithin); ok {
		w.catalog.Load().offer(w.client, tools)
	}
}

// asker asks for all tools, for a while.
type asker func(limit time.Duration) (tools []*mcp.Tool, ok bool)

// question prepares to ask the chain behind this middleware for all tools, on
// behalf of a request. Nothing of it appears on the wire. That chain holds the
// server's own middleware: what it panics with is not ours to raise.
func question(ctx context.Context, ss *mcp.ServerSession, extra *mcp.RequestExtra, meta mcp.Meta, next mcp.MethodHandler) asker {
	ctx, meta = context.WithoutCancel(ctx), maps.Clone(meta)
	return func(limit time.Duration) (tools []*mcp.Tool, ok bool) {
		defer func() {
			if recover() != nil {
				tools, ok = nil, false
			}
		}()
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		cursor := ""
		for range maxPages {
			res, err := next(ctx, methodList, &mcp.ListToolsRequest{
				Session: ss, Params: &mcp.ListToolsParams{Meta: meta, Cursor: cursor}, Extra: extra,
			})
			page, isList := res.(*mcp.ListToolsResult)
			if err != nil || !isList || page == nil {
				return nil, false
			}
			tools = append(tools, page.Tools...)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		return tools, true
	}
}

// lookUp fills in what the judgement of a failing call needs, and of an ok one
// whose tool no list holds: the names there are, and for the failing one the
// tool's declared schema.
func (w *watcher) lookUp(c *call, r *mcp.CallToolRequest, next mcp.MethodHandler, failing bool) {
	cat := w.catalog.Load()
	tools, ok := cat.cheapList()
	if ok && !failing {
		return // only a fresh list may say that a tool is in none
	}
	if !ok {
		tools, ok = cat.freshList(question(c.ctx, r.Session, r.Extra, r.Params.Meta, next))
		if ok {
			cat.asked.Store(true)
			cat.offer(w.client, tools)
		}
	}
	if tools == nil {
		return
	}
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		if t == nil {
			continue
		}
		names = append(names, t.Name)
		if failing && t.Name == c.event.Tool {
			c.obs.Schema = cat.describe(t).InputSchema
		}
	}
	c.obs.Listed = names
}

// freshList asks, and waits for a short time only: a call is waiting.
func (c *catalog) freshList(ask asker) (tools []*mcp.Tool, ok bool) {
	start := time.Now()
	answer := make(chan []*mcp.Tool, 1)
	go func() {
		tools, ok := ask(listWithin)
		if ok && tools == nil {
			tools = []*mcp.Tool{}
		}
		answer <- tools
	}()
	limit := time.NewTimer(listWithin)
	defer limit.Stop()
	select {
	case tools = <-answer:
	case <-limit.C:
	}
	c.noteList(tools, time.Since(start))
	return tools, tools != nil
}

// cheapList returns the last listing while a new one would cost too much.
func (c *catalog) cheapList() ([]*mcp.Tool, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listTook > slowList && time.Since(c.listedAt) < listBudget*c.listTook {
		return c.listed, true
	}
	return nil, false
}

func (c *catalog) noteList(tools []*mcp.Tool, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listed, c.listedAt, c.listTook = nil, time.Now(), took
	if took > slowList {
		c.listed = tools
	}
}

// describe returns the definition of t, made once for each tool that is added.
func (c *catalog) describe(t *mcp.Tool) umpire.ToolDefinition {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.known[t.Name]; ok && d.tool == t {
		return d.ToolDefinition
	}
	d := define(t)
	if c.known == nil || len(c.known) >= 4*maxTools {
		c.known = make(map[string]described)
	}
	c.known[t.Name] = described{t, d}
	return d
}

// offer notes a complete list. If it differs from the last one it is described
// and said, on a goroutine of its own.
func (c *catalog) offer(client *umpire.Client, tools []*mcp.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && slices.Equal(c.last, tools) {
		return
	}
	c.last = tools
	if !c.pending {
		c.pending = true
		time.AfterFunc(max(0, learnEvery-time.Since(c.learned)), func() { c.learn(client) })
	}
}

// learn describes the last list and records it if it is news.
func (c *catalog) learn(client *umpire.Client) {
	defer func() { _ = recover() }() // a schema's own marshaller may panic
	c.mu.Lock()
	c.pending, c.learned = false, time.Now()
	tools := c.last
	c.mu.Unlock()

	event := umpire.Event{Kind: "catalog", StartedAt: time.Now(), Server: c.server, SeenBy: "sdk"}
	names := map[string]string{}
	if old := c.byName.Load(); old != nil && len(*old) < 4*maxTools {
		maps.Copy(names, *old)
	}
	whole := sha256.New()
	for _, t := range tools {
		if t == nil {
			continue
		}
		d := c.describe(t)
		names[d.Name] = d.Definition
		whole.Write([]byte(d.Definition))
		if len(event.Tools) < maxTools {
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
func (c *catalog) isNews(list string) bool {
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

// define describes t as tools/list shows it.
func define(t *mcp.Tool) umpire.ToolDefinition {
	d := umpire.ToolDefinition{Name: t.Name, Title: t.Title, Description: t.Description}
	d.InputSchema, _ = json.Marshal(t.InputSchema)
	if t.Annotations != nil {
		d.Annotations, _ = json.Marshal(t.Annotations)
	}
	if whole, err := json.Marshal(t); err == nil {
		d.Bytes = len(whole)
	}
	d.Definition = d.Hash()
	return d
}
