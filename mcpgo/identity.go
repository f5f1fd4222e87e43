package mcpgo

import (
	"cmp"
	"context"
	"net/http"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// The keys of _meta under which a request says who sends it, from protocol
// version 2026-07-28 on.
const (
	metaProtocol = "io.modelcontextprotocol/protocolVersion"
	metaClient   = "io.modelcontextprotocol/clientInfo"
)

// constantID is what mcp-go calls the session of every stdio server. It is no
// id (outcomes.md 6.1); thisProcess stands for it, made at random, or as the proxy
// around this process calls it.
const constantID = "stdio"

var thisProcess = cmp.Or(adapter.Run(), umpire.NewID().String())

// identify writes on e who sent a request, through what, and in which session:
// by its context, its _meta and its headers. It serves events of every kind, and
// is called once for each request.
func (w *watcher) identify(e *umpire.Event, ctx context.Context, said *mcp.Meta, header http.Header) {
	e.Server = *w.server.Load()
	e.SeenBy = "sdk"
	e.User = w.user(ctx, header)
	var meta map[string]any
	if said != nil {
		meta = said.AdditionalFields
	}
	session := server.ClientSessionFromContext(ctx)
	identifyClient(e, session, meta, header)
	e.Platform = w.platforms.Of(e.Client.Name, header.Get("User-Agent"))
	identifySession(e, session, meta, header)
	e.TraceID, e.SpanID = adapter.Trace(meta)
	e.Unsampled = e.TraceID != "" && adapter.Unsampled(meta)
}

// user asks the owner who sent a request.
func (w *watcher) user(ctx context.Context, header http.Header) (user string) {
	if w.whoIs == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			user = ""
			w.client.Remark("the function of WithIdentify panicked: that request has no user")
		}
	}()
	return w.whoIs(ctx, header)
}

// identifyClient takes the client from this request if it speaks a protocol
// whose requests name their client, and from the handshake of its session
// otherwise: never from another request.
func identifyClient(e *umpire.Event, session server.ClientSession, meta map[string]any, header http.Header) {
	if version, ok := meta[metaProtocol].(string); ok && version >= adapter.PerRequest {
		e.Protocol = version
		if info, ok := meta[metaClient].(map[string]any); ok {
			e.Client.Name, _ = info["name"].(string)
			e.Client.Version, _ = info["version"].(string)
		}
		return
	}
	if known, ok := session.(server.SessionWithClientInfo); ok {
		info := known.GetClientInfo()
		e.Client = umpire.Peer{Name: info.Name, Version: info.Version}
	}
	if known, ok := session.(interface{ ProtocolVersion() string }); ok {
		e.Protocol = known.ProtocolVersion()
	}
	if e.Protocol == "" {
		e.Protocol = header.Get("Mcp-Protocol-Version") // as the handshake settled it
	}
}

// identifySession finds the transport and the session (outcomes.md 6.1).
func identifySession(e *umpire.Event, session server.ClientSession, meta map[string]any, header http.Header) {
	e.Transport = transportOf(session, header)
	id := ""
	if session != nil {
		id = session.SessionID()
	}
	if e.Transport == "stdio" && id == constantID {
		id = ""
	}
	if id == "" {
		id = adapter.Conversation(meta)
	}
	if id == "" && e.Transport == "stdio" {
		id = thisProcess
	}
	if e.SessionID = id; id == "" {
		e.SessionID, e.SessionDerived = adapter.Asker(e.User, header)
	}
}

// transportOf tells what carries the session, by the SDK's own types of it. For
// a session of another type it is "http" where there are headers, and "" else.
func transportOf(session server.ClientSession, header http.Header) string {
	if session != nil {
		switch reflect.TypeOf(session).String() {
		case "*server.stdioSession":
			return "stdio"
		case "*server.sseSession":
			return "sse"
		case "*server.streamableHttpSession":
			return "http"
		case "*server.InProcessSession":
			return "memory"
		}
	}
	if len(header) > 0 {
		return "http"
	}
	return ""
}
