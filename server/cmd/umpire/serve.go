package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/umpire-mcp/umpire/redact"
	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/web"
)

type serveCommand struct {
	dataFlag
	listenFlag
	resourceFlags
	backlogFlags
	alertFlags
	forwardFlags
	Role            role     `help:"What this node does: all; ingest, which takes events and shows nothing; web, which shows and takes none. Other than all needs a store and metadata that the nodes share (docs/cluster.md)." default:"all" enum:"all,ingest,web" env:"UMPIRE_ROLE"`
	EventsPerSecond int      `help:"Most events a second that one key may send; 0 for no limit." default:"0" env:"UMPIRE_EVENTS_PER_SECOND"`
	RedactOff       []string `name:"redact-off" help:"Rules of redaction to leave out, with commas between them; docs/redaction.md names them. What they find is stored as it comes." placeholder:"RULES" env:"UMPIRE_REDACT_OFF"`
}

// listenFlag is where the doors and the pages are, and who may come in.
type listenFlag struct {
	Listen    string `help:"Address to listen on. Another than a loopback address needs UMPIRE_ADMIN_PASSWORD." default:"127.0.0.1:8787" env:"UMPIRE_LISTEN"`
	PublicURL string `name:"public-url" help:"Address that people and servers use, behind a reverse proxy." placeholder:"URL" env:"UMPIRE_PUBLIC_URL"`
	// AllowQuery is about the network: who may read the directory may ask anyway.
	AllowQuery bool `name:"allow-query" help:"Let read keys ask in SQL, over views of their project, within limits: run_query at /mcp, /api/v1/query (docs/sql.md)." env:"UMPIRE_ALLOW_QUERY"`
	doorFlags
}

func (c *serveCommand) Run(ctx context.Context) error {
	takes, err := c.resolve()
	if err != nil {
		return err
	}
	takes.apply()
	for _, secret := range []string{"UMPIRE_META", "UMPIRE_STORE"} { // no child process needs their passwords
		_ = os.Unsetenv(secret)
	}
	opts := pipeline.Options{RedactOff: knownRules(c.RedactOff)}
	if err := c.bound(c.Data, &opts); err != nil {
		return err
	}
	alerts, err := c.options()
	if err != nil {
		return err
	}
	var n *node
	out, err := c.open(c.Data, &opts, func(id uint32) (string, bool) { return n.projectName(id) })
	if err != nil {
		return err
	}
	if n, err = openNodeWith(ctx, c.dataFlag, c.Role, opts, takes); err != nil {
		return err
	}
	n.startForward(out)
	s, err := start(n, c.listenFlag, c.EventsPerSecond)
	if err != nil {
		return errors.Join(err, n.close(ctx))
	}
	if n.role.takes() {
		defer n.announce(s.url)()
		go n.expireDaily(ctx)
		go giveBack(ctx, n.pipe.AppliedTo, debug.FreeOSMemory)
		if n.meta.Shared() {
			go n.followDeletions(ctx)
		}
	}
	if err := n.startAlerts(ctx, alerts, c.PublicURL, s.url); err != nil {
		return errors.Join(err, s.stop(ctx), n.close(ctx))
	}
	slog.Info("umpire serves", "address", s.url, "data", c.Data, "role", string(n.role), "metadata", n.meta.Where(), "version", buildVersion())
	if len(n.meta.Projects()) == 0 {
		slog.Info("no project yet", "hint", "umpire key add --data "+c.Data+" --project NAME --write")
	}
	select {
	case <-ctx.Done():
		slog.Info("stopping")
	case err = <-s.failed:
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return errors.Join(err, s.stop(closing), n.close(closing))
}

// knownRules leaves out, and says, what is no rule of redaction.
func knownRules(names []string) (known []string) {
	all := redact.Names()
	for _, name := range names {
		switch name = strings.TrimSpace(name); {
		case slices.Contains(all, name):
			known = append(known, name)
		case name != "":
			slog.Warn("--redact-off names no rule of redaction: ignored", "rule", name, "hint", "one of "+strings.Join(all, " "))
		}
	}
	return known
}

// serving is a node that listens.
type serving struct {
	url        string
	http       *http.Server
	failed     chan error
	stopSocket func()
	stopGRPC   func(context.Context)
}

// start opens the network address and the socket of an open node.
func start(n *node, flags listenFlag, eventsPerSecond int) (*serving, error) {
	handler, err := n.handler(flags, eventsPerSecond)
	if err != nil {
		return nil, err
	}
	listener, err := listen(flags.Listen)
	if err != nil {
		return nil, err
	}
	stopSocket, err := n.serveSocket()
	if err != nil {
		listener.Close()
		return nil, err
	}
	failed := make(chan error, 2)
	stopGRPC, err := serveGRPC(n.otlp, flags.OTLPGRPC, failed)
	if err != nil {
		listener.Close()
		stopSocket()
		return nil, err
	}
	s := &serving{
		url: "http://" + listener.Addr().String(), failed: failed, stopSocket: stopSocket, stopGRPC: stopGRPC,
		http: &http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
			ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
		},
	}
	go func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("cannot serve on %q: %w", flags.Listen, err)
		}
	}()
	return s, nil
}

func listen(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fault.Wrap(err, fault.Conflict, address+" is in use", "stop what listens there, or choose another address with --listen")
	case err != nil:
		return nil, fault.Wrap(err, fault.BadRequest, "cannot listen on "+address, "give --listen as host:port, such as 127.0.0.1:8787")
	}
	return listener, nil
}

// stop takes no more requests and lets those under way end.
func (s *serving) stop(ctx context.Context) error {
	s.stopSocket()
	s.stopGRPC(ctx)
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("cannot stop gracefully: %w", err), s.http.Close())
	}
	return nil
}

// surfaces adds what shows events: pages, read API, MCP endpoint.
func (n *node) surfaces(mux *http.ServeMux, flags listenFlag, public *url.URL) error {
	gate, err := auth.New(auth.Config{Listen: flags.Listen, Password: os.Getenv("UMPIRE_ADMIN_PASSWORD"), PublicURL: public, Log: slog.Default()})
	if err != nil {
		return err
	}
	// The password is not for child processes or a dump of the environment.
	_ = os.Unsetenv("UMPIRE_ADMIN_PASSWORD")
	pages, err := web.New(n.store, pageProjects{n.meta}, web.Options{
		Gate: gate, PublicURL: public, DataDir: n.dir, Version: buildVersion(), Log: slog.Default(), Pending: n.pending, Dropped: n.dropped,
		Prefs: n.prefs, Settings: pageSettings{n}, Alerts: pageAlerts{n},
	})
	if err != nil {
		return err
	}
	mux.Handle("/api/v1/", gate.Identify(n.readAPI(n.reader, flags.AllowQuery)))
	n.serveMetrics(mux, gate.Identify)
	n.mcpEndpoint(mux, gate, public, flags.AllowQuery)
	mux.Handle("/", pages)
	return nil
}

// doors adds what lets events in.
func (n *node) doors(mux *http.ServeMux, eventsPerSecond int) *door.Front {
	front := door.NewFront(n.pipe, n.meta, door.Options{
		Usage: n.meta, EventsPerSecond: eventsPerSecond, Aside: n.asideFile(), Now: now,
	})
	n.front = front
	native := ingest.New(front)
	n.calls.add(native.Open)
	mux.Handle("/api/v1/events", native)
	foreignDoors(mux, front)
	n.otlp = openTelemetry(mux, front)
	return front
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok")
}

// underPrefix lets the doors answer under the public address's path as well; the
// pages do that themselves.
func underPrefix(public *url.URL, next http.Handler) http.Handler {
	if public == nil {
		return next
	}
	prefix := strings.TrimRight(public.Path, "/")
	if prefix == "" {
		return next
	}
	stripped := http.StripPrefix(prefix, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, prefix+"/") {
			stripped.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func publicURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // none was given
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fault.New(fault.BadRequest, "--public-url is no address", "give it as https://umpire.example.com or https://example.com/umpire")
	}
	return u, nil
}
