package gosdk

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// The methods that the middleware looks at, with those of resource.go,
// registry.go and handshake.go. All others pass by untouched.
const (
	methodCall       = "tools/call"
	methodList       = "tools/list"
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
)

// An Option says something about the one server that is being watched.
type Option func(*watcher)

// WithRecover turns a panic of a tool into an error result ("internal error"),
// and one of a resource or prompt into a JSON-RPC error of that text, so that the
// process lives on. It is off by default: a panic that is watched
// ends the process as it would have done unwatched (outcomes.md 2.9).
func WithRecover() Option {
	return func(w *watcher) { w.recovers = true }
}

// WithIdentify gives each request the user id by which your own system knows its
// sender, as the user of its events: from RequestExtra.TokenInfo, from a header, or
// from the context as middleware that was added after Watch filled it. An empty id
// means not known. The function is called once for each request that is recorded,
// on its way to the tool, so it should only look up what is there. A panic in it
// costs that event its user and nothing else. Options.HashUsers sends a keyed hash in place of the
// id. Requests that are in no session are put into one by their user, or else by
// their token (outcomes.md 6.1).
func WithIdentify(user func(ctx context.Context, r mcp.Request) string) Option {
	return func(w *watcher) { w.whoIs = user }
}

// Watch records every tools/call of server with client, whether its tool was
// added before or is added later; and beside the calls, which tools are listed,
// handshakes, and each resource that was read and prompt that was taken, under the
// name that the server gave it. It may be called while the server is serving.
// Call it after the server's own middleware was added, so that it sees what the
// client sees. Watching a server twice with the same client changes nothing.
// Nothing happens for a nil server, and for a client that is nil or records
// nothing.
func Watch(server *mcp.Server, client *umpire.Client, opts ...Option) {
	if server == nil || !client.Enabled() {
		return
	}
	if !watched.Of(server).add(client) {
		return
	}
	w := newWatcher(server, client, opts)
	server.AddReceivingMiddleware(w.middleware)
}

// watcher watches one server for one client.
type watcher struct {
	client   *umpire.Client
	hooks    umpire.Options  // the owner's judgement hooks
	fine     map[string]bool // tools whose empty answers are fine
	recovers bool
	whoIs    func(context.Context, mcp.Request) string // of WithIdentify
	farewell adapter.Farewell
	ids      *adapter.CallIDs // of the run under a stdio proxy; nil without one

	// server is the peer written on events. It is read from the server when
	// watching begins and corrected by the handshake that passes through.
	server    atomic.Pointer[umpire.Peer]
	sessions  adapter.Table[mcp.ServerSession, session]
	platforms adapter.Platforms
	catalog   atomic.Pointer[catalog]
	registry  atomic.Pointer[adapter.Registry]
	open      openCalls
	marked    *markedTools // of the server, by AddTool
	intents   *adapter.Intents
	asking    asking
}

func newWatcher(server *mcp.Server, client *umpire.Client, opts []Option) *watcher {
	w := &watcher{client: client, hooks: client.Options(), marked: marked.Of(server), ids: adapter.ThisRun()}
	for _, o := range opts {
		if o != nil {
			o(w)
		}
	}
	w.fine = make(map[string]bool, len(w.hooks.EmptyIsFine))
	for _, tool := range w.hooks.EmptyIsFine {
		w.fine[tool] = true
	}
	w.intents = adapter.NewIntents(w.hooks)
	w.sessions.Make = newSession
	w.open.withdrawn = w.withdrawn
	w.open.givenUp = func(c *call) { w.client.Withdrawn(c.noted) }
	w.calledItself(peekServer(server))
	return w
}

// calledItself takes note of the name that the server gives itself.
func (w *watcher) calledItself(p umpire.Peer) {
	if old := w.server.Load(); old != nil && *old == p {
		return
	}
	w.server.Store(&p)
	w.catalog.Store(newCatalog(w.client, p))
	w.registry.Store(adapter.RegistryOf(w.client, p))
}

func (w *watcher) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodCall:
			if r, ok := req.(*mcp.CallToolRequest); ok {
				return w.callOrReport(ctx, r, next)
			}
		case methodList:
			res, err := next(ctx, method, req)
			w.sawList(ctx, req, res, err, next)
			return w.shown(ctx, req, res, err, next), err
		case methodRead, methodPrompt:
			return w.read(ctx, method, req, next)
		case methodResources, methodTemplates, methodPrompts:
			res, err := next(ctx, method, req)
			w.sawNames(res)
			return res, err
		case methodInitialize, methodDiscover:
			res, err := next(ctx, method, req)
			w.sawHandshake(req, res)
			w.shookHands(ctx, req, res, err)
			return res, err
		case methodCancelled:
			w.sawCancellation(req)
		}
		return next(ctx, method, req)
	}
}

// sawHandshake notes what only the answer to initialize tells: the server's
// name, and the protocol version that was agreed on.
func (w *watcher) sawHandshake(req mcp.Request, res mcp.Result) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	r, ok := res.(*mcp.InitializeResult)
	if !ok || r == nil {
		return
	}
	if r.ServerInfo != nil {
		w.calledItself(umpire.Peer{Name: r.ServerInfo.Name, Version: r.ServerInfo.Version})
	}
	if ss, ok := req.GetSession().(*mcp.ServerSession); ok && ss != nil {
		w.sessions.Of(ss).agreed.Store(&r.ProtocolVersion)
	}
}

// watched remembers who watches which server, so that watching twice is
// watching once.
var watched adapter.Table[mcp.Server, watchers]

type watchers struct {
	mu      sync.Mutex
	clients map[*umpire.Client]bool
}

// add reports whether client is new here.
func (w *watchers) add(client *umpire.Client) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clients[client] {
		return false
	}
	if w.clients == nil {
		w.clients = make(map[*umpire.Client]bool)
	}
	w.clients[client] = true
	return true
}
