package gosdk

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

const (
	maxPages = 10 // of one listing
	// A failing call waits for a list, but no longer than listWithin. A list that
	// took longer than slowList serves the failing calls of listBudget times as long.
	listWithin = time.Second
	slowList   = 10 * time.Millisecond
	listBudget = 100
	// readWithin ends a list that no call waits for.
	readWithin = 10 * time.Second
)

// catalogs holds what is known of each client's servers. A tool is not changed
// after it was added to a server, so its pointer is its identity.
var catalogs = adapter.Catalogs[*mcp.Tool]{
	Name:   func(t *mcp.Tool) string { return t.Name },
	Define: define,
	Same:   func(a, b *mcp.Tool) bool { return a == b },
}

// lastLists holds the last list of each catalog, as long as it is too dear to be
// asked for again.
var lastLists adapter.Table[adapter.Catalog[*mcp.Tool], lastList]

// catalog is what tools/list of one server said last.
type catalog struct {
	*adapter.Catalog[*mcp.Tool]
	last *lastList
}

func newCatalog(client *umpire.Client, server umpire.Peer) *catalog {
	c := catalogs.Of(client, server)
	return &catalog{c, lastLists.Of(c)}
}

type lastList struct {
	mu     sync.Mutex
	listed []*mcp.Tool // the last list for a failing call, if it was slow; nil if none came
	at     time.Time
	took   time.Duration
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
		cat.Asked()
		cat.Offer(w.client, present(list.Tools))
		return
	}
	if list.NextCursor == "" { // the last of several pages: read them all
		cat.Asked()
		go w.readList(question(ctx, r.Session, r.Extra, r.Params.Meta, next))
	}
}

// askForList reads the list once by itself, after the first call, for clients
// that know the tools from elsewhere.
func (w *watcher) askForList(ctx context.Context, r *mcp.CallToolRequest, next mcp.MethodHandler) {
	if w.catalog.Load().Ask() {
		go w.readList(question(ctx, r.Session, r.Extra, r.Params.Meta, next))
	}
}

// readList runs on a goroutine of its own.
func (w *watcher) readList(ask asker) {
	if tools, ok := ask(readWithin); ok {
		w.catalog.Load().Offer(w.client, present(tools))
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
	tools, ok := cat.last.cheap()
	if ok && !failing {
		return // only a fresh list may say that a tool is in none
	}
	if !ok {
		tools, ok = cat.last.fresh(question(c.ctx, r.Session, r.Extra, r.Params.Meta, next))
		if ok {
			cat.Asked()
			cat.Offer(w.client, present(tools))
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
			c.obs.Schema = cat.Describe(t).InputSchema
		}
	}
	c.obs.Listed = names
}

// fresh asks, and waits for a short time only: a call is waiting.
func (l *lastList) fresh(ask asker) (tools []*mcp.Tool, ok bool) {
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
	l.note(tools, time.Since(start))
	return tools, tools != nil
}

// cheap returns the last listing while a new one would cost too much.
func (l *lastList) cheap() ([]*mcp.Tool, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.took > slowList && time.Since(l.at) < listBudget*l.took {
		return l.listed, true
	}
	return nil, false
}

func (l *lastList) note(tools []*mcp.Tool, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listed, l.at, l.took = nil, time.Now(), took
	if took > slowList {
		l.listed = tools
	}
}

// present leaves out what is no tool.
func present(tools []*mcp.Tool) []*mcp.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t *mcp.Tool) bool { return t == nil })
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
