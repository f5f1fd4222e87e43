package mcpwire

import (
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

const (
	// heldFor is how long the event of a cancelled call waits for an answer.
	heldFor = 60 * time.Second
	// timedOut is what the SDKs write as the reason when they gave up waiting.
	timedOut = "Request timed out"
	// maxGone is how many ended calls of a conversation are remembered, so that
	// their late answers can be counted.
	maxGone = 1024
)

// answered takes the answer to a request.
func (c *Conversation) answered(r *request, m *message, at time.Time) []umpire.Event {
	result := object(m.result)
	switch r.method {
	case methodCall:
		if info := object(result.get("_meta")).get(metaServer); info != nil {
			c.serverIs(r, peerOf(info))
		}
		return c.callAnswered(r, m, at)
	case methodInitialize:
		if result != nil {
			c.w.calledItself(peerOf(result.get("serverInfo")))
			if agreed, ok := textOf(result.get("protocolVersion")); ok {
				c.protocol = short(agreed, maxWord)
			}
			return c.shookHands(r, result, at)
		}
	case methodList:
		c.serverIs(r, peerOf(object(result.get("_meta")).get(metaServer)))
		return c.listAnswered(r, m, result, at)
	case methodRead, methodPrompt:
		c.serverIs(r, peerOf(object(result.get("_meta")).get(metaServer)))
		return c.readAnswered(r, m, at)
	case methodDiscover:
		c.serverIs(r, peerOf(object(result.get("_meta")).get(metaServer)))
		if result != nil {
			return c.shookHands(r, result, at)
		}
	default:
		c.learnNames(r.method, result)
	}
	return nil
}

// serverIs takes note of the name that an answer gives the server.
func (c *Conversation) serverIs(r *request, p umpire.Peer) {
	if p == (umpire.Peer{}) {
		return
	}
	c.w.calledItself(p)
	r.event.Server = p
}

// callAnswered makes the event of a call that got an answer; none for one that
// the protocol itself refused (outcomes.md 2.6).
func (c *Conversation) callAnswered(r *request, m *message, at time.Time) []umpire.Event {
	took := max(0, at.Sub(r.event.StartedAt).Microseconds())
	r.event.DurationUS = &took
	if r.notified || r.closed {
		r.event.Late = true
		return c.withdrawal(r)
	}
	a := answerOf(m)
	switch {
	case a.refusedBefore():
		return nil
	case a.asksForInput():
		r.event.Kind = "round"
		return []umpire.Event{c.finished(r)}
	}
	o := c.observation(r)
	a.observe(o, r.task)
	r.answered(m)
	return []umpire.Event{c.judged(r, o)}
}

// answered notes the size of a result.
func (r *request) answered(m *message) {
	switch {
	case m.result == nil:
	case m.cut:
		r.event.ResponseBytes = &m.value
	default:
		size := int64(len(m.result))
		r.event.ResponseBytes = &size
	}
}

// silent makes the event of a call that got no answer.
func (c *Conversation) silent(r *request, how Ending) []umpire.Event {
	if !r.tells() {
		return nil
	}
	if c.gone == nil || len(c.gone) >= maxGone {
		c.gone = map[string]bool{}
	}
	c.gone[r.id] = true
	switch {
	case r.withdrawn():
		return c.withdrawal(r)
	case how == Refused:
		return nil
	case how == Unseen:
		c.w.counts.unseen.Add(1)
		return nil
	case how == ClientClosed:
		how = NoReply
	}
	o := c.observation(r)
	o.Silent = string(how)
	return []umpire.Event{c.judged(r, o)}
}

// withdrawal makes the event of a call that its client gave up.
func (c *Conversation) withdrawal(r *request) []umpire.Event {
	if r.hang {
		o := c.observation(r)
		o.Silent = "timeout"
		return []umpire.Event{c.judged(r, o)}
	}
	if r.unlisted {
		c.nameRead(r)
	}
	adapter.Withdraw(&r.event)
	return []umpire.Event{c.finished(r)}
}

// cancelled takes a cancellation, which names a request.
func (c *Conversation) cancelled(m *message, at time.Time) {
	list := c.waiting[idKey(object(m.params).get("requestId"))]
	if len(list) == 0 || !list[0].tells() || list[0].notified {
		return // answered before, or never a call
	}
	c.withdraw(list[0], m, at)
}

// withdraw takes note that the client gave r up, and why.
func (c *Conversation) withdraw(r *request, m *message, at time.Time) {
	if !r.withdrawn() {
		r.heldSince = at
	}
	reason, _ := textOf(object(m.params).get("reason"))
	r.notified, r.hang = true, strings.Contains(reason, timedOut)
}

// hungUp takes note that the client closed the HTTP stream of a call.
func (c *Conversation) hungUp(r *request, at time.Time) {
	if !r.withdrawn() {
		r.heldSince = at
	}
	if r.event.Protocol >= adapter.PerRequest {
		r.closed = true
	} else {
		r.abandoned = true
	}
}

// observation begins what was seen of r.
func (c *Conversation) observation(r *request) *umpire.Observation {
	if r.isRead() {
		if r.unlisted {
			c.nameRead(r) // a list may have passed by
		}
		o := &umpire.Observation{Kind: r.event.Kind, Tool: r.event.Tool, Address: r.asked}
		if r.event.Kind == kindPrompt && !r.unlisted {
			o.Address = ""
		}
		return o
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	o := &umpire.Observation{
		Tool: r.event.Tool, Arguments: r.event.Arguments, EmptyIsFine: c.w.fine[r.event.Tool], IsEmpty: c.w.config.Hooks.IsEmpty,
	}
	if r.held > 0 || r.event.RequestBytes == nil { // else we do not know them
		o.Schema = c.w.catalog.of(o.Tool).schema
	}
	o.OutputTitle = c.w.catalog.of(o.Tool).outputTitle
	if o.Listed = c.listed; o.Listed == nil {
		o.Listed = c.w.catalog.names
	}
	if c.stale {
		o.Listed = nil
	}
	return o
}

// judged adds the judgement to the event of r.
func (c *Conversation) judged(r *request, o *umpire.Observation) umpire.Event {
	e := &r.event
	judged := o.Judge()
	judged.Late, judged.ArgsHash = e.Late, e.ArgsHash
	judged.DurationUS, judged.RequestBytes, judged.ResponseBytes = e.DurationUS, e.RequestBytes, e.ResponseBytes
	e.Call = judged
	e.Texts, e.Structured = o.Texts, o.Structured
	return c.finished(r)
}

// finished completes the event of r with what is known by now.
func (c *Conversation) finished(r *request) umpire.Event {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !r.isRead() {
		r.event.Definition = c.w.catalog.of(r.event.Tool).definition
	}
	if r.event.Server == (umpire.Peer{}) {
		r.event.Server = c.w.server
	}
	return r.event
}

// pages gathers the pages of one listing.
type pages struct {
	tools []listedTool
	next  string // the cursor by which the next page is asked for; "" before the first
}

// listAnswered takes one page of tools/list.
func (c *Conversation) listAnswered(r *request, m *message, result members, at time.Time) []umpire.Event {
	if m.cut || result.get("tools") == nil {
		return nil
	}
	tools, next := listedTools(result)
	if r.cursor == "" {
		c.pages = pages{}
	}
	if r.cursor != c.pages.next || len(c.pages.tools) > maxKnown {
		return nil // not the page that follows those we have
	}
	c.pages.tools = append(c.pages.tools, tools...)
	if c.pages.next = short(next, maxTool); next != "" {
		return nil
	}
	return c.listComplete(at)
}

func (c *Conversation) listComplete(at time.Time) []umpire.Event {
	tools := c.pages.tools
	c.pages = pages{}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	news := c.w.catalog.learn(tools, at)
	c.listed, c.stale = c.w.catalog.names, false
	if !news {
		return nil
	}
	e := umpire.Event{Kind: "catalog", StartedAt: at, Server: c.w.server, SeenBy: "proxy"}
	for _, t := range tools[:min(len(tools), adapter.MaxTools)] {
		e.Tools = append(e.Tools, t.ToolDefinition)
	}
	return []umpire.Event{e}
}
