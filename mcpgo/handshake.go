package mcpgo

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// methodDiscover is how clients shake hands from protocol 2026-07-28 on. Older
// versions of the SDK do not have its types.
const (
	methodDiscover   = "server/discover"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// addHandshakes has handshakes that succeeded recorded.
func (l listener) addHandshakes(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, r *mcp.InitializeRequest, res *mcp.InitializeResult) {
		if w, _ := l.watcher(ctx); w != nil && r != nil && res != nil {
			w.initialized(ctx, r, res)
		}
	})
	hooks.AddOnSuccess(func(ctx context.Context, _ any, method mcp.MCPMethod, message, result any) {
		if method != methodDiscover {
			return
		}
		if w, _ := l.watcher(ctx); w != nil {
			w.discovered(ctx, message, result)
		}
	})
}

func (w *watcher) initialized(ctx context.Context, r *mcp.InitializeRequest, res *mcp.InitializeResult) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	e := umpire.Event{Kind: "session", StartedAt: time.Now()}
	w.identify(&e, ctx, nil, r.Header)
	e.Protocol = res.ProtocolVersion
	e.Client = umpire.Peer{Name: r.Params.ClientInfo.Name, Version: r.Params.ClientInfo.Version}
	e.Platform = w.platforms.Of(e.Client.Name, r.Header.Get("User-Agent"))
	adapter.ShookHands(w.client, &e, r.Params.Capabilities)
}

func (w *watcher) discovered(ctx context.Context, message, result any) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	request := reflect.ValueOf(message).Elem()
	header, _ := request.FieldByName("Header").Interface().(http.Header)
	meta := metaOf(request.FieldByName("Params").Addr().Interface())
	e := umpire.Event{Kind: "session", StartedAt: time.Now()}
	w.identify(&e, ctx, meta, header)
	if meta == nil || !adapter.Agreed(result, e.Protocol) {
		return
	}
	adapter.ShookHands(w.client, &e, meta.AdditionalFields[metaCapabilities])
}
