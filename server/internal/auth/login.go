package auth

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/go-chi/httprate"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Throttle bounds how often somebody may try to sign in, by address and in all.
// What is over goes to refuse, with Retry-After set.
func (g *Gate) Throttle(next http.Handler, refuse Refusal) http.Handler {
	if g.Open() {
		return next
	}
	return loginLimit(next, refuse)
}

// loginLimit is two limits, one in the other: somebody who owns many addresses
// still cannot keep the server hashing.
func loginLimit(next http.Handler, refuse Refusal) http.Handler {
	over := httprate.WithLimitHandler(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, fault.New(fault.TooMany, "too many attempts to sign in", "wait a minute, then try again"))
	})
	perIP := httprate.LimitBy(loginsPerIP, time.Minute, byAddress, over)
	inAll := httprate.LimitBy(loginsInAll, time.Minute, httprate.Key("*"), over)
	return perIP(inAll(next))
}

// byAddress is who connects. No header is asked: whoever sends it could write it.
// Behind a proxy all people share the proxy's address, and its limit.
func byAddress(r *http.Request) (string, error) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return httprate.CanonicalizeIP(host), nil
}

// SignIn checks the password of a login form and begins a session. The answer to
// a wrong password says nothing but that.
func (g *Gate) SignIn(w http.ResponseWriter, r *http.Request) error {
	if g.Open() {
		return fault.New(fault.NotFound, "nobody signs in here", "open the pages directly")
	}
	if err := g.cross.Check(r); err != nil {
		return fault.Wrap(err, fault.Forbidden, "the form was sent by a page of another site", "open Umpire in a tab of its own")
	}
	r.Body = http.MaxBytesReader(w, r.Body, loginBodyMax)
	if err := r.ParseForm(); err != nil {
		return fault.Wrap(err, fault.BadRequest, "the form could not be read", "send it again")
	}
	ok, err := g.matches(r.PostForm.Get("password"))
	if err != nil {
		return fmt.Errorf("cannot check the password: %w", err)
	}
	if !ok {
		g.log.Warn("sign-in refused", "remote", r.RemoteAddr)
		return fault.New(fault.Unauthorized, "that is not the password", "it is the one that UMPIRE_ADMIN_PASSWORD was set to when the server started")
	}
	// A new token: one that was planted before signing in is worth nothing.
	if err := g.sessions.RenewToken(r.Context()); err != nil {
		return fmt.Errorf("cannot begin a session: %w", err)
	}
	g.sessions.Put(r.Context(), sessionKey, true)
	g.log.Info("signed in", "remote", r.RemoteAddr)
	return nil
}

// matches compares in constant time (argon2id does), one at a time.
func (g *Gate) matches(password string) (bool, error) {
	g.one.Lock()
	defer g.one.Unlock()
	return argon2id.ComparePasswordAndHash(password, g.hash)
}

// SignOut ends the session.
func (g *Gate) SignOut(r *http.Request) error {
	if g.Open() {
		return nil
	}
	if err := g.cross.Check(r); err != nil {
		return fault.Wrap(err, fault.Forbidden, "the request was sent by a page of another site", "sign out from Umpire's own page")
	}
	if err := g.sessions.Destroy(r.Context()); err != nil {
		return fmt.Errorf("cannot end the session: %w", err)
	}
	return nil
}

// LocalPath returns next if it is a path on this server, and fallback otherwise:
// a login link must not lead elsewhere. "//host", "/\host" and anything with a
// scheme, a host or a control character leads elsewhere.
func LocalPath(next, fallback string) string {
	if !strings.HasPrefix(next, "/") || strings.ContainsRune(next, '\\') {
		return fallback
	}
	for _, c := range next {
		if c < ' ' || c == 0x7f {
			return fallback
		}
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.HasPrefix(u.Path, "//") {
		return fallback
	}
	return next
}
