package gosdk

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// asking knows which tools of a server have the argument of Options.AskIntent in
// what clients are shown. The tools themselves are never touched: clients are
// shown copies.
type asking struct {
	mu sync.RWMutex
	m  map[string]asked // by tool name
}

type asked struct {
	tool  *mcp.Tool
	shown *mcp.Tool // a copy with the argument; nil if the tool is not to have it
	at    time.Time // when the tool was last listed
	// mixed: tools of that name were seen with it and without, as some servers show
	// each session other ones.
	mixed bool
}

const (
	maxAsked = 2000
	// listServes is how long a list says whether a call's argument is ours. Whoever
	// gets to know another tool under the name asks for a list here, and so it is
	// known here, too; unless another process of the server gave him the list.
	listServes = time.Second
)

// copyOf returns what clients are shown in place of t, or nil for t itself.
func (a *asking) copyOf(t *mcp.Tool) *mcp.Tool {
	a.mu.Lock()
	defer a.mu.Unlock()
	old, known := a.m[t.Name]
	next := old
	if !known || old.tool != t {
		next = asked{tool: t, shown: withIntent(t)}
		next.mixed = known && (old.mixed || (old.shown == nil) != (next.shown == nil))
	}
	next.at = time.Now()
	if a.m == nil || !known && len(a.m) >= maxAsked {
		a.m = make(map[string]asked)
	}
	a.m[t.Name] = next
	return next.shown
}

// lately reports whether the tool of that name has the argument, if that is known.
func (a *asking) lately(tool string) (has, known bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	it, ok := a.m[tool]
	return it.shown != nil, ok && !it.mixed && time.Since(it.at) < listServes
}

// withIntent returns a copy of t whose schema has the argument, or nil.
func withIntent(t *mcp.Tool) *mcp.Tool {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil
	}
	schema, ok := adapter.AskIntent(schema)
	if !ok {
		return nil
	}
	shown := *t
	shown.InputSchema = json.RawMessage(schema)
	return &shown
}

// shown returns the list as the client gets it: res itself, unless an option adds
// something to it.
func (w *watcher) shown(ctx context.Context, req mcp.Request, res mcp.Result, err error, next mcp.MethodHandler) (list mcp.Result) {
	if !w.intents.Asking() && !w.hooks.MissingTool {
		return res
	}
	list = res
	defer func() {
		if recover() != nil { // a schema's own marshaller may panic
			list = res
		}
	}()
	said, ok := res.(*mcp.ListToolsResult)
	r, isList := req.(*mcp.ListToolsRequest)
	if err != nil || !ok || said == nil || !isList {
		return res
	}
	whole := *said
	whole.Tools = slices.Clone(said.Tools)
	for i, t := range whole.Tools {
		if t == nil || t == missingTool || !w.intents.Asks(t.Name) {
			continue
		}
		if with := w.asking.copyOf(t); with != nil {
			whole.Tools[i] = with
		}
	}
	if w.hooks.MissingTool && said.NextCursor == "" {
		all, ok := said.Tools, true
		if r.Params != nil && r.Params.Cursor != "" { // the last of several pages
			all, ok = question(ctx, r.Session, r.Extra, r.Params.Meta, next)(listWithin)
		}
		if ok && find(all, adapter.MissingTool) == nil {
			whole.Tools = append(whole.Tools, missingTool)
		}
	}
	return &whole
}

func find(tools []*mcp.Tool, name string) *mcp.Tool {
	for _, t := range tools {
		if t != nil && t.Name == name {
			return t
		}
	}
	return nil
}

// intended returns the request of a call as the server gets it, without the
// argument that Options.AskIntent put into the list, and the intent that it tells.
// The request that came is not changed.
func (w *watcher) intended(ctx context.Context, r *mcp.CallToolRequest, next mcp.MethodHandler) (req *mcp.CallToolRequest, told adapter.Told) {
	if w.intents == nil || r.Params == nil {
		return r, adapter.Told{}
	}
	defer func() {
		if recover() != nil {
			req, told = r, adapter.Told{}
		}
	}()
	req = r
	if w.intents.Asks(r.Params.Name) {
		if rest, said, ok := adapter.TakeIntent(r.Params.Arguments); ok && w.asksOf(ctx, r, next) {
			params := *r.Params
			params.Arguments = rest
			req = &mcp.CallToolRequest{Session: r.Session, Params: &params, Extra: r.Extra}
			told = adapter.Told{Intent: said, Came: r.Params.Arguments}
		}
	}
	if told.Intent == "" {
		told.Intent = w.intents.FromMeta(r.Params.Name, r.Params.Meta)
	}
	return req, told
}

// asksOf reports whether the tool of a call has the argument, by the last list if
// that is fresh, else by a new one.
func (w *watcher) asksOf(ctx context.Context, r *mcp.CallToolRequest, next mcp.MethodHandler) bool {
	has, known := w.asking.lately(r.Params.Name)
	if known {
		return has
	}
	tools, ok := w.allTools(ctx, r, next)
	if !ok {
		return has
	}
	t := find(tools, r.Params.Name)
	return t != nil && w.asking.copyOf(t) != nil
}

// allTools asks the server's own chain for its tools, for a call that waits.
func (w *watcher) allTools(ctx context.Context, r *mcp.CallToolRequest, next mcp.MethodHandler) (tools []*mcp.Tool, ok bool) {
	last := w.catalog.Load().last
	if tools, ok = last.cheap(); ok {
		return tools, tools != nil
	}
	return last.fresh(question(ctx, r.Session, r.Extra, r.Params.Meta, next))
}

// missingTool is what Options.MissingTool shows. It is shared, and never changed.
var missingTool = &mcp.Tool{
	Name:        adapter.MissingTool,
	Description: adapter.MissingAbout,
	InputSchema: json.RawMessage(adapter.MissingSchema),
	Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)},
}

// callOrReport answers a call of the tool of Options.MissingTool by itself and
// takes note of what it says. Any other is a call, also of a tool of that name that
// the server has itself.
func (w *watcher) callOrReport(ctx context.Context, r *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	if !w.hooks.MissingTool || r.Params == nil || r.Params.Name != adapter.MissingTool {
		return w.call(ctx, r, next)
	}
	tools, ok := w.allTools(ctx, r, next)
	switch find(tools, adapter.MissingTool) {
	case nil:
		if ok {
			return missingAnswer(w.report(ctx, r)), nil
		}
	case missingTool: // of another client's watcher, which wants to know, too
		w.report(ctx, r)
		return next(ctx, methodCall, r)
	}
	return w.call(ctx, r, next)
}

// report records what a model says that it did not find, and returns the protocol
// that its client speaks.
func (w *watcher) report(ctx context.Context, r *mcp.CallToolRequest) (protocol string) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	e := umpire.Event{StartedAt: time.Now(), Arguments: r.Params.Arguments}
	e.Tool = r.Params.Name
	w.identify(&e, ctx, r)
	w.agree(&e, r, adapter.Told{})
	adapter.Reported(&e)
	w.client.Record(e)
	return e.Protocol
}

func missingAnswer(protocol string) *mcp.CallToolResult {
	answer := new(mcp.CallToolResult)
	answer.Content = []mcp.Content{&mcp.TextContent{Text: adapter.MissingAnswer}}
	if protocol >= adapter.PerRequest {
		complete(answer)
	}
	return answer
}
