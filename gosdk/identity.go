package gosdk

import (
	"cmp"
	"context"
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
	s := &session{transport: peekTransport(ss), id: umpire.NewID().String()}
	if s.transport == "stdio" {
		s.id = cmp.Or(adapter.Run(), s.id) // the proxy around this process says the same
	}
	return s
}

// sender is what a request of any kind tells of who sent it.
type sender struct {
	session *mcp.ServerSession // nil if there is none
	meta    map[string]any
	header  http.Header
	// tokenUser is whom the bearer token stands for, as the server's verifier said.
	tokenUser string
}

// senderOf takes apart a request that a server got.
func senderOf(r mcp.Request) (from sender) {
	from.session, _ = r.GetSession().(*mcp.ServerSession)
	if extra := r.GetExtra(); extra != nil {
		from.header = extra.Header
		if extra.TokenInfo != nil {
			from.tokenUser = extra.TokenInfo.UserID
		}
	}
	from.meta = metaOf(r.GetParams())
	return from
}

func metaOf(p mcp.Params) (meta map[string]any) {
	defer func() { _ = recover() }() // parameters that are a nil pointer
	if p == nil {
		return nil
	}
	return p.GetMeta()
}

// identify writes on e who sent r, through what, and in which session. It serves
// events of every kind, and is called once for each request.
func (w *watcher) identify(e *umpire.Event, ctx context.Context, r mcp.Request) {
	from := senderOf(r)
	e.Server = *w.server.Load()
	e.SeenBy = "sdk"
	e.User = w.user(ctx, r)
	w.identifyClient(e, from.session, from.meta)
	e.Platform = w.platforms.Of(e.Client.Name, from.header.Get("User-Agent"))
	w.identifySession(e, &from)
	e.TraceID, e.SpanID = adapter.Trace(from.meta)
	e.Unsampled = e.TraceID != "" && adapter.Unsampled(from.meta)
}

// user asks the owner who sent r.
func (w *watcher) user(ctx context.Context, r mcp.Request) (user string) {
	if w.whoIs == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			user = ""
			w.client.Remark("the function of WithIdentify panicked: that request has no user")
		}
	}()
	return w.whoIs(ctx, r)
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
func (w *watcher) identifySession(e *umpire.Event, from *sender) {
	ss := from.session
	if ss == nil {
		return
	}
	id := ss.ID()
	if from.header != nil && id == "" {
		e.Transport = "http"
		e.SessionID = adapter.Conversation(from.meta)
		if e.SessionID == "" {
			e.SessionID, e.SessionDerived = adapter.Asker(cmp.Or(e.User, from.tokenUser), from.header)
		}
		return
	}
	s := w.sessions.Of(ss)
	if agreed := s.agreed.Load(); agreed != nil && from.meta[metaProtocolVersion] == nil {
		e.Protocol = *agreed
	}
	e.Transport = s.transport
	if from.header != nil {
		e.Transport = "http"
	}
	if id == "" && s.transport == "sse" {
		id = s.id // in place of the transport's, which is in its addresses and not told
	}
	if id == "" {
		id = adapter.Conversation(from.meta)
	}
	if id == "" {
		id = s.id
	}
	e.SessionID = id
}
