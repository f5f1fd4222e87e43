package gosdk

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// perRequest is the first protocol version in which a request carries its
// client's identity itself.
const perRequest = "2026-07-28"

// conversationKeys are the names under which clients put the id of the
// conversation into _meta (outcomes.md 6.1).
var conversationKeys = []string{"openai/session"}

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
	e.Platform = w.platforms.of(e.Client.Name, header.Get("User-Agent"))
	w.identifySession(e, r.Session, meta, header)
	if parent, ok := meta["traceparent"].(string); ok {
		e.TraceID, e.SpanID = parseTraceparent(parent)
	}
}

// identifyClient takes the client from this request if it speaks a protocol
// whose requests name their client, and from the handshake of its session
// otherwise: never from another request.
func (w *watcher) identifyClient(e *umpire.Event, ss *mcp.ServerSession, meta map[string]any) {
	if version, ok := meta[mcp.MetaKeyProtocolVersion].(string); ok && version >= perRequest {
		e.Protocol = version
		switch info := meta[mcp.MetaKeyClientInfo].(type) {
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
		e.SessionID = conversation(meta)
		return
	}
	s := w.sessions.of(ss)
	if agreed := s.agreed.Load(); agreed != nil && meta[mcp.MetaKeyProtocolVersion] == nil {
		e.Protocol = *agreed
	}
	e.Transport = s.transport
	if header != nil {
		e.Transport = "http"
	}
	if id == "" {
		id = conversation(meta)
	}
	if id == "" {
		id = s.id
	}
	e.SessionID = id
}

// platforms remembers what umpire.PlatformOf said: it is too dear for every call.
type platforms struct {
	mu sync.RWMutex
	m  map[[2]string]string // by client name and user agent
}

// maxPlatforms bounds what callers, who choose both texts, can have remembered.
const maxPlatforms = 256

func (p *platforms) of(client, userAgent string) string {
	key := [2]string{client, userAgent}
	p.mu.RLock()
	platform, ok := p.m[key]
	p.mu.RUnlock()
	if ok {
		return platform
	}
	platform = umpire.PlatformOf(client, userAgent)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m == nil || len(p.m) >= maxPlatforms {
		p.m = make(map[[2]string]string)
	}
	if len(client)+len(userAgent) < 1024 {
		p.m[[2]string{strings.Clone(client), strings.Clone(userAgent)}] = platform
	}
	return platform
}

func conversation(meta map[string]any) string {
	for _, key := range conversationKeys {
		if id, ok := meta[key].(string); ok && id != "" {
			return id
		}
	}
	return ""
}

// parseTraceparent reads a W3C traceparent (version-trace-span-flags). Anything
// else gives no ids.
func parseTraceparent(s string) (trace, span string) {
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || s[:2] == "ff" || (len(s) > 55 && s[55] != '-') {
		return "", ""
	}
	trace, span = s[3:35], s[36:52]
	if !isHex(s[:2]) || !isHex(trace) || !isHex(span) || strings.Trim(trace, "0") == "" || strings.Trim(span, "0") == "" {
		return "", ""
	}
	return trace, span
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
