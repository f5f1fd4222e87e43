package mcpgo

import (
	"context"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// call is one tools/call, from its arrival until its event is recorded. It is
// never used again: a handler that was given up may still hold its mark.
type call struct {
	watcher *watcher
	event   umpire.Event // who asked, and for what; the judgement is added last
	obs     umpire.Observation
	ctx     context.Context
	text    [1]string // room for the usual single text, so that it costs nothing
	misfit  bool      // the arguments may break the declared schema

	noted                   uint64 // for the case that the process dies: Client.Begin
	opaque                  bool   // the size of the answer is not known
	took, request, response int64  // what the event's numbers point to

	// mark is what the request carries from the hook to the middleware, in a
	// place that nobody reads: the Meta of the embedded mcp.Request, which
	// CallToolParams shadows. behind is what stood there: the mark of another
	// watcher, or nothing.
	mark   mcp.Meta
	behind *mcp.Meta

	handling
	openCall
	reading
}

// handling is what the middleware saw of the handler.
type handling struct {
	mu      sync.Mutex
	entered int // how often, since some middleware tries again
	inside  int // of these, how many did not return yet
	result  *mcp.CallToolResult
	err     error
	task    bool // it runs on after its request was answered
}

// callOf finds the call of a request by its mark.
func (w *watcher) callOf(mark *mcp.Meta) *call {
	for mark != nil {
		c, ok := mark.ProgressToken.(*call)
		if !ok {
			return nil
		}
		if c.watcher == w {
			return c
		}
		mark = c.behind
	}
	return nil
}

// arrived opens the books on a call. If our own code fails the call goes
// unwatched.
func (w *watcher) arrived(ctx context.Context, s *server.MCPServer, r *mcp.CallToolRequest) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if r == nil || w.callOf(r.Request.Params.Meta) != nil {
		return
	}
	if reports(ctx, s, r.Params.Name) {
		return
	}
	c := w.begin(ctx, r, w.intended(ctx, s, r))
	c.mark.ProgressToken, c.behind = c, r.Request.Params.Meta
	r.Request.Params.Meta = &c.mark
	c.misfit = !w.fits(c, s, r)
}

func (w *watcher) begin(ctx context.Context, r *mcp.CallToolRequest, told adapter.Told) *call {
	c := &call{watcher: w, ctx: ctx}
	e := &c.event
	e.Kind = "call"
	e.StartedAt = time.Now()
	e.Tool = r.Params.Name
	e.Arguments, e.Intent = rawArguments(r), told.Intent
	if e.Arguments != nil {
		c.request = int64(len(e.Arguments))
		e.RequestBytes = &c.request
	}
	w.identify(e, ctx, r.Params.Meta, r.Header)
	w.agree(e, r, told)
	e.Definition = w.catalog.Load().Definition(e.Tool)
	c.noted = w.client.Begin(e)
	w.open.enter(c)
	return c
}

// agree gives e the id that a proxy in front gives the call, so that both tell of
// one (outcomes.md 1.4).
func (w *watcher) agree(e *umpire.Event, r *mcp.CallToolRequest, told adapter.Told) {
	if w.ids != nil && e.Transport == "stdio" {
		e.ID = told.CallID(w.ids, e)
	}
	if len(r.Header) > 0 {
		if id := adapter.CallID(r.Header[adapter.CallHeader]); !id.IsZero() {
			e.ID = id
		}
	}
}

// unmark leaves the request as it came, as far as nobody else marked it since.
func (c *call) unmark(r *mcp.CallToolRequest) {
	if r.Request.Params.Meta == &c.mark {
		r.Request.Params.Meta = c.behind
	}
}

// middleware is what Watch adds around every handler.
func (w *watcher) middleware(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := w.callOf(r.Request.Params.Meta)
		if c == nil {
			if !reports(ctx, server.ServerFromContext(ctx), r.Params.Name) {
				w.unmarked.Store(true)
			}
			return next(ctx, r)
		}
		return w.handle(ctx, c, r, next)
	}
}

// handle runs the handler of c. Its result, its error and its panic go on as
// they are (outcomes.md 2.9).
func (w *watcher) handle(ctx context.Context, c *call, r mcp.CallToolRequest, next server.ToolHandlerFunc) (res *mcp.CallToolResult, err error) {
	ctx = c.enter(ctx)
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
			res, err = internalError(), nil
			return
		}
		panic(value)
	}()
	res, err = next(ctx, r)
	returned = true
	if c.leave(res, err) {
		w.finish(server.ServerFromContext(ctx), c, res, err)
	}
	return res, err
}

// enter returns the context in which the handler runs.
func (c *call) enter(ctx context.Context) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entered++
	c.inside++
	client := c.watcher.client
	client.Entered(c.noted)
	return client.Within(ctx, &c.event)
}

// leave takes note of what the handler gave back, and reports whether that is
// the end of a task, which no hook will tell.
func (h *handling) leave(res *mcp.CallToolResult, err error) (endsTask bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inside--
	h.result, h.err = res, err
	return h.task
}

// seen is what was seen of the handler so far.
func (h *handling) seen() (entered, inside int, res *mcp.CallToolResult, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entered, h.inside, h.result, h.err
}

func (h *handling) isTask() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.task
}

// answered is told of a result, which is about to be sent.
func (w *watcher) answered(s *server.MCPServer, r *mcp.CallToolRequest, result any) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	c := w.callOf(r.Request.Params.Meta)
	if c == nil {
		return
	}
	res, ok := result.(*mcp.CallToolResult)
	if !ok {
		w.becameTask(s, c, r.Params.Name)
		return
	}
	c.unmark(r)
	w.finish(s, c, res, nil)
}

// becameTask is told that c was answered with a task. A tool of the usual kind
// runs its handler, and the middleware with it, while the task is open: its end
// is the call's. The handler of a task tool is hidden from us.
func (w *watcher) becameTask(s *server.MCPServer, c *call, tool string) {
	c.mu.Lock()
	c.task = true
	started, over := c.entered > 0, c.entered > 0 && c.inside == 0
	res, err := c.result, c.err
	c.mu.Unlock()
	switch _, usual := toolOf(c.ctx, s, tool); { // the event may be the handler's by now
	case over:
		w.finish(s, c, res, err)
	case !started && (!usual || w.unmarked.Load()):
		if open, _ := w.open.drop(c); !open {
			return
		}
		c.event.DurationUS = &c.took
		w.askForList(s)
		c.observed()
		c.obs.Others = 1 // the task, which is neither empty nor a text
		w.judge(c)
		w.record(c)
	}
}

// failed is told of a JSON-RPC error, which is about to be sent.
func (w *watcher) failed(ctx context.Context, s *server.MCPServer, message any, err error) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	r, ok := message.(*mcp.CallToolRequest)
	if !ok || r == nil || err == nil {
		return
	}
	c := w.callOf(r.Request.Params.Meta)
	if c == nil { // refused before it was looked at
		if reports(ctx, s, r.Params.Name) {
			return
		}
		c = w.begin(ctx, readable(r, err), adapter.Told{})
		c.malformed = true
	} else {
		c.unmark(r)
	}
	w.finish(s, c, nil, err)
}

// finish judges an answered call and records it.
func (w *watcher) finish(s *server.MCPServer, c *call, res *mcp.CallToolResult, err error) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	switch w.open.answer(c, err) {
	case elsewhere:
		return
	case cutOff:
		w.silent(c, "no_reply")
		return
	}
	c.event.DurationUS = &c.took
	w.askForList(s)
	rpc := rpcError(err)
	if isRefusedBefore(rpc) {
		w.client.End(c.noted)
		return
	}
	if asksForInput(res, rpc) {
		adapter.AskBack(&c.event)
		w.record(c)
		return
	}
	w.observe(c, res, err, rpc)
	if err == nil && res != nil && !c.opaque {
		c.response = responseBytes(&c.obs, res)
		c.event.ResponseBytes = &c.response
	}
	if failing := err != nil || c.obs.NoResult || c.obs.IsError; failing || c.misfit {
		w.lookUp(c, s, failing)
	}
	w.judge(c)
	w.record(c)
}

// died records a call whose handler panicked (or, with a nil value, left by
// runtime.Goexit), and sees to it that the event outlives the process.
func (w *watcher) died(c *call, value any) {
	defer func() { _ = recover() }()
	c.leave(nil, nil)
	if open, end := w.open.drop(c); open { // else its event was sent already
		c.event.DurationUS = &c.took
		c.observed()
		c.obs.Ran, c.obs.Panicked, c.obs.PanicValue = "yes", true, value
		w.judge(c)
		if end == gone {
			// Nobody waited for it, so it is no call (outcomes.md 1.2 stands before
			// 2.3); what happened is told all the same.
			adapter.Withdraw(&c.event)
		}
		w.record(c)
	}
	if value != nil && !w.recovers && !survives() {
		w.flush()
	}
}

func (w *watcher) flush() { w.farewell.Flush(w.client) }

// silent records a call that got no answer, in the way that how says
// (outcomes.md 1.3, 2.6).
func (w *watcher) silent(c *call, how string) {
	c.observed()
	c.obs.Silent = how
	if entered, _, _, _ := c.seen(); entered > 0 {
		c.obs.Ran = "yes"
	}
	w.judge(c)
	w.record(c)
}

// observed says what every observation of c says.
func (c *call) observed() {
	c.obs.Tool, c.obs.Arguments, c.obs.Observed = c.event.Tool, c.event.Arguments, true
}

// record hands the event of c over.
func (w *watcher) record(c *call) {
	if !adapter.IsRead(&c.event) {
		c.event.Definition = w.catalog.Load().Definition(c.event.Tool)
	}
	w.client.Record(c.event)
	w.client.End(c.noted)
}

func internalError() *mcp.CallToolResult {
	return mcp.NewToolResultError("internal error")
}
