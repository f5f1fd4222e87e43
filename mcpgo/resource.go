package mcpgo

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// What is read is no call, and is recorded beside the calls under a kind of its
// own. It is watched as a call is, by hooks and a middleware that find each other
// through a mark in the request.

// reading is what a call has that is none: a resource or prompt.
type reading struct {
	asked  string         // in the words of its client: only to be taken out of texts
	given  map[string]any // the arguments that the client sent with a resources/read
	listed bool           // the server has it
}

func (l listener) addReads(hooks *server.Hooks) {
	hooks.AddBeforeReadResource(func(ctx context.Context, _ any, r *mcp.ReadResourceRequest) {
		if w, _ := l.watcher(ctx); w != nil {
			w.readArrived(ctx, r)
		}
	})
	hooks.AddAfterReadResource(func(ctx context.Context, _ any, r *mcp.ReadResourceRequest, res *mcp.ReadResourceResult) {
		if w, s := l.watcher(ctx); w != nil {
			w.readAnswered(s, &r.Request, res)
		}
	})
	hooks.AddBeforeGetPrompt(func(ctx context.Context, _ any, r *mcp.GetPromptRequest) {
		if w, _ := l.watcher(ctx); w != nil {
			w.promptArrived(ctx, r)
		}
	})
	hooks.AddAfterGetPrompt(func(ctx context.Context, _ any, r *mcp.GetPromptRequest, res *mcp.GetPromptResult) {
		if w, s := l.watcher(ctx); w != nil {
			w.readAnswered(s, &r.Request, res)
		}
	})
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
		if method != mcp.MethodResourcesRead && method != mcp.MethodPromptsGet {
			return
		}
		if w, s := l.watcher(ctx); w != nil {
			w.readFailed(ctx, s, message, err)
		}
	})
}

// readArrived and promptArrived open the books on a request. If our own code
// fails, or the owner wants it so, the request goes unwatched.
func (w *watcher) readArrived(ctx context.Context, r *mcp.ReadResourceRequest) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if w.hooks.NoResources || w.callOf(r.Request.Params.Meta) != nil {
		return
	}
	c := w.beginResource(ctx, r)
	c.mark.ProgressToken, c.behind = c, r.Request.Params.Meta
	r.Request.Params.Meta = &c.mark
}

func (w *watcher) promptArrived(ctx context.Context, r *mcp.GetPromptRequest) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if w.hooks.NoResources || w.callOf(r.Request.Params.Meta) != nil {
		return
	}
	c := w.beginPrompt(ctx, r)
	c.mark.ProgressToken, c.behind = c, r.Request.Params.Meta
	r.Request.Params.Meta = &c.mark
}

func (w *watcher) beginResource(ctx context.Context, r *mcp.ReadResourceRequest) *call {
	c := &call{watcher: w, ctx: ctx}
	c.event.Kind, c.asked, c.given = "resource", r.Params.URI, r.Params.Arguments
	w.identify(&c.event, ctx, metaOf(&r.Params), r.Header)
	return w.beginRead(c)
}

func (w *watcher) beginPrompt(ctx context.Context, r *mcp.GetPromptRequest) *call {
	c := &call{watcher: w, ctx: ctx}
	c.event.Kind, c.asked = "prompt", r.Params.Name
	w.identify(&c.event, ctx, metaOf(&r.Params), r.Header)
	return w.beginRead(c)
}

func (w *watcher) beginRead(c *call) *call {
	c.event.StartedAt = time.Now()
	if w.ids != nil && c.event.Transport == "stdio" {
		c.event.ID = w.ids.NextRead(c.event.Kind, c.asked) // as in begin
	}
	w.name(c, nil)
	c.noted = w.client.Begin(&c.event)
	w.open.enter(c)
	return c
}

// metaOf returns the _meta of parameters, in the versions of the SDK that keep it.
func metaOf(params any) *mcp.Meta {
	field := reflect.ValueOf(params).Elem().FieldByName("Meta")
	if !field.IsValid() {
		return nil
	}
	meta, _ := field.Interface().(*mcp.Meta)
	return meta
}

// readMiddleware and promptMiddleware are what Watch adds around every handler.
func (w *watcher) readMiddleware(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
	return func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		c := w.callOf(r.Request.Params.Meta)
		if c == nil {
			return next(ctx, r)
		}
		return handleRead(ctx, c, func(ctx context.Context) ([]mcp.ResourceContents, error) { return next(ctx, r) }, func() string {
			return w.served(c, r.Params.Arguments)
		})
	}
}

func (w *watcher) promptMiddleware(next server.PromptHandlerFunc) server.PromptHandlerFunc {
	return func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		c := w.callOf(r.Request.Params.Meta)
		if c == nil {
			return next(ctx, r)
		}
		return handleRead(ctx, c, func(ctx context.Context) (*mcp.GetPromptResult, error) { return next(ctx, r) }, func() string {
			w.registry.Load().HasPrompt(c.asked)
			return c.asked
		})
	}
}

// handleRead runs the handler of c, which the server has by a name. Its result,
// its error and its panic go on as they are (outcomes.md 2.9).
func handleRead[R any](ctx context.Context, c *call, next func(context.Context) (R, error), name func() string) (res R, err error) {
	w := c.watcher
	ctx = c.enterRead(ctx, name)
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover() // nil for runtime.Goexit
		w.died(c, value)
		if value == nil {
			return
		}
		if w.recovers {
			err = errInternal
			return
		}
		panic(value)
	}()
	res, err = next(ctx)
	returned = true
	c.leave(nil, err)
	return res, err
}

var errInternal = errors.New("internal error")

// enterRead gives c its name, which the server knows it by, and returns the
// context in which the handler runs.
func (c *call) enterRead(ctx context.Context, name func() string) context.Context {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if entered, _, _, _ := c.seen(); entered == 0 {
		c.watcher.name(c, name)
	}
	return c.enter(ctx)
}

// name gives c the name that the server gave to what was asked for, or that of
// an unknown one. served is nil until the server was seen to serve it.
func (w *watcher) name(c *call, served func() string) {
	known, e := w.registry.Load(), &c.event
	name := ""
	switch {
	case served != nil:
		name = served()
	case e.Kind == "resource":
		name, _ = known.Resource(c.asked)
	case known.Prompt(c.asked):
		name = c.asked
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listed = name != ""
	c.obs.Kind, c.obs.Address, e.Tool = e.Kind, c.asked, name
	switch {
	case c.listed && e.Kind == "prompt":
		c.obs.Address = ""
	case c.listed:
	case e.Kind == "prompt":
		e.Tool = adapter.UnknownPrompt
	default:
		e.Tool = known.Stranger(c.asked)
	}
}

// readAnswered is told of a result, which is about to be sent.
func (w *watcher) readAnswered(s *server.MCPServer, r *mcp.Request, res any) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if c := w.callOf(r.Params.Meta); c != nil {
		c.unmarkRead(r)
		w.finishRead(s, c, res, nil)
	}
}

// readFailed is told of a JSON-RPC error, which is about to be sent. One about a
// server without resources or prompts tells of nothing that could be read.
func (w *watcher) readFailed(ctx context.Context, s *server.MCPServer, message any, err error) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if err == nil || w.hooks.NoResources || errors.Is(err, server.ErrUnsupported) {
		return
	}
	var c *call
	switch r := message.(type) {
	case *mcp.ReadResourceRequest:
		if c = w.callOf(r.Request.Params.Meta); c == nil { // refused before it was looked at
			c = w.beginResource(ctx, &mcp.ReadResourceRequest{Header: r.Header})
		} else {
			c.unmarkRead(&r.Request)
		}
	case *mcp.GetPromptRequest:
		if c = w.callOf(r.Request.Params.Meta); c == nil {
			c = w.beginPrompt(ctx, &mcp.GetPromptRequest{Header: r.Header})
		} else {
			c.unmarkRead(&r.Request)
		}
	default:
		return
	}
	w.finishRead(s, c, nil, err)
}

// unmarkRead leaves the request as it came, as far as nobody else marked it since.
func (c *call) unmarkRead(r *mcp.Request) {
	if r.Params.Meta == &c.mark {
		r.Params.Meta = c.behind
	}
}

// finishRead judges a request that was answered, and records it.
func (w *watcher) finishRead(s *server.MCPServer, c *call, res any, err error) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	switch w.open.answer(c, err) {
	case elsewhere:
		return
	case cutOff:
		w.silent(c, "no_reply")
		return
	}
	c.event.DurationUS = &c.took
	rpc := rpcError(err)
	if isRefusedBefore(rpc) {
		w.client.End(c.noted)
		return
	}
	w.lookUpRead(s, c)
	size, nothing := readBytes(res)
	if rpc != nil && rpc.Code == codeURLElicitation || err == nil && !nothing && needsInput(res) {
		adapter.AskBack(&c.event)
		w.record(c)
		return
	}
	observeRead(c, nothing, err, rpc)
	if err == nil && !nothing {
		c.response = size
		c.event.ResponseBytes = &c.response
	}
	w.judge(c)
	w.record(c)
	if err == nil && nothing && !survives() {
		w.flush() // older versions read from the missing result as soon as we return
	}
}

// observeRead puts into c.obs how the request was answered, and what was seen of
// its handler.
func observeRead(c *call, nothing bool, err error, rpc *umpire.RPCError) {
	o := &c.obs
	c.observed()
	entered, _, _, _ := c.seen()
	if entered > 0 {
		o.Ran = "yes"
	}
	switch {
	case err == nil:
		o.NoResult = nothing
	case rpc == nil:
		o.Err = err
	case rpc.Code != codeInternal: // the SDK's own refusals
		o.RPC = rpc
		if entered == 0 {
			o.Ran = "no"
		}
	case strings.HasPrefix(rpc.Message, "panic recovered in "+c.asked+" resource handler: ") && plain(cause(err)):
		o.RPC, o.Ran = rpc, "yes" // by server.WithResourceRecovery, within what we see
	case c.event.Kind == "prompt" && strings.HasSuffix(rpc.Message, "returned no result") && strings.Contains(rpc.Message, c.asked):
		o.NoResult = true
	default:
		o.Err = cause(err)
	}
}

// readBytes is the size of what was read: texts and data.
func readBytes(res any) (n int64, nothing bool) {
	switch r := res.(type) {
	case *mcp.ReadResourceResult:
		if r == nil {
			return 0, true
		}
		for _, c := range r.Contents {
			n += int64(contentsBytes(c))
		}
	case *mcp.GetPromptResult:
		if r == nil {
			return 0, true
		}
		for _, m := range r.Messages {
			n += int64(contentBytes(m.Content))
		}
	case nil:
		return 0, true
	}
	return n, false
}
