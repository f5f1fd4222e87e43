package umpire

import (
	"context"
	"maps"
	"time"
)

// Track records something that the tools/call cannot tell, such as
// Track(ctx, "order_refunded", map[string]any{"cents": 1900}), as an event of
// kind custom. With the context that a handler was given, or one derived from
// it, the event is tied to that call: its id, tool, session, user, server and
// client. With any other context it is tied to nothing. Properties are strings,
// numbers, booleans, times and nulls, 4 KiB together; texts are redacted.
func (c *Client) Track(ctx context.Context, name string, properties map[string]any) {
	if c == nil || !c.on {
		return
	}
	e := Event{StartedAt: time.Now()}
	in, tied := c.callOf(ctx)
	if tied {
		e = in.event
		e.StartedAt = time.Now()
	} else if c.opts.Debug {
		c.voice.once("Track was called outside of a tool call: the event is tied to no session; pass on the context of the handler")
	}
	call := e.ID
	e.ID, e.Kind = ID{}, "custom"
	e.Meta = make(map[string]any, len(properties)+2)
	maps.Copy(e.Meta, properties)
	e.Meta[metaEvent] = cut(name, maxName)
	if tied {
		e.Meta[metaCall] = call.String()
	}
	c.Record(e)
}

// Within returns a context for the handler of call, in which Track ties events
// to it. It is for adapters. An id is given to the call if it has none.
func (c *Client) Within(ctx context.Context, call *Event) context.Context {
	if c == nil || !c.on {
		return ctx
	}
	if call.ID.IsZero() {
		call.ID = newID(call.StartedAt)
	}
	return &callContext{Context: ctx, client: c, event: Event{
		ID: call.ID, Server: call.Server, Client: call.Client, Platform: call.Platform, Protocol: call.Protocol,
		Transport: call.Transport, Session: call.Session, SessionID: call.SessionID, User: call.User,
		SeenBy: call.SeenBy, TraceID: call.TraceID, SpanID: call.SpanID, Call: Call{Tool: call.Tool},
	}}
}

// callContext is the context of one call of one client. It holds a copy, since a
// handler may keep its context for longer than its call lasts.
type callContext struct {
	context.Context
	client *Client
	event  Event // without what only a judged call has
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
