package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
	"github.com/umpire-mcp/umpire/internal/nearby"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/mcpserver"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

// mcpCommand lets an agent ask over stdio.
type mcpCommand struct {
	askFlags
	AllowQuery bool `name:"allow-query" help:"Offer run_query, SQL over views of the project. A server that is asked with --to has to allow it, too." env:"UMPIRE_ALLOW_QUERY"`
}

// Help implements kong.HelpProvider.
func (mcpCommand) Help() string {
	return `An MCP server over stdin and stdout, for an editor or an agent: the same tools as under /mcp of a running server. In the client's configuration:

    {"command": "umpire", "args": ["mcp", "--to", "http://127.0.0.1:8787"], "env": {"UMPIRE_READ_KEY": "ump_r_…"}}

With --data it asks a data directory, through the server that runs there if one does.`
}

func (c *mcpCommand) Run(ctx context.Context) error {
	who, err := c.each()
	if err != nil {
		return err
	}
	s := mcpserver.New(mcpserver.Options{HTTP: who.client, Base: who.base, Key: who.key, Version: buildVersion(), Query: c.AllowQuery})
	err = s.Run(ctx, &mcp.StdioTransport{})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil // the client has left
	}
	return err
}

// ownProject is where Umpire puts the calls of its own endpoint, unless somebody
// sends events to a project of that name.
const ownProject = "umpire"

// isOwn reports whether the project is Umpire's: it has the name, and nobody was
// given a key to write to it.
func isOwn(db *meta.DB, p meta.Project) bool {
	if p.Name != ownProject || p.Demo {
		return false
	}
	for _, k := range db.Keys(p.ID) {
		if k.Writes() {
			return false
		}
	}
	return true
}

// mcpEndpoint adds /mcp and its description to what listens on the network. It
// asks the read API in this process, with the key of each request.
func (n *node) mcpEndpoint(mux *http.ServeMux, gate *auth.Gate, public *url.URL, allowQuery bool) {
	address := ""
	if public != nil {
		address = public.String()
	}
	// Whoever comes without a key was let in by the gate.
	let := func(r *http.Request) (api.Grant, error) {
		if r.Header.Get("Authorization") == "" {
			return everything(r)
		}
		return n.reader(r)
	}
	s := mcpserver.New(mcpserver.Options{
		HTTP: &http.Client{Transport: remote.InProcess(n.readAPI(let, allowQuery))}, Base: "http://umpire", Version: buildVersion(), Log: slog.Default(),
		Query: allowQuery,
	})
	used := new(atomic.Bool)
	if n.role.takes() {
		n.watchOwn(s, used)
	}
	handler := mcpserver.Handler(s, func(r *http.Request) error {
		_, err := n.reader(r)
		if err == nil {
			used.Store(true)
		}
		return err
	}, address)
	mux.Handle(mcpserver.Path, gate.Identify(handler))
	mux.Handle("GET "+mcpserver.MetadataPath, mcpserver.Metadata(address))
	mux.Handle("GET "+mcpserver.MetadataPath+mcpserver.Path, mcpserver.Metadata(address))
}

// watchOwn records the endpoint's calls in a project of Umpire's own, through the
// same door as everybody's events, without a network and without a spool: what
// cannot be written is lost, and nothing waits for it. Recording is no question,
// so it cannot cause more of itself. Until used is set nothing is recorded: a server
// that nobody asks over MCP has no project of its own. A node that takes no events
// records none.
func (n *node) watchOwn(s *mcp.Server, used *atomic.Bool) {
	if n.pipe == nil {
		return
	}
	native := ingest.New(door.NewFront(n.pipe, socketKeys{n.meta}, door.Options{}))
	own := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, there := n.meta.Project(ownProject); !used.Load() || there && !isOwn(n.meta, p) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"accepted":0,"duplicates":0}`)
			return
		}
		native.ServeHTTP(w, r)
	})
	n.own = umpire.New(umpire.Options{
		Endpoint: "http://umpire", Key: nearby.Key(ownProject), SpoolDir: "-", NoInFlight: true, QueueSize: 1000, QueueBytes: 4 << 20,
		HTTPClient: &http.Client{Transport: remote.InProcess(own)},
	})
	gosdk.Watch(s, n.own)
}

// closeOwn sends what is recorded while there is somebody to take it.
func (n *node) closeOwn(ctx context.Context) {
	if n.own == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := n.own.Close(ctx); err != nil {
		slog.Warn("some calls of Umpire's own MCP endpoint were not recorded", "err", err)
	}
}
