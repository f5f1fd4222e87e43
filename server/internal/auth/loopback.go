package auth

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// IsLoopback reports whether a listen address ("127.0.0.1:8787", "[::1]:0",
// "localhost:80") can be reached from this machine only. An address without a
// host listens everywhere.
func IsLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		host = listen
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}

// LoopbackOnly lets only requests through that were addressed to this machine by
// a name of its own (localhost, 127.0.0.1, [::1], any port) or to the public
// address. A page elsewhere that points its own name at 127.0.0.1 (DNS rebinding)
// is told by its Host or Origin.
func LoopbackOnly(public *url.URL, refuse Refusal) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := local(r, public); err != nil {
				refuse(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Refusal writes the answer to a request that is not let through.
type Refusal func(http.ResponseWriter, *http.Request, *fault.Error)

// local checks Host and Origin of a request to a loopback address.
func local(r *http.Request, public *url.URL) *fault.Error {
	if !ownHost(r.Host, public) {
		return fault.New(fault.Forbidden, "this address is not one of Umpire's own",
			"open it as localhost or 127.0.0.1, or name the address with --public-url")
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || !ownHost(u.Host, public) {
		return fault.New(fault.Forbidden, "the request was sent by a page of another site",
			"open Umpire in a tab of its own")
	}
	return nil
}

// ownHost reports whether a Host header names this machine or the public address.
func ownHost(hostport string, public *url.URL) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	switch host {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return host != "" && public != nil && host == strings.ToLower(public.Hostname())
}
