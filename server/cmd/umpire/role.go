package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// role is what a node does of all that there is to do (docs/cluster.md).
type role string

const (
	roleAll    role = "all"
	roleIngest role = "ingest" // the doors, the log and the pipeline
	roleWeb    role = "web"    // pages, read API and MCP endpoint
)

func (r role) takes() bool { return r != roleWeb }
func (r role) shows() bool { return r != roleIngest }

// check refuses a role whose other half could never see what it does.
func (r role) check(where dataFlag) error {
	if r == roleAll || r == "" {
		return nil
	}
	if where.Store == "" {
		return fault.New(fault.BadRequest, "--role "+string(r)+" needs a store that other nodes reach: DuckDB's file is this process's own",
			"add --store clickhouse://… and --meta postgres://…, or leave --role out")
	}
	if where.Meta == "" {
		return fault.New(fault.BadRequest, "--role "+string(r)+" needs metadata that other nodes reach: they could not know this node's projects and keys",
			"add --meta postgres://…, or leave --role out")
	}
	return nil
}

// handler is everything that listens on the network.
func (n *node) handler(flags listenFlag, eventsPerSecond int) (http.Handler, error) {
	public, err := publicURL(flags.PublicURL)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("GET /readyz", n.ready)
	if n.role.shows() {
		if err := n.surfaces(mux, flags, public); err != nil {
			return nil, err
		}
	} else {
		n.serveMetrics(mux, func(h http.Handler) http.Handler { return h })
		mux.HandleFunc("/", absent("this node takes events and shows nothing", "its pages are on a node with --role web or all"))
	}
	if !n.role.takes() {
		if flags.OTLPGRPC != "" || flags.DoorSentry {
			return nil, fault.New(fault.BadRequest, "--otlp-grpc and --door-sentry let events in, and --role web takes none", "give them to the nodes with --role ingest")
		}
		mux.HandleFunc("/api/v1/events", absent("this node shows events and takes none", "send them to a node with --role ingest or all"))
		return underPrefix(public, mux), nil
	}
	front := n.doors(mux, eventsPerSecond)
	return underPrefix(public, withHistory(flags.sentryDoor(front, mux))), nil
}

// absent answers for the other role.
func absent(message, hint string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		f := fault.New(fault.NotFound, message, hint)
		door.Write(w, f.Status(), fault.Body{Error: f})
	}
}

// readyWithin bounds how long a store may take to say that it is there.
const readyWithin = 3 * time.Second

// ready tells whether the node can do its part now: take and store events, answer
// questions. A node that takes listens only after its log was replayed. The metadata
// may be away: what is known of it holds.
func (n *node) ready(w http.ResponseWriter, r *http.Request) {
	if err := n.whyNotReady(r.Context()); err != nil {
		slog.Error("not ready", "err", err)
		http.Error(w, "not ready: the server's log says why", http.StatusServiceUnavailable)
		return
	}
	healthy(w, r)
}

func (n *node) whyNotReady(ctx context.Context) error {
	if n.pipe != nil {
		return n.pipe.Stats().Err
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	return n.store.Snapshot(ctx, func(r store.Reader) error {
		_, err := r.Kept(ctx, 0)
		return err
	})
}

// unheld refuses the directory of a node that runs: one that takes no events has no
// log, whose lock would tell.
func unheld(ctx context.Context, dir string) error {
	if _, ok := admin.Dial(ctx, dir); ok {
		return held(dir, nil)
	}
	return nil
}

// followDeletions deletes what a project has here when another node deleted the
// project: its events in the log, and those stored since.
func (n *node) followDeletions(ctx context.Context) {
	known := map[uint32]bool{}
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		now := map[uint32]bool{}
		for _, p := range n.meta.Projects() {
			now[p.ID] = true
		}
		for id := range known {
			if now[id] {
				continue
			}
			if err := n.pipe.DeleteProject(ctx, id); err != nil && ctx.Err() == nil {
				slog.Error("cannot delete the events of a project that is gone; it is tried again", "project", id, "err", err)
				now[id] = true
			}
		}
		known = now
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
