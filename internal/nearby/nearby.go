package nearby

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
)

// Server is an Umpire server of this user on this machine.
type Server struct {
	Data    string    `json:"data"`    // its data directory, absolute
	Socket  string    `json:"socket"`  // where it takes events
	Address string    `json:"address"` // of its pages: http://127.0.0.1:8787; "" without
	Started time.Time `json:"started_at"`
}

const (
	// Anywhere is the place of senders that take whichever server there is: what
	// waits for one goes to the next.
	Anywhere = "umpire.local"

	keyPrefix = "local:"
	dialLimit = 2 * time.Second
)

var errNone = errors.New("no Umpire server of this user runs here")

// Announce lets others Find the server until withdraw is called.
func Announce(s Server) (withdraw func(), err error) {
	dir, err := directory()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the directory %q: %w", dir, err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("cannot write down the server: %w", err)
	}
	sum := sha256.Sum256([]byte(s.Data))
	path := filepath.Join(dir, hex.EncodeToString(sum[:8])+".json")
	draft := path + ".new"
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return nil, fmt.Errorf("cannot write %q: %w", draft, err)
	}
	if err := os.Rename(draft, path); err != nil {
		return nil, fmt.Errorf("cannot put %q in place: %w", path, err)
	}
	return func() { _ = os.Remove(path) }, nil
}

func directory() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cannot find a place for notes: %w", err)
	}
	return filepath.Join(cache, "umpire", "servers"), nil
}

// Find returns the server that started last, of those that answer and that suit.
func Find(ctx context.Context, suits func(Server) bool) (Server, bool) {
	for _, s := range announced() {
		if !suits(s) {
			continue
		}
		if conn, err := dial(ctx, s); err == nil {
			_ = conn.Close()
			return s, true
		}
	}
	return Server{}, false
}

// Any suits everyone.
func Any(Server) bool { return true }

// announced lists the servers that were announced, the latest first. A server
// that was killed is still among them.
func announced() []Server {
	dir, err := directory()
	if err != nil {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil
	}
	var servers []Server
	for _, path := range paths {
		var s Server
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &s) != nil || s.Socket == "" {
			continue
		}
		if _, err := os.Stat(s.Socket); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(path) // its directory is gone
			continue
		}
		servers = append(servers, s)
	}
	slices.SortFunc(servers, func(a, b Server) int { return b.Started.Compare(a.Started) })
	return servers
}

func dial(ctx context.Context, s Server) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	var d net.Dialer
	return d.DialContext(ctx, "unix", s.Socket)
}

// Dial reaches a server.
type Dial func(ctx context.Context) (net.Conn, error)

// DialAny reaches whichever server suits, the latest first, looked for each time
// anew.
func DialAny(suits func(Server) bool) Dial {
	return func(ctx context.Context) (net.Conn, error) {
		for _, s := range announced() {
			if suits(s) {
				if conn, err := dial(ctx, s); err == nil {
					return conn, nil
				}
			}
		}
		return nil, errNone
	}
}

// Options are those of a client whose events go to the project at the server that
// dial reaches. While there is none, they wait in the spool of place: the name of
// a host, the same for all senders whose events may go to the same server.
func Options(project, place string, dial Dial) umpire.Options {
	return umpire.Options{
		Endpoint: "http://" + place, Key: Key(project),
		HTTPClient: &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				conn, err := dial(ctx)
				if err != nil {
					// As the network says it: the client then knows that nobody was reached.
					return nil, &net.OpError{Op: "dial", Net: "unix", Err: err}
				}
				return conn, nil
			},
			MaxIdleConns: 2, IdleConnTimeout: 30 * time.Second,
		}},
	}
}

// Key is what stands for a key where only the machine's owner can come in.
func Key(project string) string { return keyPrefix + url.QueryEscape(project) }

// ProjectOf is the project that a Key names.
func ProjectOf(key string) (project string, ok bool) {
	escaped, ok := strings.CutPrefix(key, keyPrefix)
	if !ok {
		return "", false
	}
	project, err := url.QueryUnescape(escaped)
	return project, err == nil && project != ""
}
