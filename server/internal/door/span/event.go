package span

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
)

const (
	kindCall      = "call"
	kindCancelled = "cancelled"
)

// Of says whose span it is.
type Of struct {
	Vendor  string // seen_by, unless the span itself says who saw
	Project uint32
	SDK     umpire.Peer
}

// Event is the event that the span is; ok is false for a span of which there is
// none.
func (s *Span) Event(of Of) (e umpire.Event, ok bool) {
	if s.own() {
		return s.ownEvent(of)
	}
	method := s.Method()
	if method == "" {
		return e, false
	}
	e = s.base(of)
	switch method {
	case methodCall:
		ok = s.call(&e, of)
	case methodCancelled:
		ok = s.withdrawn(&e, of)
	case methodInitialize, methodDiscover:
		e.Kind, ok = "session", true
	case methodRead:
		e.Kind, ok = "resource", true
		s.read(&e, scheme(s.Attributes.Text("mcp.resource.uri")))
	case methodPrompt:
		e.Kind, ok = "prompt", true
		s.read(&e, s.Attributes.Text("gen_ai.prompt.name", "mcp.prompt.name", "mcp.resource_name"))
	}
	return e, ok
}

// base is what every event of a span has.
func (s *Span) base(of Of) umpire.Event {
	a, r := s.Attributes, s.Resource
	e := umpire.Event{
		StartedAt: s.Start, SeenBy: of.Vendor, SDK: of.SDK,
		ID:       door.ID(of.Vendor, of.Project, s.TraceID+"/"+s.ID),
		TraceID:  s.TraceID,
		SpanID:   s.ID,
		Protocol: a.Text("mcp.protocol.version", "mcp.protocol_version"),
		Server: umpire.Peer{
			Name:    cmp.Or(a.Text("mcp.server.name", "mcp.server_name", "fastmcp.server.name"), r.Text("mcp.server.name"), a.Text("traceloop.workflow.name"), r.Text("service.name")),
			Version: cmp.Or(a.Text("mcp.server.version", "mcp.server_version"), r.Text("mcp.server.version", "service.version")),
			Env:     cmp.Or(r.Text("deployment.environment.name", "deployment.environment"), a.Text("deployment.environment.name", "sentry.environment")),
		},
		Client: umpire.Peer{
			Name:    a.Text("mcp.client.name", "mcp.client_name"),
			Version: a.Text("mcp.client.version", "mcp.client_version"),
		},
		Transport: s.transport(),
		User:      a.Word("enduser.id", "user.id", "mcp.actor_id"),
		Intent:    a.Text("mcp.user_intent", "mcp.intent"),
	}
	if strings.HasPrefix(e.Server.Name, "unknown_service") {
		e.Server.Name = "" // OpenTelemetry's own name for none
	}
	if !s.End.Before(s.Start) && !s.Start.IsZero() && !s.End.IsZero() {
		us := int64(s.End.Sub(s.Start) / time.Microsecond)
		e.DurationUS = &us
	}
	if id := cmp.Or(a.Word("mcp.session.id", "mcp.session_id"), r.Text("mcp.session.id")); id != "stdio" { // mcp-go's for every process
		e.Session = session(id)
	}
	e.Platform = umpire.PlatformOf(e.Client.Name, a.Text("user_agent.original"))
	return e
}

// call judges the span's call. It is false where the protocol itself turned the
// request away (outcomes.md 1.2).
func (s *Span) call(e *umpire.Event, of Of) bool {
	r := s.report()
	switch {
	case r.RPCCode <= -32020 && r.RPCCode >= -32022:
		return false
	case r.RPCCode == -32042:
		e.Kind, e.Tool = "round", r.Tool
		return true
	case s.withdrawnCall(&r):
		e.Kind, e.Tool = kindCancelled, r.Tool
		if request := s.Attributes.Word("mcp.request.id", "jsonrpc.request.id"); request != "" {
			e.ID = s.requestID(of, request)
		}
		return true
	}
	e.Kind = kindCall
	took := e.DurationUS
	e.Call = s.judge(&r)
	e.DurationUS = took
	if r.Arguments != nil {
		e.Arguments = r.Arguments
		e.DigestArguments()
		if s.argumentNames() {
			n := int64(len(r.Arguments))
			e.RequestBytes = &n
		} else {
			e.InputKeys = nil
		}
	}
	if raw := s.Attributes.JSON("gen_ai.tool.call.result"); raw != nil && r.Result != nil {
		n := int64(len(raw))
		e.ResponseBytes = &n
	}
	if e.ResponseBytes == nil {
		e.ResponseBytes = s.Attributes.Size("mcp.response.size", "mcp.tool.result.size")
	}
	return true
}

// withdrawnCall reports whether the client gave the request up before its answer.
func (s *Span) withdrawnCall(r *door.Report) bool {
	if s.Cancelled {
		return true
	}
	x, _ := s.exception()
	class := last(cmp.Or(s.Attributes.Text("error.type"), x.Type))
	return class == "CancelledError" || s.traceloop() && door.Cancelled(s.failure())
}

// withdrawn is the event of notifications/cancelled. It names the request and not
// the tool, so that it counts only where the request has no span of its own: a
// cancelled span of the request has the same id.
func (s *Span) withdrawn(e *umpire.Event, of Of) bool {
	request := s.Attributes.Word("mcp.cancelled.request_id", "mcp.cancelled.requestId")
	if request == "" {
		return false
	}
	e.Kind, e.DurationUS = kindCancelled, nil
	e.ID = s.requestID(of, request)
	return true
}

// requestID is the same for all spans of one request of one session.
func (s *Span) requestID(of Of, request string) umpire.ID {
	in := cmp.Or(s.Attributes.Word("mcp.session.id"), s.TraceID)
	return door.ID(of.Vendor, of.Project, "request\x00"+in+"\x00"+request)
}

// read is what a resource or prompt has: how it ended, under a name that a server
// gave, or none.
func (s *Span) read(e *umpire.Event, name string) {
	r := s.report()
	r.Tool, r.Result, r.Empty = name, nil, false
	took := e.DurationUS
	if r.RPCCode == -32002 { // resource not found
		r.RPCCode = -32602
	}
	e.Call = r.Judge()
	e.DurationUS = took
}

// transport is how the server was reached.
func (s *Span) transport() string {
	own := strings.ToLower(s.Attributes.Text("mcp.transport", "mcp.transport.type"))
	for _, known := range []string{"stdio", "sse", "http"} {
		if strings.Contains(own, known) {
			return known
		}
	}
	switch s.Attributes.Text("network.transport") {
	case "pipe":
		return "stdio"
	case "tcp", "quic":
		return "http"
	}
	return ""
}

// session is the session id as Umpire's SDK writes it, so that both tell of one
// session (outcomes.md 6.1). The id itself may let its holder into the session.
func session(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("umpire session v1\x00" + id))
	return hex.EncodeToString(sum[:16])
}

// scheme is all that is kept of an address that a client read.
func scheme(uri string) string {
	before, _, ok := strings.Cut(uri, ":")
	if !ok || before == "" || len(before) > 32 {
		return ""
	}
	return strings.ToLower(before) + ":"
}
