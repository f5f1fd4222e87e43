package gosdk

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// call is one tools/call, from its arrival until its event is recorded.
type call struct {
	event   umpire.Event // who asked, and for what; the judgement is added last
	obs     umpire.Observation
	ctx     context.Context
	session *mcp.ServerSession
	text    [1]string // room for the usual single text, so that it costs nothing
	door    *door     // of a tool that was added by AddTool

	noted                   uint64 // for the case that the process dies: Client.Begin
	opaque                  bool   // the size of the answer is not known
	unlisted                bool   // of a resource or prompt: no list holds it
	lookUpName              func() // asks for the lists once more
	ours                    bool   // nobody else sends its event
	took, request, response int64  // what the event's numbers point to

	openCall
}

var calls = sync.Pool{New: func() any { return new(call) }}

// call runs one tools/call. The result, the error and a panic of next reach the
// caller as they are (outcomes.md 2.9).
func (w *watcher) call(ctx context.Context, r *mcp.CallToolRequest, next mcp.MethodHandler) (res mcp.Result, err error) {
	r, told := w.intended(ctx, r, next)
	c := w.begin(ctx, r, told)
	if c == nil {
		return next(ctx, methodCall, r)
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
			res, err = internalError(), nil
			return
		}
		panic(value)
	}()
	res, err = next(w.client.Within(c.door.within(ctx), &c.event), methodCall, r)
	returned = true
	w.finish(c, r, next, res, err)
	return res, err
}

// begin opens the books on a call. It returns nil, and the call goes unwatched,
// if our own code fails.
func (w *watcher) begin(ctx context.Context, r *mcp.CallToolRequest, told adapter.Told) (c *call) {
	defer func() {
		if recover() != nil {
			c = nil // perhaps on the list of open calls: not to be used again
		}
	}()
	if r.Params == nil {
		return nil
	}
	c = calls.Get().(*call)
	c.ctx, c.session = ctx, r.Session
	e := &c.event
	e.Kind = "call"
	e.StartedAt = time.Now()
	e.Tool = r.Params.Name
	e.Arguments, e.Intent = r.Params.Arguments, told.Intent
	if e.Arguments != nil {
		c.request = int64(len(e.Arguments))
		e.RequestBytes = &c.request
	}
	w.identify(e, ctx, r)
	w.agree(e, r, told)
	e.Definition = w.catalog.Load().Definition(e.Tool)
	c.noted = w.client.Begin(e)
	if c.door = w.marked.newDoor(ctx, e.Tool); c.door != nil {
		c.door.client, c.door.noted = w.client, c.noted
	}
	w.open.enter(c)
	return c
}

// agree gives e the id that a proxy in front gives the call, so that both tell of
// one (outcomes.md 1.4).
func (w *watcher) agree(e *umpire.Event, r *mcp.CallToolRequest, told adapter.Told) {
	if w.ids != nil && e.Transport == "stdio" {
		e.ID = told.CallID(w.ids, e)
	}
	if r.Extra != nil && len(r.Extra.Header) > 0 {
		if id := adapter.CallID(r.Extra.Header[adapter.CallHeader]); !id.IsZero() {
			e.ID = id
		}
	}
}

// finish judges an answered call and records it.
func (w *watcher) finish(c *call, r *mcp.CallToolRequest, next mcp.MethodHandler, res mcp.Result, err error) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	switch w.open.answer(c) {
	case elsewhere:
		return
	case cutOff:
		w.silent(c, "no_reply")
		return
	}
	c.event.DurationUS = &c.took
	w.askForList(c.ctx, r, next)

	result, _ := res.(*mcp.CallToolResult)
	var rpc *umpire.RPCError
	if err != nil {
		rpc = rpcError(err)
	}
	if isRefusedBefore(rpc) {
		w.end(c)
		return
	}
	if asksForInput(result, rpc) {
		adapter.AskBack(&c.event)
		w.record(c)
		return
	}
	observe(c, result, err, rpc)
	c.door.correct(c)
	if err == nil && result != nil && !c.opaque {
		c.response = responseBytes(&c.obs, result)
		c.event.ResponseBytes = &c.response
	}
	if failing := err != nil || c.obs.NoResult || c.obs.IsError; failing || c.event.Definition == "" && !w.catalog.Load().MayList(c.event.Tool) {
		w.lookUp(c, r, next, failing)
	}
	w.judge(c)
	dying := c.obs.NoResult && c.event.Protocol >= adapter.PerRequest
	w.record(c)
	if dying {
		w.flush() // the SDK reads from the missing result as soon as we return
	}
}

// died records a call whose handler panicked (or, with a nil value, left by
// runtime.Goexit), and sees to it that the event outlives the process.
func (w *watcher) died(c *call, value any) {
	defer func() { _ = recover() }()
	open, gaveUp := w.open.drop(c)
	if !open {
		return // its event was sent already
	}
	c.event.DurationUS = &c.took
	c.ours = true
	c.lastName()
	c.observed()
	c.obs.Ran, c.obs.Panicked, c.obs.PanicValue = c.door.ran("yes"), true, value
	w.judge(c)
	if gaveUp == gone {
		// Nobody waited for it, so it is no call (outcomes.md 1.2 stands before
		// 2.3); what happened is told all the same.
		adapter.Withdraw(&c.event)
	}
	w.record(c)
	if !w.recovers || value == nil {
		w.flush()
	}
}

func (w *watcher) flush() { w.farewell.Flush(w.client) }

// silent records a call that got no answer, in the way that how says
// (outcomes.md 1.3, 2.6).
func (w *watcher) silent(c *call, how string) {
	c.observed()
	c.obs.Silent, c.obs.Ran = how, c.door.ran("")
	w.judge(c)
	w.record(c)
}

// observed says what every observation of c says.
func (c *call) observed() {
	c.obs.Tool, c.obs.Arguments, c.obs.Observed = c.event.Tool, c.event.Arguments, true
}

// record hands the event of c over, and ends it.
func (w *watcher) record(c *call) {
	if !adapter.IsRead(&c.event) {
		c.event.Definition = w.catalog.Load().Definition(c.event.Tool)
	}
	w.client.Record(c.event)
	w.end(c)
}

// end gives c back for another call, unless a timer may still look at it.
func (w *watcher) end(c *call) {
	w.client.End(c.noted)
	if c.shared {
		return
	}
	*c = call{}
	calls.Put(c)
}

var errInternal = errors.New("internal error")

func internalError() mcp.Result {
	res := new(mcp.CallToolResult)
	res.SetError(errInternal)
	return res
}
