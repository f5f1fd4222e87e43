package gosdk

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// AddTool is mcp.AddTool for servers that Watch watches, now or later: the same
// tool with the same answers, to the byte. The SDK checks and decodes the
// arguments of a typed tool where no middleware sees it, so Watch has to derive
// whether the handler ran (outcomes.md 2.2). For a tool that was added in this
// way it knows: handler_ran is what happened, also under middleware of the
// server's own that answers in a tool's place, and an error with which a type
// refuses to be decoded (UnmarshalJSON, UnmarshalText) is bad_args and no longer
// taken for the tool's.
//
// A name that is given to another tool later, by mcp.AddTool or Server.AddTool,
// is to be removed first with Server.RemoveTools, or that tool is taken for this
// one until its first good answer.
func AddTool[In, Out any](s *mcp.Server, t *mcp.Tool, h mcp.ToolHandlerFor[In, Out]) {
	mcp.AddTool(s, t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		enter(ctx)
		return h(ctx, req, in)
	})
	marked.Of(s).add(t.Name, &markedTool{refuses: refuses[In]})
}

// marked holds the tools of each server that tell when their handler is entered.
var marked adapter.Table[mcp.Server, markedTools]

type markedTools struct {
	any atomic.Bool // most servers have none, and pay no lock

	mu sync.RWMutex
	m  map[string]*markedTool
}

type markedTool struct {
	refuses func(arguments []byte) bool
	// doubted is set by a good answer that did not come from the handler. It may
	// be that of another tool that has the name now, so nothing is known any more.
	doubted atomic.Bool
}

func (m *markedTools) add(name string, t *markedTool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = make(map[string]*markedTool)
	}
	m.m[name] = t
	m.any.Store(true)
}

// find returns the tool, or nil if nothing is known of it.
func (m *markedTools) find(name string) *markedTool {
	if !m.any.Load() {
		return nil
	}
	m.mu.RLock()
	t := m.m[name]
	m.mu.RUnlock()
	if t == nil || t.doubted.Load() {
		return nil
	}
	return t
}

// refuses reports whether arguments do not fit In.
func refuses[In any](arguments []byte) (does bool) {
	defer func() {
		if recover() != nil { // in a method of In
			does = false
		}
	}()
	return len(arguments) > 0 && json.Unmarshal(arguments, new(In)) != nil
}

// door is the context of one call of a marked tool. Its handler leaves word in
// it on entering. It belongs to the one call, and is never reused: a handler may
// be entered when nobody waits for it any more.
type door struct {
	context.Context
	tool    *markedTool
	client  *umpire.Client
	noted   uint64 // the call, as Client.Begin numbered it
	entered atomic.Bool
}

type doorKey struct{}

func (d *door) Value(key any) any {
	if _, is := key.(doorKey); is {
		return d
	}
	return d.Context.Value(key)
}

// enter leaves word in every door of ctx: each watcher has its own.
func enter(ctx context.Context) {
	defer func() { _ = recover() }() // from a context of somebody else's
	for d, _ := ctx.Value(doorKey{}).(*door); d != nil; d, _ = d.Context.Value(doorKey{}).(*door) {
		d.entered.Store(true)
		d.client.Entered(d.noted)
	}
}

// newDoor returns nil for a tool that is not marked.
func (m *markedTools) newDoor(ctx context.Context, tool string) *door {
	t := m.find(tool)
	if t == nil {
		return nil
	}
	return &door{Context: ctx, tool: t}
}

// within is the context for the handler.
func (d *door) within(ctx context.Context) context.Context {
	if d == nil {
		return ctx
	}
	return d
}

// ran is what the door knows, and otherwise what was derived.
func (d *door) ran(derived string) string {
	switch {
	case d == nil:
		return derived
	case d.entered.Load():
		return "yes"
	default:
		return "no"
	}
}

// correct puts what the door of c knows in place of what observe derived.
func (d *door) correct(c *call) {
	o := &c.obs
	if d == nil {
		return
	}
	if answered := o.Err == nil && o.RPC == nil && !o.NoResult && !o.IsError; answered && !d.entered.Load() {
		d.tool.doubted.Store(true)
		return
	}
	if o.Ran = d.ran(o.Ran); o.Ran == "yes" || !o.Shown {
		return
	}
	switch {
	case refusedArguments(o.Err):
		o.Refused = "schema"
	case undecodable(o.Err, o.Arguments) || d.tool.refuses(o.Arguments):
		o.Refused = "decode"
	}
}
