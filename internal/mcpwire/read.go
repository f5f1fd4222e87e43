package mcpwire

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// What is read is no call, and is recorded beside the calls under a kind of its
// own, named by what the server registered; so is the handshake. The lists are
// learned as they pass by.
const (
	methodRead      = "resources/read"
	methodPrompt    = "prompts/get"
	methodResources = "resources/list"
	methodTemplates = "resources/templates/list"
	methodPrompts   = "prompts/list"

	kindResource = "resource"
	kindPrompt   = "prompt"

	// shakeAgain is how long a handshake counts as told, and maxShakes how many
	// are remembered.
	shakeAgain = time.Minute
	maxShakes  = 1000
)

// read fills in what the request itself tells of a resource or prompt.
func (c *Conversation) read(r *request, params members, at time.Time) {
	e := &r.event
	e.Kind, e.StartedAt = kindResource, at
	r.asked, _ = textOf(params.get("uri"))
	if r.method == methodPrompt {
		e.Kind = kindPrompt
		r.asked, _ = textOf(params.get("name"))
	}
	c.identify(e, params.get("_meta"))
	if c.w.ids != nil {
		e.ID = c.w.ids.NextRead(e.Kind, r.asked)
	} else {
		e.ID = umpire.NewID()
	}
	r.asked = short(r.asked, maxTool)
	c.nameRead(r)
}

// nameRead gives r the name under which the server offers what was asked for, as
// far as its lists tell, or else that of an unknown one.
func (c *Conversation) nameRead(r *request) {
	e, known := &r.event, c.w.registryNow()
	if e.Kind == kindPrompt {
		if e.Tool = r.asked; !known.Prompt(r.asked) {
			e.Tool, r.unlisted = adapter.UnknownPrompt, true
			return
		}
	} else {
		var listed bool
		if e.Tool, listed = known.Resource(r.asked); !listed {
			e.Tool, r.unlisted = known.Stranger(r.asked), true
			return
		}
	}
	r.unlisted = false
}

// readAnswered makes the event of what was read.
func (c *Conversation) readAnswered(r *request, m *message, at time.Time) []umpire.Event {
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
		if r.unlisted {
			c.nameRead(r)
		}
		adapter.AskBack(&r.event)
		return []umpire.Event{c.finished(r)}
	}
	o := c.observation(r)
	o.RPC, o.NoResult = a.rpc, a.rpc == nil && a.result == nil
	if a.rpc != nil && r.unlisted && (a.rpc.Message == "Resource not found" || strings.HasPrefix(a.rpc.Message, "unknown prompt ")) {
		o.Ran = "no"
	}
	r.answered(m)
	return []umpire.Event{c.judged(r, o)}
}

// learnNames takes note of what a list of resources, templates or prompts holds.
func (c *Conversation) learnNames(method string, result members) {
	known := c.w.registryNow()
	list, key, has := "resources", "uri", known.HasResource
	switch method {
	case methodTemplates:
		list, key, has = "resourceTemplates", "uriTemplate", known.HasTemplate
	case methodPrompts:
		list, key, has = "prompts", "name", known.HasPrompt
	}
	entries := result.get(list)
	for _, raw := range array(entries, len(entries)) {
		if name, ok := textOf(object(raw).get(key)); ok && len(name) <= maxTool {
			has(name)
		}
	}
}

// shookHands makes the event of a handshake that succeeded.
func (c *Conversation) shookHands(r *request, result members, at time.Time) []umpire.Event {
	e := umpire.Event{Kind: "session", StartedAt: r.event.StartedAt, ID: umpire.NewID()}
	c.identify(&e, r.meta)
	e.Server = c.w.Server()
	if supported := result.get("supportedVersions"); r.method == methodDiscover {
		var versions []string
		if json.Unmarshal(supported, &versions) != nil || !slices.Contains(versions, e.Protocol) {
			return nil // the client goes on to initialize
		}
	}
	if !c.w.isNewHandshake(&e, at) {
		return nil
	}
	e.Meta = adapter.CapabilityNames(r.capabilities)
	return []umpire.Event{e}
}

// handshake is what makes two handshakes the same.
type handshake struct {
	server, client               umpire.Peer
	protocol, transport, session string
}

func (w *Watcher) isNewHandshake(e *umpire.Event, at time.Time) bool {
	key := handshake{e.Server, e.Client, e.Protocol, e.Transport, e.SessionID}
	w.mu.Lock()
	defer w.mu.Unlock()
	if told, known := w.shaken[key]; known && at.Sub(told) < shakeAgain {
		return false
	}
	if w.shaken == nil || len(w.shaken) >= maxShakes {
		w.shaken = map[handshake]time.Time{}
	}
	w.shaken[key] = at
	return true
}

// registryNow is what is known of the names of the server as it is now.
func (w *Watcher) registryNow() *adapter.Registry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.registry
}
