package umpire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// broken are upstreams that answer nothing, and how a client of net/http fails
// on each: real sockets, since the chain is what is under test.
func broken(t *testing.T) map[string]error {
	t.Helper()
	ask := func(ctx context.Context, client *http.Client, address string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if err == nil {
			res.Body.Close()
			t.Fatalf("%s answered %s", address, res.Status)
		}
		return fmt.Errorf("cannot ask the tracker: %w", err)
	}
	dropping := func(drop func(*net.TCPConn)) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			drop(conn.(*net.TCPConn))
			conn.Close()
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	fresh := func() *http.Client {
		transport := &http.Transport{DisableKeepAlives: true}
		return &http.Client{Transport: transport}
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	t.Cleanup(secure.Close)
	impatient := fresh()
	impatient.Timeout = 20 * time.Millisecond
	canceledContext, cancel := context.WithCancel(t.Context())
	cancel()
	lost := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "tracker", IsNotFound: true}}
	}}}
	background := context.Background()
	return map[string]error{
		"connection_refused": ask(background, fresh(), nowhere(t)),
		"connection_reset":   ask(background, fresh(), dropping(func(c *net.TCPConn) { _ = c.SetLinger(0) })),
		"connection":         ask(background, fresh(), dropping(func(*net.TCPConn) {})),
		"timeout":            ask(background, impatient, silent.URL),
		"context.Canceled":   ask(canceledContext, fresh(), silent.URL),
		"tls":                ask(background, fresh(), secure.URL),
		"dns":                ask(background, lost, "http://tracker/"),
	}
}

// outcomes.md 5.1: a failure without an answer is named by its class.
func TestFailureClasses(t *testing.T) {
	for want, err := range broken(t) {
		if got, status := goErrorName(err); got != want || status != 0 {
			t.Errorf("%q is named %q %d, want %q", err, got, status, want)
		}
		o := failed(Upstream(err))
		if got := o.Judge(); got.Outcome != ToolError || got.ErrorType != want {
			t.Errorf("Upstream makes %s %q of %q, want %q", got.Outcome, got.ErrorType, err, want)
		}
	}
}

// Names that stay what they were, and what only looks like a class.
func TestNoFailureClass(t *testing.T) {
	no := errors.New("no")
	listening := func() error {
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer first.Close()
		_, err = net.Listen("tcp", first.Addr().String())
		return err
	}
	_, missing := os.Open(filepath.Join(t.TempDir(), "none"))
	for _, tt := range []struct {
		name string
		in   error
		want string
	}{
		{"a url.Error of which no more is known", fmt.Errorf("x: %w", &url.Error{Op: "Get", URL: "http://x", Err: no}), "url.Error"},
		{"an address that is none", &net.OpError{Op: "dial", Net: "tcp", Err: &net.AddrError{Err: "missing port", Addr: "x"}}, "net.OpError"},
		{"a port of one's own", listening(), "net.OpError"},
		{"a file", missing, "fs.PathError"},
		{"a reply code of SMTP", &textproto.Error{Code: 550, Msg: "no such mailbox"}, "textproto.Error"},
		{"a dial that timed out", &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}, "timeout"},
		{"a timeout behind an error that is none", errors.Join(&url.Error{Op: "Get", URL: "x", Err: no}, &net.DNSError{IsTimeout: true}), "timeout"},
		{"plain HTTP behind https", &url.Error{Op: "Get", URL: "https://x", Err: http.ErrSchemeMismatch}, "tls"},
		{"a record that is none", tls.RecordHeaderError{Msg: "x"}, "tls"},
		{"a connection used after its end", &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}, "connection"},
	} {
		if got, _ := goErrorName(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
