package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

const (
	// DefaultListen is where a proxy listens that was told nothing.
	DefaultListen = "127.0.0.1:8788"
	// answersFor is how long requests under way may last once the proxy was told
	// to end; streams that a client only listens on end at once.
	answersFor = 10 * time.Second
)

// front stands in front of a server until it is told to end.
func (j *Job) front(stderr io.Writer) (Ended, error) {
	say := sayTo(stderr)
	listen := j.Listen
	if listen == "" {
		listen = DefaultListen
	}
	if _, err := newTarget(j.Upstream); err != nil {
		return Ended{Code: 2}, err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return Ended{Code: 1}, fmt.Errorf("cannot listen on %q: %w", listen, err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the heap is a few MB: at 100 it would be collected all the time
	}
	w := j.watch(mcpwire.Config{Transport: "http"}, say)
	defer w.close()
	var watcher *mcpwire.Watcher
	if w != nil {
		watcher = w.watcher
	}
	f, err := NewFront(j.Upstream, watcher, j.ownHosts(listener.Addr()), say)
	if err != nil {
		listener.Close()
		return Ended{Code: 2}, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !j.Quiet {
		say(fmt.Sprintf("http://%s stands in front of %s", listener.Addr(), shown(j.Upstream)))
	}
	if err := f.serve(ctx, listener); err != nil {
		return Ended{Code: 1}, err
	}
	f.Close(closeLimit / 2)
	return Ended{}, nil
}

// ownHosts are the names that a proxy may be addressed by which only this machine
// reaches. Any other is reached from elsewhere, by whatever name it has there.
func (j *Job) ownHosts(addr net.Addr) []string {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && len(j.Hosts) == 0 {
		return nil
	}
	return append([]string{"localhost", "127.0.0.1", "::1"}, j.Hosts...)
}

// serve serves until ctx ends, and then lets the requests under way end.
func (f *Front) serve(ctx context.Context, listener net.Listener) error {
	streams, endStreams := context.WithCancel(context.Background())
	defer endStreams()
	server := &http.Server{
		Handler: f.until(streams), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: f.relay.ErrorLog,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("cannot serve: %w", err)
	case <-ctx.Done():
	}
	f.closing.Store(true)
	endStreams()
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), answersFor)
	defer cancel()
	if err := server.Shutdown(patience); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("cannot stop gracefully: %w", err)
	}
	return server.Close()
}

// until ends the requests that only listen when ctx ends.
func (f *Front) until(ctx context.Context) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			own, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			r = r.WithContext(own)
		}
		f.ServeHTTP(w, r)
	})
}
