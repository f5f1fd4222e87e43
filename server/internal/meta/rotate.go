package meta

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

const (
	maxKeyName = 80
	// MaxGrace is how long an old key may work beside the new one.
	MaxGrace = 90 * 24 * time.Hour
)

// NameKey says what a key of the project is for. The name is no secret.
func (db *DB) NameKey(ctx context.Context, project uint32, id int64, name string) error {
	name = strings.TrimSpace(plain(name))
	if utf8.RuneCountInString(name) > maxKeyName {
		return fault.New(fault.BadRequest, "this is too long a name for a key", "use at most 80 characters")
	}
	return db.changeKey(ctx, project, id, "name", `UPDATE keys SET name = $3 WHERE id = $1 AND project = $2`, name)
}

// RevokeKeyOf is RevokeKey of a key of this project.
func (db *DB) RevokeKeyOf(ctx context.Context, project uint32, id int64) error {
	if _, err := db.keyOf(project, id); err != nil {
		return err
	}
	return db.RevokeKey(ctx, id)
}

// RotateKey makes a key of the same kind and name, which is shown once, and lets the
// old one work for the grace beside it: 0 ends it at once. A foreign key is another
// vendor's to change.
func (db *DB) RotateKey(ctx context.Context, project uint32, id int64, grace time.Duration) (string, error) {
	old, err := db.keyOf(project, id)
	if err != nil {
		return "", err
	}
	switch {
	case old.Kind == Foreign:
		return "", fault.New(fault.BadRequest, "a foreign key is not Umpire's to rotate", "register the new one and revoke this one")
	case grace < 0 || grace > MaxGrace:
		return "", fault.New(fault.BadRequest, "the old key can work for 0 hours to 90 days more", "give the hours, such as 24")
	}
	key, prefix, err := newKey(old.Kind, "")
	if err != nil {
		return "", err
	}
	hash, now := sha256.Sum256([]byte(key)), time.Now()
	err = db.change(ctx, func(tx *sql.Tx) error {
		end := `UPDATE keys SET ends_at = $1 WHERE id = $2`
		if grace == 0 {
			end = `UPDATE keys SET revoked_at = $1 WHERE id = $2`
		}
		if _, err := tx.ExecContext(ctx, end, micros(now.Add(grace)), id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO keys (hash, kind, project, prefix, created_at, name) VALUES ($1, $2, $3, $4, $5, $6)`,
			hash[:], string(old.Kind), project, prefix, micros(now), old.Name)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("cannot rotate key %d: %w", id, err)
	}
	return key, nil
}

// keyOf is a working key of the project.
func (db *DB) keyOf(project uint32, id int64) (Key, error) {
	for _, k := range db.Keys(project) {
		if k.ID == id && k.Works(time.Now()) {
			return k, nil
		}
	}
	return Key{}, fault.New(fault.NotFound, fmt.Sprintf("the project has no working key with the number %d", id), "`umpire key list` shows which there are")
}

func (db *DB) changeKey(ctx context.Context, project uint32, id int64, verb, query string, args ...any) error {
	if _, err := db.keyOf(project, id); err != nil {
		return err
	}
	err := db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, query, append([]any{id, project}, args...)...)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot %s key %d: %w", verb, id, err)
	}
	return nil
}

// Works reports whether the key opens anything at that moment.
func (k Key) Works(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.EndsAt.IsZero() || now.Before(k.EndsAt))
}
