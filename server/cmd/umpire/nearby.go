package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire/internal/nearby"
	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

// socketKeys are the keys of the door behind the socket: whoever can open the
// socket owns the data, and may name a project in place of a key.
type socketKeys struct{ *meta.DB }

func (k socketKeys) Lookup(key string) (meta.Key, bool) {
	name, ok := nearby.ProjectOf(key)
	if !ok {
		return k.DB.Lookup(key)
	}
	project, err := k.EnsureProject(context.Background(), name)
	return meta.Key{Kind: meta.Write, Project: project}, err == nil
}

// socketHandler is what the socket answers: the command line, the read API for
// every project, and the doors.
func (n *node) socketHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", admin.Handler(n, n.readAPI(everything, true)))
	n.serveAlerts(mux)
	if !n.role.takes() {
		return mux
	}
	front := door.NewFront(n.pipe, socketKeys{n.meta}, door.Options{Usage: n.meta})
	native := ingest.New(front)
	n.calls.add(native.Open)
	mux.Handle("/api/v1/events", native)
	foreignDoors(mux, front)
	openTelemetry(mux, front)
	return withHistory(mux)
}

// openCalls is how many calls the senders hold open that come through a node's
// doors.
type openCalls struct {
	mu    sync.Mutex
	doors []func(project uint32) (calls int64, known bool)
}

func (o *openCalls) add(door func(uint32) (int64, bool)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.doors = append(o.doors, door)
}

// pending tells how many calls the senders of a project hold open; known is false
// if none of them says so, and where some may have said so to another node.
func (n *node) pending(project uint32) (calls int64, known bool) {
	if n.meta.Shared() {
		return 0, false
	}
	n.calls.mu.Lock()
	defer n.calls.mu.Unlock()
	for _, door := range n.calls.doors {
		if more, also := door(project); also {
			calls, known = calls+more, true
		}
	}
	return calls, known
}

// named gives each connection of the socket a name: its senders have no address,
// and are told apart by it.
func named() func(ctx context.Context, c net.Conn) context.Context {
	var count atomic.Uint64
	return func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, "socket-"+strconv.FormatUint(count.Add(1), 10))
	}
}

type connKey struct{}

func withName(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := r.Context().Value(connKey{}).(string); ok {
			r.RemoteAddr = name
		}
		next.ServeHTTP(w, r)
	})
}

// announce lets proxies of the same user find the server without being told of it.
func (n *node) announce(address string) (withdraw func()) {
	dir, err := filepath.Abs(n.dir)
	if err != nil {
		return func() {}
	}
	socket, err := admin.SocketPath(dir)
	if err != nil {
		return func() {}
	}
	withdraw, err = nearby.Announce(nearby.Server{Data: dir, Socket: socket, Address: address, Started: time.Now()})
	if err != nil { // a user without a home: proxies need --to and --key
		slog.Debug("cannot be found by proxies on this machine", "err", err)
		return func() {}
	}
	return withdraw
}
