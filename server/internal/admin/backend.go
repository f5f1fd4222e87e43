package admin

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/backup"
)

// Backend is what a holder of the data directory can do.
type Backend interface {
	// AddKey makes a key of a kind (write, read, foreign) for the project, which
	// is made too if there is none. For a foreign key, value is that key.
	AddKey(ctx context.Context, project, kind, value string) (string, error)
	Keys(ctx context.Context) ([]Key, error)
	// RevokeKey revokes the one key that begins with prefix.
	RevokeKey(ctx context.Context, prefix string) error
	// RotateKey makes a key in place of the one that begins with prefix, which works for
	// the grace beside it.
	RotateKey(ctx context.Context, prefix string, grace time.Duration) (string, error)
	// NameKey says what the key that begins with prefix is for.
	NameKey(ctx context.Context, prefix, name string) error
	Projects(ctx context.Context) ([]Project, error)
	// DeleteProject removes the project, its keys and its events.
	DeleteProject(ctx context.Context, name string) error
	// Backup makes a backup inside the directory, whose path is absolute.
	Backup(ctx context.Context, into string) (backup.Made, error)
	// Sync returns when everything acknowledged so far can be queried.
	Sync(ctx context.Context) error
}

// Key is a key without its secret.
type Key struct {
	Prefix   string     `json:"prefix"`
	Kind     string     `json:"kind"`
	Name     string     `json:"name,omitempty"`
	Project  string     `json:"project"`
	Created  time.Time  `json:"created_at"`
	LastUsed *time.Time `json:"last_used"`
	Revoked  *time.Time `json:"revoked_at"`
	// Ends is until when a key works that another one took the place of.
	Ends *time.Time `json:"ends_at"`
}

// Project is a project as listed.
type Project struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created_at"`
}
