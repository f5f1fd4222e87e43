package admin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/backup"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

// maxSocketPath is what fits into a socket's address on every system.
const maxSocketPath = 100

// SocketPath is where the holder of the data directory listens: umpire.sock
// inside it, or, where that path is too long for a socket, a file in the
// temporary directory whose name is derived from it.
func SocketPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cannot find the data directory %q: %w", dir, err)
	}
	path := filepath.Join(abs, "umpire.sock")
	if len(path) <= maxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join(os.TempDir(), "umpire-"+hex.EncodeToString(sum[:8])+".sock"), nil
}

// Listen opens the socket of a data directory that the caller holds, in place of
// one that a killed process left behind.
func Listen(dir string) (net.Listener, error) {
	path, err := SocketPath(dir)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("cannot remove the old socket %q: %w", path, err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, fmt.Errorf("cannot protect %q: %w", path, err)
	}
	return listener, nil
}

// Client asks the holder of a data directory.
type Client struct {
	http *http.Client
}

// Dial reaches the holder of the data directory; ok is false when there is none.
func Dial(ctx context.Context, dir string) (c *Client, ok bool) {
	path, err := SocketPath(dir)
	if err != nil {
		return nil, false
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	probe, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := dial(probe, "", "")
	if err != nil {
		return nil, false
	}
	_ = conn.Close()
	return &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial}}}, true
}

// HTTP is a client whose requests all go to the socket; the host in a URL does
// not matter. It speaks the read API for every project.
func (c *Client) HTTP() *http.Client { return c.http }

// AddKey is Backend.AddKey.
func (c *Client) AddKey(ctx context.Context, project, kind, value string) (string, error) {
	var out keyAnswer
	err := c.call(ctx, http.MethodPost, "keys", keyRequest{project, kind, value}, &out)
	return out.Key, err
}

// Keys is Backend.Keys.
func (c *Client) Keys(ctx context.Context) (keys []Key, err error) {
	err = c.call(ctx, http.MethodGet, "keys", nil, &keys)
	return keys, err
}

// RevokeKey is Backend.RevokeKey.
func (c *Client) RevokeKey(ctx context.Context, prefix string) error {
	return c.call(ctx, http.MethodDelete, "keys/"+url.PathEscape(prefix), nil, nil)
}

// RotateKey is Backend.RotateKey.
func (c *Client) RotateKey(ctx context.Context, prefix string, grace time.Duration) (string, error) {
	var out keyAnswer
	err := c.call(ctx, http.MethodPost, "keys/"+url.PathEscape(prefix)+"/rotate", rotateRequest{int64(grace / time.Second)}, &out)
	return out.Key, err
}

// NameKey is Backend.NameKey.
func (c *Client) NameKey(ctx context.Context, prefix, name string) error {
	return c.call(ctx, http.MethodPut, "keys/"+url.PathEscape(prefix)+"/name", nameRequest{name}, nil)
}

// Projects is Backend.Projects.
func (c *Client) Projects(ctx context.Context) (projects []Project, err error) {
	err = c.call(ctx, http.MethodGet, "projects", nil, &projects)
	return projects, err
}

// DeleteProject is Backend.DeleteProject.
func (c *Client) DeleteProject(ctx context.Context, name string) error {
	return c.call(ctx, http.MethodDelete, "projects/"+url.PathEscape(name), nil, nil)
}

// Backup is Backend.Backup.
func (c *Client) Backup(ctx context.Context, into string) (made backup.Made, err error) {
	err = c.call(ctx, http.MethodPost, "backup", backupRequest{into}, &made)
	return made, err
}

// Sync is Backend.Sync.
func (c *Client) Sync(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "sync", nil, nil)
}

func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("cannot write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://umpire/admin/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("cannot make the request: %w", err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("cannot ask the server that holds the data directory: %w", err)
	}
	defer res.Body.Close()
	return remote.Decode(res, out)
}
