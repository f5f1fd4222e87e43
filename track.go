package umpire

import (
	"context"
	"strings"
	"time"
)

// Track records something that the tools/call cannot tell, such as
// Track(ctx, "order_refunded", map[string]any{"cents": 1900}), as an event of
// kind custom. With the context that a handler was given, or one derived from
// it, the event is tied to that call: its id, tool, session, user, server and
// client. In the handler of a resource or prompt it is tied to that, and has no
// tool. With any other context it is tied to nothing. Properties are strings,
// numbers, booleans, times and nulls, 4 KiB together; texts are redacted. Names
// that begin with "umpire." are the client's own and are left out.
func (c *Client) Track(ctx context.Context, name string, properties map[string]any) {
	if c == nil || !c.on {
		return
	}
	e := Event{Kind: "custom", StartedAt: time.Now(), Meta: make(map[string]any, len(properties)+2)}
	for property, v := range properties {
		if !strings.HasPrefix(property, metaOwn) {
			e.Meta[property] = v
		}
	}
	e.Meta[metaEvent] = cut(name, maxName)
	if in, ok := c.callOf(ctx); ok {
		in.asked.tell(&e)
		e.TraceID, e.SpanID = in.traceID, in.spanID
		e.Meta[metaCall] = in.id.String()
	} else if c.opts.Debug {
		c.voice.once("Track was called outside of a tool call: its events are tied to none; pass on the context of the handler")
	}
	c.Record(e)
}

// Within returns a context for the handler of call, which may be a resource or
// prompt, in which Track ties events to it. It is for adapters. An id is given to the call if it has none.
func (c *Client) Within(ctx context.Context, call *Event) context.Context {
	if c == nil || !c.on {
		return ctx
	}
	if call.StartedAt.IsZero() {
		call.StartedAt = time.Now()
	}
	if call.ID.IsZero() {
		call.ID = newID(call.StartedAt)
	}
	return &callContext{Context: ctx, client: c, id: call.ID, traceID: call.TraceID, spanID: call.SpanID, asked: c.askedBy(call)}
}

// callContext is the context of one call of one client. It holds a copy, since a
// handler may keep its context for longer than its call lasts.
type callContext struct {
	context.Context
	client          *Client
	id              ID
	traceID, spanID string
	asked           *asked
}

// asked is who asked for which tool: what events in one call have in common.
type asked struct {
	server, client                                 Peer
	platform, protocol, transport, session, seenBy string
	user, tool, sessionID                          string
	sessionDerived                                 bool
}

// askedBy returns what e was asked by, in the place where an earlier call of the
// same session and tool has it, if that is remembered.
func (c *Client) askedBy(e *Event) *asked {
	a := asked{
		server: e.Server, client: e.Client, platform: e.Platform, protocol: e.Protocol, transport: e.Transport,
		session: e.Session, seenBy: e.SeenBy, user: e.User, tool: e.Tool,
		sessionID: e.SessionID, sessionDerived: e.SessionDerived,
	}
	if isRead(e.Kind) {
		a.tool = ""
	}
	known := &c.asked[(len(a.tool)+lastByte(a.tool)+lastByte(a.sessionID))%len(c.asked)]
	if old := known.Load(); old != nil && *old == a {
		return old
	}
	fresh := new(asked)
	*fresh = a
	known.Store(fresh)
	return fresh
}

func lastByte(s string) int {
	if s == "" {
		return 0
	}
	return int(s[len(s)-1])
}

func (a *asked) tell(e *Event) {
	e.Server, e.Client, e.Platform, e.Protocol, e.Transport = a.server, a.client, a.platform, a.protocol, a.transport
	e.Session, e.SeenBy, e.User, e.Tool = a.session, a.seenBy, a.user, a.tool
	e.SessionID, e.SessionDerived = a.sessionID, a.sessionDerived
}

// callKey asks for the call of a client: the same request may be a call of two.
type callKey struct{ client *Client }

func (c *callContext) Value(key any) any {
	if k, ok := key.(callKey); ok && k.client == c.client {
		return c
	}
	return c.Context.Value(key)
}

func (c *Client) callOf(ctx context.Context) (in *callContext, ok bool) {
	if ctx == nil {
		return nil, false
	}
	in, ok = ctx.Value(callKey{c}).(*callContext)
	return in, ok
}
