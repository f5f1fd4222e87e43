package auth

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// MinPassword is the fewest characters of a password that Umpire accepts.
const MinPassword = 8

const (
	cookieName   = "umpire_session"
	sessionLife  = 30 * 24 * time.Hour
	sessionIdle  = 7 * 24 * time.Hour
	sessionKey   = "signed_in"
	loginsPerIP  = 10 // a minute
	loginsInAll  = 60 // a minute
	loginBodyMax = 4096
)

// hashing is how much work a check of the password is: 64 MiB, one pass. Tests
// make it cheap.
var hashing = argon2id.DefaultParams

// Config says how people are let in.
type Config struct {
	// Listen is the address that serve listens on.
	Listen string
	// Password is UMPIRE_ADMIN_PASSWORD. With one, people sign in on every
	// address; without, the listen address and the public one have to be this
	// machine's own.
	Password string
	// PublicURL is how people reach the server, or nil. One that is not this
	// machine needs a password as well: a proxy in front of a loopback address
	// opens it to whoever reaches the proxy.
	PublicURL *url.URL
	// Sessions keeps the sessions; nil keeps them in memory, until a restart.
	Sessions scs.Store
	// Log is told of every attempt to sign in; nil tells nobody.
	Log *slog.Logger
}

// Gate lets people in. It is made by New.
type Gate struct {
	public   *url.URL
	hash     string // empty: open on loopback
	sessions *scs.SessionManager
	cross    *http.CrossOriginProtection
	one      sync.Mutex // a check of a password takes 64 MiB: one at a time
	log      *slog.Logger
}

// New returns the gate, or an error when nobody could be told from a stranger.
func New(c Config) (*Gate, error) {
	g := &Gate{public: c.PublicURL, cross: http.NewCrossOriginProtection(), log: c.Log}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	if c.Password == "" {
		if !IsLoopback(c.Listen) {
			return nil, fault.New(fault.BadRequest, "cannot listen on "+c.Listen+" without a password: anybody could read the pages",
				"set UMPIRE_ADMIN_PASSWORD, or listen on 127.0.0.1")
		}
		if c.PublicURL != nil && !IsLoopback(c.PublicURL.Hostname()) {
			return nil, fault.New(fault.BadRequest, "cannot be reached as "+c.PublicURL.Host+" without a password: anybody could read the pages",
				"set UMPIRE_ADMIN_PASSWORD, also where a proxy asks for a password of its own")
		}
		return g, nil
	}
	if len([]rune(c.Password)) < MinPassword {
		return nil, fault.New(fault.BadRequest, "UMPIRE_ADMIN_PASSWORD is too short", "use at least 8 characters")
	}
	hash, err := argon2id.CreateHash(c.Password, hashing)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "cannot hash the password", "see the server's log")
	}
	g.hash = hash
	g.sessions = newSessions(c)
	return g, nil
}

func newSessions(c Config) *scs.SessionManager {
	s := scs.New()
	s.Store = c.Sessions
	if s.Store == nil {
		s.Store = memstore.New()
	}
	s.Lifetime, s.IdleTimeout = sessionLife, sessionIdle
	s.Cookie.Name = cookieName
	s.Cookie.HttpOnly = true
	s.Cookie.SameSite = http.SameSiteLaxMode
	s.Cookie.Path = "/"
	if c.PublicURL != nil {
		s.Cookie.Secure = c.PublicURL.Scheme == "https"
		if path := strings.TrimRight(c.PublicURL.Path, "/"); path != "" {
			s.Cookie.Path = path
		}
	}
	s.HashTokenInStore = true
	return s
}

// Open reports whether nobody has to sign in.
func (g *Gate) Open() bool { return g.hash == "" }

// Identify puts the grant of whoever asks into the request's context and refuses
// nobody: a request with a key of its own needs no grant. It goes around the
// pages and the read API alike. A request of a method that changes something has
// a grant only if it comes from a page of Umpire's own.
func (g *Gate) Identify(next http.Handler) http.Handler {
	if g.Open() {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if local(r, g.public) == nil && g.cross.Check(r) == nil {
				r = r.WithContext(withGrant(r.Context(), Grant{}))
			}
			next.ServeHTTP(w, r)
		})
	}
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.sessions.GetBool(r.Context(), sessionKey) && g.cross.Check(r) == nil {
			r = r.WithContext(withGrant(r.Context(), Grant{SignedIn: true}))
		}
		next.ServeHTTP(w, r)
	})
	return g.sessions.LoadAndSave(inner)
}

// Require lets only requests with a grant through to next and hands the others,
// with the reason, to refuse. It needs Identify around it.
func (g *Gate) Require(next http.Handler, refuse Refusal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := Granted(r.Context()); ok {
			next.ServeHTTP(w, r)
			return
		}
		refuse(w, r, g.reason(r))
	})
}

// reason says why a request has no grant.
func (g *Gate) reason(r *http.Request) *fault.Error {
	if g.Open() {
		if err := local(r, g.public); err != nil {
			return err
		}
	}
	if err := g.cross.Check(r); err != nil {
		return fault.Wrap(err, fault.Forbidden, "the request was sent by a page of another site", "open Umpire in a tab of its own")
	}
	return fault.New(fault.Unauthorized, "you are not signed in", "sign in with the operator's password")
}
