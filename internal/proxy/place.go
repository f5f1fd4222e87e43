package proxy

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/nearby"
)

const (
	// LocalAddress is where `umpire serve` listens by default.
	LocalAddress = "http://127.0.0.1:8787"
	// DefaultProject takes the events of a proxy that was told nothing.
	DefaultProject = "local"

	reachLimit = 2 * time.Second
)

// Place is where the events go.
type Place struct {
	Options umpire.Options
	// Wrong is what is wrong with what was asked for: there is no such place.
	Wrong error
	// Nothing says why nothing is recorded; "" otherwise.
	Nothing string
	// Reach tells where the events go now, in words; ok is false when nobody
	// answers there.
	Reach func(ctx context.Context) (where string, ok bool)
}

// PlaceOf decides where events go that to, key and project describe, any of which
// may be empty. Without address and key it is the Umpire that runs on this machine
// for this user, found anew whenever there is something to send.
func PlaceOf(to, key, project string) Place {
	if project == "" {
		project = DefaultProject
	}
	switch {
	case key == "" && !nameable(project):
		return Place{Wrong: fmt.Errorf("%w: %.80q is no name for a project: use 1 to 64 of a-z, 0-9, '-', '_' and '.'", ErrUsage, project)}
	case key != "":
		if to == "" {
			to = LocalAddress
		}
		return Place{Options: umpire.Options{Endpoint: to, Key: key}, Reach: reachAddress(to)}
	case to == "":
		return nearbyPlace(project, nearby.Any, "no Umpire runs on this machine")
	case isLoopback(to):
		port := portOf(to)
		return nearbyPlace(project, func(s nearby.Server) bool { return portOf(s.Address) == port }, "no Umpire of yours runs at "+shown(to))
	}
	return Place{Nothing: "no key for " + shown(to) + ": make one with umpire key add --write, and give it with --key or UMPIRE_KEY"}
}

// nameable reports whether a project can be called so: a server refuses others.
func nameable(project string) bool {
	for i := range len(project) {
		if c := project[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(project) <= 64 && strings.Trim(project, ".") != ""
}

func nearbyPlace(project string, suits func(nearby.Server) bool, none string) Place {
	return Place{
		Options: nearby.Options(project, nearby.Anywhere, nearby.DialAny(suits)),
		Reach: func(ctx context.Context) (string, bool) {
			s, ok := nearby.Find(ctx, suits)
			if !ok {
				return none, false
			}
			if s.Address == "" {
				return s.Data + ", project " + project, true
			}
			return s.Address + "/p/" + url.PathEscape(project) + "/", true
		},
	}
}

// reachAddress knocks: whether a server takes the events is for the client to
// find out.
func reachAddress(to string) func(context.Context) (string, bool) {
	return func(ctx context.Context) (string, bool) {
		u, err := url.Parse(to)
		if err != nil || u.Host == "" {
			return shown(to), false
		}
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), portOf(to)))
		if err != nil {
			return shown(to) + " does not answer", false
		}
		_ = conn.Close()
		return shown(to), true
	}
}

// shown is an address without what may be secret in it.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the address given"
	}
	return u.Scheme + "://" + u.Host
}

func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

func portOf(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// tell says in one line where the events go, or where they wait.
func (p Place) tell(ctx context.Context, say func(string)) {
	ctx, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	where, ok := p.Reach(ctx)
	if ok {
		say("tool calls are recorded at " + where)
		return
	}
	if kept := spoolPlace(p.Options.SpoolDir); kept != "" {
		say(where + ": tool calls are kept in " + kept + " until it does (start one with: umpire serve)")
		return
	}
	say(where + ": tool calls are lost until it does")
}

func spoolPlace(dir string) string {
	if dir == "" {
		dir = os.Getenv("UMPIRE_SPOOL_DIR")
	}
	if dir == "-" {
		return ""
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(cache, "umpire")
	}
	return dir
}
