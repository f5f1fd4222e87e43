package mcpgo

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// An Option says something about the one server that is being watched.
type Option func(*watcher)

// WithRecover turns a panic of a tool into an error result ("internal error"),
// and one of a resource or prompt into a JSON-RPC error of that text, so that the
// process lives on wherever it runs. It is off by default: a panic
// that is watched goes on as it would have done unwatched (outcomes.md 2.9).
func WithRecover() Option {
	return func(w *watcher) { w.recovers = true }
}

// WithIdentify gives each request the user id by which your own system knows its
// sender, as the user of its events: from the context as WithHTTPContextFunc and
// its like filled it, or from a header (empty where there is no HTTP; middleware of
// tools runs later and has no say). An empty id means not known. The function is
// called once for each request that is recorded, on its way to the tool, so it
// should only look up what is there. A panic in it costs that event its user and
// nothing else.
// Options.HashUsers sends a keyed hash in place of the id. Requests that are in no
// session are put into one by their user, or else by their token (outcomes.md 6.1).
func WithIdentify(user func(ctx context.Context, header http.Header) string) Option {
	return func(w *watcher) { w.whoIs = user }
}

// Watch records every tools/call of s with client, whether its tool was added
// before or is added later; and beside the calls, which tools are listed,
// handshakes, and each resource that was read and prompt that was taken, under the
// name that the server gave it. Call it before serving: mcp-go does not guard its
// hooks against requests that are running. Called before the server's own
// middleware is added with Use, it sees what that middleware gives back, too;
// what the client gets is judged either way. Watching a server twice with the
// same client changes nothing. Nothing happens for a nil server, and for a
// client that is nil or records nothing.
func Watch(s *server.MCPServer, client *umpire.Client, opts ...Option) {
	if s == nil || !client.Enabled() {
		return
	}
	w := newWatcher(s, client, opts)
	if !watched.Of(s).add(client, w) {
		return
	}
	hooks := s.GetHooks()
	if hooks == nil {
		hooks = new(server.Hooks)
		server.WithHooks(hooks)(s)
	}
	// Servers may share their hooks: those of one client are added once.
	if hooked.Of(hooks).add(client, nil) {
		listener{client}.addTo(hooks)
	}
	s.Use(w.middleware)
	server.WithResourceHandlerMiddleware(w.readMiddleware)(s)
	server.WithPromptHandlerMiddleware(w.promptMiddleware)(s)
	w.offerMissingTool(s)
}

// watcher watches one server for one client. It does not hold the server: each
// request brings it along.
type watcher struct {
	client   *umpire.Client
	hooks    umpire.Options  // the owner's judgement hooks
	fine     map[string]bool // tools whose empty answers are fine
	recovers bool
	whoIs    func(context.Context, http.Header) string // of WithIdentify
	farewell adapter.Farewell
	ids      *adapter.CallIDs // of the run under a stdio proxy; nil without one

	// server is the peer written on events. It is read from the server when
	// watching begins and corrected by the handshake that passes through.
	server    atomic.Pointer[umpire.Peer]
	platforms adapter.Platforms
	catalog   atomic.Pointer[adapter.Catalog[mcp.Tool]]
	registry  atomic.Pointer[adapter.Registry]
	shapes    shapes
	open      openCalls
	intents   *adapter.Intents
	asking    asking
	// unmarked is set when a request reached the middleware without its mark:
	// some middleware makes requests of its own, so that a call which was not
	// seen to reach its handler may have done so.
	unmarked atomic.Bool
}

func newWatcher(s *server.MCPServer, client *umpire.Client, opts []Option) *watcher {
	w := &watcher{client: client, hooks: client.Options(), ids: adapter.ThisRun()}
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
	w.open.withdrawn = w.withdrawn
	w.calledItself(peekServer(s))
	return w
}

// calledItself takes note of the name that the server gives itself.
func (w *watcher) calledItself(p umpire.Peer) {
	if old := w.server.Load(); old != nil && *old == p {
		return
	}
	w.server.Store(&p)
	w.catalog.Store(catalogs.Of(w.client, p))
	w.registry.Store(adapter.RegistryOf(w.client, p))
}

// watched and hooked remember what is watched, and whose hooks were added, so
// that watching twice is watching once.
var (
	watched adapter.Table[server.MCPServer, watchers]
	hooked  adapter.Table[server.Hooks, watchers]
)

// watchers are the watchers of one server, or of one set of hooks.
type watchers struct {
	mu sync.RWMutex
	m  map[*umpire.Client]*watcher
}

// add reports whether client is new here.
func (w *watchers) add(client *umpire.Client, its *watcher) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.m[client]; known {
		return false
	}
	if w.m == nil {
		w.m = make(map[*umpire.Client]*watcher)
	}
	w.m[client] = its
	return true
}

func (w *watchers) of(client *umpire.Client) *watcher {
	if w == nil {
		return nil
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.m[client]
}

// listener is what is added to a server's hooks for one client.
type listener struct{ client *umpire.Client }

// watcher returns the watcher of the server that is serving ctx.
func (l listener) watcher(ctx context.Context) (*watcher, *server.MCPServer) {
	s := server.ServerFromContext(ctx)
	if s == nil {
		return nil, nil
	}
	return watched.Find(s).of(l.client), s
}

func (l listener) addTo(hooks *server.Hooks) {
	hooks.AddBeforeCallTool(func(ctx context.Context, _ any, r *mcp.CallToolRequest) {
		if w, s := l.watcher(ctx); w != nil {
			w.arrived(ctx, s, r)
		}
	})
	hooks.AddAfterCallTool(func(ctx context.Context, _ any, r *mcp.CallToolRequest, result any) {
		if w, s := l.watcher(ctx); w != nil {
			w.answered(s, r, result)
		}
	})
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
		if method != mcp.MethodToolsCall {
			return
		}
		if w, s := l.watcher(ctx); w != nil {
			w.failed(ctx, s, message, err)
		}
	})
	hooks.AddAfterListTools(func(ctx context.Context, _ any, r *mcp.ListToolsRequest, res *mcp.ListToolsResult) {
		if w, s := l.watcher(ctx); w != nil {
			w.sawList(s, r, res)
			w.show(ctx, s, res)
		}
	})
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, res *mcp.InitializeResult) {
		if w, _ := l.watcher(ctx); w != nil && res != nil {
			w.calledItself(umpire.Peer{Name: res.ServerInfo.Name, Version: res.ServerInfo.Version})
		}
	})
	l.addHandshakes(hooks)
	l.addReads(hooks)
	l.addLists(hooks)
}
