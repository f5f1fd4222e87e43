package mcpgo

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// asking knows which tools of a server have the argument of Options.AskIntent in
// what clients are shown. The tools themselves are never touched: clients are
// shown copies.
type asking struct {
	mu sync.Mutex
	m  map[string]asked // by tool name
	// vetoed are names under which a filter shows a tool that is not to have it.
	vetoed map[string]bool
}

type asked struct {
	tool mcp.Tool  // as the server holds it
	with *mcp.Tool // a copy with the argument; nil if it is not to have it
}

// maxAsked bounds what a server that makes up tools can have remembered.
const maxAsked = 2000

// copyOf returns a copy of t, which is as the server holds it, with the argument;
// or nil.
func (a *asking) copyOf(t mcp.Tool) *mcp.Tool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.vetoed[t.Name] {
		return nil
	}
	it, known := a.m[t.Name]
	if !known || !same(it.tool, t) {
		it = asked{t, withIntent(t)}
		if a.m == nil || !known && len(a.m) >= maxAsked {
			a.m = make(map[string]asked)
		}
		a.m[t.Name] = it
	}
	return it.with
}

func (a *asking) veto(tool string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.vetoed == nil || len(a.vetoed) >= maxAsked {
		a.vetoed = make(map[string]bool)
	}
	a.vetoed[tool] = true
}

// withIntent returns a copy of t whose schema has the argument, or nil.
func withIntent(t mcp.Tool) *mcp.Tool {
	schema, ok := adapter.AskIntent(define(t).InputSchema)
	if !ok {
		return nil
	}
	if t.RawInputSchema != nil {
		t.RawInputSchema = schema
		return &t
	}
	properties := make(map[string]any, len(t.InputSchema.Properties)+1)
	maps.Copy(properties, t.InputSchema.Properties)
	properties[adapter.IntentArgument] = map[string]any{"type": "string", "description": adapter.IntentAbout}
	t.InputSchema.Properties = properties
	return &t
}

// show puts into a list that is about to be sent what an option adds to it.
func (w *watcher) show(ctx context.Context, s *server.MCPServer, res *mcp.ListToolsResult) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if !w.intents.Asking() || res == nil {
		return
	}
	tools := slices.Clone(res.Tools)
	for i, t := range tools {
		if with := w.withArgument(ctx, s, t.Name); with != nil {
			if !same(t, w.held(ctx, s, t.Name)) { // a filter shows another
				if with = withIntent(t); with == nil {
					w.asking.veto(t.Name)
					continue
				}
			}
			tools[i].InputSchema, tools[i].RawInputSchema = with.InputSchema, with.RawInputSchema
		}
	}
	res.Tools = tools
}

func (w *watcher) held(ctx context.Context, s *server.MCPServer, tool string) mcp.Tool {
	t, _ := toolOf(ctx, s, tool)
	return t
}

// withArgument returns the tool that a call of that name runs with the argument, or
// nil. Tools that were added with AddTaskTool cannot be looked up, and have none.
func (w *watcher) withArgument(ctx context.Context, s *server.MCPServer, tool string) *mcp.Tool {
	if !w.intents.Asks(tool) {
		return nil
	}
	t, ok := toolOf(ctx, s, tool)
	if !ok || isMissingTool(t) {
		return nil
	}
	return w.asking.copyOf(t)
}

// intended takes the argument that Options.AskIntent put into the list out of a
// request, and returns the intent that the request tells. What the arguments came
// in is not changed: the request gets a copy.
func (w *watcher) intended(ctx context.Context, s *server.MCPServer, r *mcp.CallToolRequest) (told adapter.Told) {
	if w.intents == nil {
		return told
	}
	defer func() { _ = recover() }() // nothing of ours reaches the server
	given, _ := r.Params.Arguments.(map[string]any)
	if said, ok := given[adapter.IntentArgument]; ok && w.withArgument(ctx, s, r.Params.Name) != nil {
		told.Came = rawArguments(r)
		rest := maps.Clone(given)
		delete(rest, adapter.IntentArgument)
		if keepsArguments {
			raw := reflect.ValueOf(&r.Params).Elem().FieldByIndex(argumentsField.Index)
			if without, _, ok := adapter.TakeIntent(raw.Bytes()); ok {
				raw.SetBytes(without)
			}
		}
		r.Params.Arguments = rest
		told.Intent = adapter.Intent(said)
	}
	if told.Intent == "" && r.Params.Meta != nil {
		told.Intent = w.intents.FromMeta(r.Params.Name, r.Params.Meta.AdditionalFields)
	}
	return told
}

// offerMissingTool adds the tool of Options.MissingTool to s, unless it has one of
// that name. mcp-go answers no tool that it does not hold.
func (w *watcher) offerMissingTool(s *server.MCPServer) {
	defer func() { _ = recover() }() // mcp-go panics if there is a task tool of that name
	if w.hooks.MissingTool && s.GetTool(adapter.MissingTool) == nil {
		s.AddTool(missingTool(), answerMissing)
	}
}

func missingTool() mcp.Tool {
	t := mcp.NewToolWithRawSchema(adapter.MissingTool, adapter.MissingAbout, json.RawMessage(adapter.MissingSchema))
	yes, no := true, false
	t.Annotations = mcp.ToolAnnotation{ReadOnlyHint: &yes, IdempotentHint: &yes, DestructiveHint: &no, OpenWorldHint: &no}
	return t
}

func isMissingTool(t mcp.Tool) bool {
	return t.Name == adapter.MissingTool && t.Description == adapter.MissingAbout
}

// reports reports whether a call of that name is one of the tool of
// Options.MissingTool, which is no call of the server's.
func reports(ctx context.Context, s *server.MCPServer, tool string) bool {
	if tool != adapter.MissingTool {
		return false
	}
	t, ok := toolOf(ctx, s, tool)
	return ok && isMissingTool(t)
}

// answerMissing tells every client that watches the server and wants to know.
func answerMissing(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, w := range watched.Find(server.ServerFromContext(ctx)).all() {
		if w.hooks.MissingTool {
			w.report(ctx, &r)
		}
	}
	return mcp.NewToolResultText(adapter.MissingAnswer), nil
}

func (w *watcher) report(ctx context.Context, r *mcp.CallToolRequest) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	e := umpire.Event{StartedAt: time.Now(), Arguments: rawArguments(r)}
	e.Tool = r.Params.Name
	w.identify(&e, ctx, r.Params.Meta, r.Header)
	w.agree(&e, r, adapter.Told{})
	adapter.Reported(&e)
	w.client.Record(e)
}

func (w *watchers) all() []*watcher {
	if w == nil {
		return nil
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	return slices.Collect(maps.Values(w.m))
}
