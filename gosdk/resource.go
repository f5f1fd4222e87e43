package gosdk

import (
	"context"
	"reflect"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// What is read is no call, and is recorded beside the calls under a kind of its
// own.
const (
	methodRead   = "resources/read"
	methodPrompt = "prompts/get"
)

// read runs one resources/read or prompts/get. As with a call, its result, its
// error and a panic reach the caller as they are (outcomes.md 2.9).
func (w *watcher) read(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (res mcp.Result, err error) {
	c := w.beginRead(ctx, req, next)
	if c == nil {
		return next(ctx, method, req)
	}
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
			res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: errInternal.Error()}
			return
		}
		panic(value)
	}()
	res, err = next(w.client.Within(ctx, &c.event), method, req)
	returned = true
	w.finishRead(c, res, err)
	return res, err
}

// beginRead opens the books on a request. It returns nil, and the request goes
// unwatched, if that is what the owner wants or our own code fails.
func (w *watcher) beginRead(ctx context.Context, req mcp.Request, next mcp.MethodHandler) (c *call) {
	defer func() {
		if recover() != nil {
			c = nil // perhaps on the list of open calls: not to be used again
		}
	}()
	if w.hooks.NoResources {
		return nil
	}
	kind, asked := askedFor(req)
	if kind == "" {
		return nil
	}
	c = calls.Get().(*call)
	c.ctx = ctx
	c.session, _ = req.GetSession().(*mcp.ServerSession)
	e := &c.event
	e.Kind, e.StartedAt = kind, time.Now()
	w.identify(e, ctx, req)
	if w.ids != nil && e.Transport == "stdio" {
		e.ID = w.ids.NextRead(kind, asked) // as in begin
	}
	c.obs.Kind = kind
	if !w.name(c, asked) {
		c.lookUpName = func() {
			w.registry.Load().Ask(kind, func() { w.readNames(ctx, kind, req, next) })
			w.open.mu.Lock() // who sends the event in our place reads it after this
			defer w.open.mu.Unlock()
			if !c.sent || c.ours {
				w.name(c, asked)
			}
		}
	}
	c.noted = w.client.Begin(e)
	w.open.enter(c)
	return c
}

// askedFor is what a request asks for, in its client's words.
func askedFor(req mcp.Request) (kind, asked string) {
	switch p := req.GetParams().(type) {
	case *mcp.ReadResourceParams:
		if p != nil {
			return "resource", p.URI
		}
	case *mcp.GetPromptParams:
		if p != nil {
			return "prompt", p.Name
		}
	}
	return "", ""
}

// name gives c the name that the server gave to what was asked for, as far as its
// lists tell, or else that of an unknown one. What its client asked for is kept
// only to be taken out of texts.
func (w *watcher) name(c *call, asked string) (listed bool) {
	known, e := w.registry.Load(), &c.event
	c.obs.Address = asked
	if e.Kind == "prompt" {
		if listed = known.Prompt(asked); listed {
			e.Tool, c.obs.Address = asked, ""
		} else {
			e.Tool = adapter.UnknownPrompt
		}
	} else if e.Tool, listed = known.Resource(asked); !listed {
		e.Tool = known.Stranger(asked)
	}
	c.unlisted = !listed
	return listed
}

// lastName asks the server once more for the name of c, where no list held it.
func (c *call) lastName() {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if lookUp := c.lookUpName; lookUp != nil {
		c.lookUpName = nil
		lookUp()
	}
}

// finishRead judges a request that was answered, and records it.
func (w *watcher) finishRead(c *call, res mcp.Result, err error) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if c.ctx.Err() != nil {
		c.lastName() // now, since it may be sent by answer
	}
	switch w.open.answer(c) {
	case elsewhere:
		return
	case cutOff:
		w.silent(c, "no_reply")
		return
	}
	c.event.DurationUS = &c.took
	c.ours = true
	c.lastName()
	var rpc *umpire.RPCError
	if err != nil {
		rpc = rpcError(err)
	}
	if isRefusedBefore(rpc) {
		w.end(c)
		return
	}
	size, nothing := readBytes(res)
	if rpc != nil && rpc.Code == mcp.CodeURLElicitationRequired || err == nil && !nothing && needsInput(res) {
		adapter.AskBack(&c.event)
		w.record(c)
		return
	}
	observeRead(c, nothing, err, rpc)
	if err == nil && !nothing {
		c.response = size
		c.event.ResponseBytes = &c.response
	}
	dying := c.obs.NoResult && err == nil && c.event.Protocol >= adapter.PerRequest
	w.judge(c)
	w.record(c)
	if dying {
		w.flush() // as after a call without a result
	}
}

// observeRead puts into c.obs what the handler gave back.
func observeRead(c *call, nothing bool, err error, rpc *umpire.RPCError) {
	o := &c.obs
	c.observed()
	switch {
	case rpc != nil:
		o.RPC, o.Err = rpc, err
		if c.unlisted && (rpc.Message == saysNoResource || strings.HasPrefix(rpc.Message, saysNoPrompt)) {
			o.Ran = "no"
		}
	case err != nil && saysNothing(err):
		o.NoResult, o.Ran = true, "yes"
	case err != nil:
		o.Err, o.Ran = err, "yes"
	default:
		o.NoResult = nothing
		if !c.unlisted {
			o.Ran = "yes"
		}
	}
}

// Texts of the SDK itself.
const (
	saysNoResource = "Resource not found"
	saysNoPrompt   = "unknown prompt "
)

// saysNothing reports whether err is the SDK's own, about a handler that gave
// back neither a result nor an error.
func saysNothing(err error) bool {
	return reflect.TypeOf(err) == plainError && strings.HasPrefix(err.Error(), "reading resource ") &&
		strings.HasSuffix(err.Error(), ": read handler returned nil information")
}

// readBytes is the size of what was read: texts and data.
func readBytes(res mcp.Result) (n int64, nothing bool) {
	switch r := res.(type) {
	case *mcp.ReadResourceResult:
		if r == nil {
			return 0, true
		}
		for _, c := range r.Contents {
			if c != nil {
				n += int64(len(c.Text) + len(c.Blob))
			}
		}
	case *mcp.GetPromptResult:
		if r == nil {
			return 0, true
		}
		for _, m := range r.Messages {
			if m != nil {
				n += int64(contentBytes(m.Content))
			}
		}
	case nil:
		return 0, true
	}
	return n, false
}
