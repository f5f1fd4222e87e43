package mcpwire

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

const (
	methodCall       = "tools/call"
	methodList       = "tools/list"
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodCancelled  = "notifications/cancelled"
	methodListed     = "notifications/tools/list_changed"

	metaProtocol     = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// request is one request of the client that waits for its answer.
type request struct {
	id     string
	turn   uint64
	method string
	cursor string // of tools/list; "" asks for the first page
	task   bool   // the call asked to be run as a task
	// asked is what a client asked to read, and unlisted whether no list holds it.
	asked    string
	unlisted bool
	// meta and capabilities are of a handshake.
	meta, capabilities json.RawMessage
	event              umpire.Event
	held               int64 // bytes of arguments that are kept

	// A call that its client gave up is held until its answer, or 60 seconds
	// (outcomes.md 1.2).
	notified  bool      // it was named by a cancellation
	hang      bool      // whose reason says that the client waited in vain
	closed    bool      // its HTTP stream was closed, which cancels
	abandoned bool      // its HTTP stream was closed, which cancels nothing
	heldSince time.Time // when it was first withdrawn
}

// tells reports whether the request makes an event when it ends.
func (r *request) tells() bool { return r.method == methodCall || r.isRead() }

func (r *request) isRead() bool { return r.method == methodRead || r.method == methodPrompt }

func (r *request) withdrawn() bool { return r.notified || r.closed || r.abandoned }

// asked takes a request of the client. It returns nil for one that is not
// watched.
func (c *Conversation) asked(m *message, at time.Time) *request {
	r := &request{id: m.id, method: m.method}
	params := object(m.params)
	switch m.method {
	case methodCall:
		c.w.counts.calls.Add(1)
		if c.over || c.count >= maxOpen {
			c.w.counts.unseen.Add(1)
			return nil
		}
		c.called(r, params, m, at)
	case methodList:
		cursor, _ := textOf(params.get("cursor"))
		r.cursor = short(cursor, maxTool)
	case methodInitialize:
		c.client = peerOf(params.get("clientInfo"))
		version, _ := textOf(params.get("protocolVersion"))
		c.protocol = short(version, maxWord)
		r.shakes(at, params.get("_meta"), params.get("capabilities"))
	case methodDiscover:
		r.shakes(at, params.get("_meta"), object(params.get("_meta")).get(metaCapabilities))
	case methodRead, methodPrompt:
		if c.over || c.w.config.Hooks.NoResources {
			return nil
		}
		c.read(r, params, at)
	case methodResources, methodTemplates, methodPrompts:
	default:
		return nil
	}
	if c.count >= maxOpen {
		return nil
	}
	c.turn++
	r.turn = c.turn
	c.count++
	c.waiting[m.id] = append(c.waiting[m.id], r)
	if r.method == methodCall {
		c.open.Add(1)
	}
	if r.tells() {
		c.byEvent[r.event.ID] = r
		c.busy.Add(1)
	}
	return r
}

// maxShaken is how much is kept of what a handshake says.
const maxShaken = 16 << 10

// shakes keeps what the event of a handshake needs.
func (r *request) shakes(at time.Time, meta, capabilities json.RawMessage) {
	r.event.StartedAt = at
	if len(meta) <= maxShaken {
		r.meta = bytes.Clone(meta)
	}
	if len(capabilities) <= maxShaken {
		r.capabilities = bytes.Clone(capabilities)
	}
}

// called fills in what the request itself tells of a call.
func (c *Conversation) called(r *request, params members, m *message, at time.Time) {
	e := &r.event
	e.Kind, e.StartedAt = "call", at
	e.Tool, _ = textOf(params.get("name"))
	r.task = params.get("task") != nil
	c.identify(e, params.get("_meta"))
	arguments := params.get("arguments")
	long := false
	switch {
	case m.cut:
		var size int64
		if json.Unmarshal(arguments, &size) == nil && size > 0 {
			e.RequestBytes, long = &size, true
		}
	case arguments != nil:
		size := int64(len(arguments))
		e.RequestBytes = &size
		e.Arguments = bytes.Clone(arguments)
	}
	if c.w.ids != nil {
		e.ID = c.w.ids.Next(e, long)
	} else {
		e.ID = umpire.NewID()
		e.ID[6] = e.ID[6]&0x0f | 0x80 // version 8: the SDK may be told it, and give it to the same call (outcomes.md 1.4)
	}
	e.Tool = short(e.Tool, maxTool)
	c.hold(r)
}

// hold accounts for the arguments of r, and lets go of them when too much is held.
func (c *Conversation) hold(r *request) {
	r.held = int64(len(r.event.Arguments))
	if c.w.held.Add(r.held) <= maxHeld {
		return
	}
	if id := r.event.SessionID; id != "" && !r.event.SessionDerived {
		r.event.ArgsHash = r.event.HashArguments(id)
	}
	r.event.Arguments = nil
	c.w.held.Add(-r.held)
	r.held = 0
}

// take removes the oldest request with that id.
func (c *Conversation) take(id string) *request {
	list := c.waiting[id]
	if len(list) == 0 {
		if c.gone[id] {
			c.w.counts.late.Add(1)
		}
		return nil
	}
	c.drop(list[0])
	return list[0]
}

// drop removes r.
func (c *Conversation) drop(r *request) {
	list := c.waiting[r.id]
	for i := range list {
		if list[i] != r {
			continue
		}
		if len(list) == 1 {
			delete(c.waiting, r.id)
		} else {
			c.waiting[r.id] = append(list[:i:i], list[i+1:]...)
		}
		c.count--
		if r.method == methodCall {
			c.open.Add(-1)
			c.w.held.Add(-r.held)
		}
		if r.tells() {
			delete(c.byEvent, r.event.ID)
			c.busy.Add(-1)
		}
		return
	}
}

// identify writes on e who asked, through what, and in which session.
func (c *Conversation) identify(e *umpire.Event, rawMeta json.RawMessage) {
	var meta map[string]any
	_ = json.Unmarshal(rawMeta, &meta) // what is no object tells nothing
	e.SeenBy = "proxy"
	e.Server = c.w.Server()
	e.Transport = c.w.config.Transport
	e.Client, e.Protocol = c.client, c.protocol
	if e.Protocol == "" {
		e.Protocol = c.scope.Protocol
	}
	if version, ok := meta[metaProtocol].(string); ok && version >= adapter.PerRequest {
		e.Protocol, e.Client = short(version, maxWord), umpire.Peer{}
		if info, ok := meta[metaClient].(map[string]any); ok {
			name, _ := info["name"].(string)
			number, _ := info["version"].(string)
			e.Client = umpire.Peer{Name: short(name, maxTool), Version: short(number, maxWord)}
		}
	}
	e.Platform = c.w.platforms.Of(e.Client.Name, c.scope.UserAgent)
	e.TraceID, e.SpanID = adapter.Trace(meta)
	e.Unsampled = e.TraceID != "" && adapter.Unsampled(meta)
	e.SessionID = c.scope.Session
	if e.SessionID == "" {
		e.SessionID = short(adapter.Conversation(meta), maxTool)
	}
	if e.SessionID == "" && c.w.config.Run != "" {
		e.SessionID = c.w.config.Run
	}
	if e.SessionID == "" && c.scope.Asker != "" {
		e.SessionID, e.SessionDerived = c.scope.Asker, true
	}
}

// peerOf reads an Implementation: who a client or a server says it is.
func peerOf(raw json.RawMessage) umpire.Peer {
	fields := object(raw)
	name, _ := textOf(fields.get("name"))
	number, _ := textOf(fields.get("version"))
	return umpire.Peer{Name: short(name, maxTool), Version: short(number, maxWord)}
}

// maxTool and maxWord bound the names that are held, in bytes. What leaves the
// process is shorter.
const (
	maxTool = 4 << 10
	maxWord = 1 << 10
)

// short cuts what is absurdly long.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
