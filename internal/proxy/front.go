package proxy

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// Front is a reverse proxy in front of an MCP server over Streamable HTTP. It is
// an http.Handler.
type Front struct {
	target  target
	hosts   []string // names that are the proxy's own; nil: any
	relay   *httputil.ReverseProxy
	watch   *sessions // nil: nobody watches
	feed    *feed
	closing atomic.Bool
}

// NewFront stands in front of the server at upstream. watcher may be nil; hosts
// are the names by which clients address the proxy, or nil for any.
func NewFront(upstream string, watcher *mcpwire.Watcher, hosts []string, say func(string)) (*Front, error) {
	t, err := newTarget(upstream)
	if err != nil {
		return nil, err
	}
	f := &Front{target: t, hosts: hosts}
	if watcher != nil {
		f.watch = &sessions{watcher: watcher, orphans: map[umpire.ID]orphan{}, streams: map[*mcpwire.Conversation]int{}, say: say}
		f.feed = newFeed(say)
		f.feed.put(f.watch, toldTick, nil, time.Now())
	}
	f.relay = &httputil.ReverseProxy{
		Rewrite: f.rewrite, Transport: newTransport(t.url.Scheme), FlushInterval: -1,
		ModifyResponse: f.answered, ErrorHandler: f.failed, ErrorLog: log.New(nowhere{}, "", 0),
		BufferPool: &buffers{},
	}
	return f, nil
}

// buffers lends the memory through which answers are copied.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }

// nowhere takes what the reverse proxy says about clients that left.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// newTransport asks for no coding that the client did not ask for.
func newTransport(scheme string) *http.Transport {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, DisableCompression: true,
		MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second, ExpectContinueTimeout: time.Second,
	}
	if scheme == "http" {
		// Node closes an idle connection after 5 seconds. A call that is sent at
		// that moment is lost, and a new connection is cheap on the same network.
		t.IdleConnTimeout = 4 * time.Second
	}
	return t
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !f.owns(r.Host) && !f.target.local {
		http.Error(w, "umpire proxy: this address is not one of the proxy's own; allow it with --host", http.StatusForbidden)
		return
	}
	r.Header.Del(adapter.CallHeader) // a client's own could give two calls one id
	var x *exchange
	if f.watch != nil {
		f.watch.guard(func() { x = f.watch.exchange(r) })
	}
	if x == nil {
		f.pass(w, r)
		return
	}
	if id, ok := f.ask(x, r); ok {
		r.Header.Set(adapter.CallHeader, id)
	}
	defer func() { // the relay may panic with http.ErrAbortHandler
		how := End{ClientLeft: r.Context().Err() != nil, Stopped: f.closing.Load()}
		f.feed.end(x, how, time.Now())
	}()
	f.pass(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
}

type exchangeKey struct{}

func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	return x
}

// owns reports whether host is a name of the proxy, in place of which the server
// sees its own. A page elsewhere that points its own name at this machine (DNS
// rebinding) comes by a foreign one: a server on this machine is shown that, to
// refuse it as it does without the proxy; in front of any other, where nothing
// like it can happen without the proxy, the proxy refuses it.
func (f *Front) owns(host string) bool {
	if f.hosts == nil {
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	for _, own := range f.hosts {
		if equalHost(name, own) {
			return true
		}
	}
	return false
}

func (f *Front) rewrite(r *httputil.ProxyRequest) {
	f.target.direct(r.Out)
	if !f.owns(r.In.Host) {
		r.Out.Host = r.In.Host
	}
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
	_, host, proto := r.Out.Header["X-Forwarded-For"], r.Out.Header["X-Forwarded-Host"], r.Out.Header["X-Forwarded-Proto"]
	r.SetXForwarded()
	if host != nil {
		r.Out.Header["X-Forwarded-Host"] = host
	}
	if proto != nil {
		r.Out.Header["X-Forwarded-Proto"] = proto
	}
	if f.watch != nil {
		readableOnly(r.Out.Header)
	}
}

// answered sees the head of the answer, and puts itself into the way of its body.
func (f *Front) answered(r *http.Response) error {
	if location := r.Header.Get("Location"); location != "" {
		r.Header.Set("Location", f.target.back(location))
	}
	x := exchangeOf(r.Request)
	if x == nil || r.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	h := headOf(r)
	f.watch.guard(func() { x.named(h.session) })
	f.feed.put(x, func(_ Tap, _ []byte, at time.Time) { x.answers(h, at) }, nil, time.Now())
	r.Body = &tee{body: r.Body, feed: f.feed, to: x, what: toldServer, end: x.through}
	return nil
}

// failed answers for a server that does not.
func (f *Front) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client has left, or we are closing
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusBadGateway)
	fmt.Fprintf(w, "umpire proxy: no answer from the MCP server at %s://%s: %v\n", f.target.url.Scheme, f.target.url.Host, err)
}

// Close lets the Taps hear what waits.
func (f *Front) Close(patience time.Duration) {
	if f.feed != nil {
		f.feed.end(f.watch, End{Stopped: true}, time.Now())
		f.feed.close(patience)
	}
}
