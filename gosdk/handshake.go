package gosdk

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// methodDiscover is how clients shake hands from protocol 2026-07-28 on.
const (
	methodDiscover   = "server/discover"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// shookHands records the handshake of a session, if it succeeded.
func (w *watcher) shookHands(ctx context.Context, req mcp.Request, res mcp.Result, err error) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if err != nil {
		return
	}
	e := umpire.Event{Kind: "session", StartedAt: time.Now()}
	w.identify(&e, ctx, req)
	if !adapter.Agreed(res, e.Protocol) {
		return
	}
	capabilities := senderOf(req).meta[metaCapabilities]
	if p, ok := req.GetParams().(*mcp.InitializeParams); ok && p != nil {
		capabilities = p.Capabilities
		if e.Client == (umpire.Peer{}) && p.ClientInfo != nil { // the SDK has not yet kept it
			e.Client = umpire.Peer{Name: p.ClientInfo.Name, Version: p.ClientInfo.Version}
			e.Platform = w.platforms.Of(e.Client.Name, senderOf(req).header.Get("User-Agent"))
		}
	}
	adapter.ShookHands(w.client, &e, capabilities)
}
