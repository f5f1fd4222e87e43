package gosdk

import (
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// session is what is known of one mcp.ServerSession.
type session struct {
	transport string
	// id stands in for a session id on transports that have none but whose
	// connection is the session: stdio, memory, sse.
	id string
	// agreed is the protocol version that initialize settled on; nil without one.
	agreed atomic.Pointer[string]
}

func newSession(ss *mcp.ServerSession) *session {
	return &session{transport: peekTransport(ss), id: umpire.NewID().String()}
}

// identify writes on e who asked, through what, and in which session.
func (w *watcher) identify(e *umpire.Event, r *mcp.CallToolRequest) {
	e.Server = *w.server.Load()
	e.SeenBy = "sdk"
	var meta map[string]any
	if r.Params != nil {
		meta = r.Params.Meta
	}
	var header http.Header
	if r.Extra != nil {
		header = r.Extra.Header
	}
	w.identifyClient(e, r.Session, meta)
	e.Platform = w.platforms.Of(e.Client.Name, header.Get("User-Agent"))
	w.identifySession(e, r.Session, meta, header)
	e.TraceID, e.SpanID = adapter.Trace(meta)
	e.Unsampled = e.TraceID != "" && adapter.Unsampled(meta)
}

// identifyClient takes the client from this request if it speaks a protocol
// whose requests name their client, and from the handshake of its session
// otherwise: never from another request.
func (w *watcher) identifyClient(e *umpire.Event, ss *mcp.ServerSession, meta map[string]any) {
	if version, ok := meta[metaProtocolVersion].(string); ok && version >= adapter.PerRequest {
		e.Protocol = version
		switch info := meta[metaClientInfo].(type) {
		case map[string]any:
			e.Client.Name, _ = info["name"].(string)
			e.Client.Version, _ = info["version"].(string)
		case *mcp.Implementation:
			if info != nil {
				e.Client = umpire.Peer{Name: info.Name, Version: info.Version}
			}
		}
		return
	}
	if ss == nil {
		return
	}
	if init := ss.InitializeParams(); init != nil {
		e.Protocol = init.ProtocolVersion // what the client asked for; see session.agreed
		if init.ClientInfo != nil {
			e.Client = umpire.Peer{Name: init.ClientInfo.Name, Version: init.ClientInfo.Version}
		}
	}
}

// identifySession finds the transport and the session (outcomes.md 6.1). A
// stateless HTTP request has no session of its own: the SDK makes a
// ServerSession for each.
func (w *watcher) identifySession(e *umpire.Event, ss *mcp.ServerSession, meta map[string]any, header http.Header) {
	if ss == nil {
		return
	}
	id := ss.ID()
	if header != nil && id == "" {
		e.Transport = "http"
		e.SessionID = adapter.Conversation(meta)
		return
	}
	s := w.sessions.Of(ss)
	if agreed := s.agreed.Load(); agreed != nil && meta[metaProtocolVersion] == nil {
		e.Protocol = *agreed
	}
	e.Transport = s.transport
	if header != nil {
		e.Transport = "http"
	}
	if id == "" {
		id = adapter.Conversation(meta)
	}
	if id == "" {
		id = s.id
	}
	e.SessionID = id
}
