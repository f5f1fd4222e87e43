package meta

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Kind says what a key may do.
type Kind string

// The kinds of key. A foreign key is one that another vendor's SDK sends, and
// writes.
const (
	Write   Kind = "write"
	Read    Kind = "read"
	Foreign Kind = "foreign"
)

// What Umpire's own keys look like: a prefix, then keyLength of A-Z a-z 0-9.
const (
	writePrefix = "ump_w_"
	readPrefix  = "ump_r_"
	keyLength   = 40
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

	minForeign, maxForeign = 8, 200
)

// Key is a key without the key itself.
type Key struct {
	ID      int64
	Kind    Kind
	Project Project
	// Prefix is what may be shown of the key: its first characters.
	Prefix    string
	CreatedAt time.Time
	// LastUsed and AnnouncedAt (the last empty list) are zero when it never was.
	LastUsed, AnnouncedAt time.Time
	// RevokedAt is zero for a key that works.
	RevokedAt time.Time
	// Name says what it is for; it may be empty.
	Name string
	// EndsAt is when a key ends that another one took the place of; zero: never.
	EndsAt time.Time
}

// Writes reports whether the key may send events.
func (k Key) Writes() bool { return k.Kind == Write || k.Kind == Foreign }

// Reads reports whether the key may ask questions.
func (k Key) Reads() bool { return k.Kind == Read }

// keyEntry is a key in memory. The two times are raised by the doors and saved
// now and then; the rest does not change.
type keyEntry struct {
	key                   Key
	hash                  [32]byte
	lastUsed, announcedAt atomic.Int64 // microseconds, 0: never
	unsaved               atomic.Bool
}

func (e *keyEntry) export() Key {
	k := e.key
	if v := e.lastUsed.Load(); v != 0 {
		k.LastUsed = time.UnixMicro(v).UTC()
	}
	if v := e.announcedAt.Load(); v != 0 {
		k.AnnouncedAt = time.UnixMicro(v).UTC()
	}
	return k
}

// AddKey makes a key for the project and returns it; it is never shown again. A
// foreign key is given by the caller: 8 to 200 printable characters. For the
// other kinds foreign is "".
func (db *DB) AddKey(ctx context.Context, project uint32, kind Kind, foreign string) (string, error) {
	key, prefix, err := newKey(kind, foreign)
	if err != nil {
		return "", err
	}
	if _, ok := db.ProjectByID(project); !ok {
		return "", fault.New(fault.NotFound, fmt.Sprintf("there is no project with the number %d", project), "")
	}
	hash := sha256.Sum256([]byte(key))
	err = db.change(ctx, func(tx *sql.Tx) error {
		var owner string
		err := tx.QueryRowContext(ctx, `SELECT projects.name FROM keys JOIN projects ON projects.id = keys.project
			WHERE hash = $1 AND revoked_at IS NULL`, hash[:]).Scan(&owner)
		if err == nil {
			return fault.New(fault.Conflict, fmt.Sprintf("this key belongs to the project %q already", owner),
				"a key is for one project; revoke it there first")
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		// A foreign key that was revoked may be registered again.
		if _, err := tx.ExecContext(ctx, `DELETE FROM keys WHERE hash = $1`, hash[:]); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO keys (hash, kind, project, prefix, created_at) VALUES ($1, $2, $3, $4, $5)`,
			hash[:], string(kind), project, prefix, micros(time.Now()))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("cannot add a key: %w", err)
	}
	return key, nil
}

// newKey makes or checks a key and says what may be shown of it.
func newKey(kind Kind, foreign string) (key, prefix string, err error) {
	switch kind {
	case Write:
		key = writePrefix + randomBase62(keyLength)
	case Read:
		key = readPrefix + randomBase62(keyLength)
	case Foreign:
		if err := checkForeign(foreign); err != nil {
			return "", "", err
		}
		return foreign, foreign[:min(8, len(foreign)/2)], nil
	default:
		return "", "", fault.New(fault.BadRequest, fmt.Sprintf("%.20q is no kind of key", string(kind)), "use write, read or foreign")
	}
	if foreign != "" {
		return "", "", fault.New(fault.BadRequest, "a write or read key is made by Umpire, it cannot be given", "use the kind foreign")
	}
	return key, key[:len(writePrefix)+4], nil
}

func checkForeign(key string) error {
	ok := len(key) >= minForeign && len(key) <= maxForeign
	for i := range len(key) {
		ok = ok && key[i] > ' ' && key[i] < 0x7f
	}
	if !ok {
		return fault.New(fault.BadRequest, "this cannot be a foreign key", "it has 8 to 200 printable ASCII characters and no spaces")
	}
	if strings.HasPrefix(key, writePrefix) || strings.HasPrefix(key, readPrefix) {
		return fault.New(fault.BadRequest, "this is an Umpire key, not a foreign one", "use it as it is, or make a new one with --write or --read")
	}
	return nil
}

// randomBase62 returns n characters, each of 62 equally likely.
func randomBase62(n int) string {
	out := make([]byte, 0, n)
	var buf [64]byte
	for len(out) < n {
		_, _ = rand.Read(buf[:]) // it never fails: crypto/rand ends the process instead
		for _, b := range buf {
			if b < 4*62 && len(out) < n { // larger values would favour some
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out)
}

// Lookup returns the key that was made as, or registered as, the given string.
// It reads memory only: below a microsecond. Comparing hashes of the input
// leaks nothing of a key through time.
func (db *DB) Lookup(key string) (Key, bool) {
	if len(key) < minForeign || len(key) > maxForeign {
		return Key{}, false
	}
	var buf [maxForeign]byte // on the stack
	e, ok := db.cache.Load().keys[sha256.Sum256(buf[:copy(buf[:], key)])]
	if !ok || !e.key.EndsAt.IsZero() && !time.Now().Before(e.key.EndsAt) {
		return Key{}, false
	}
	return e.export(), true
}

// Keys lists a project's keys, revoked ones included, in the order they were made.
func (db *DB) Keys(project uint32) []Key {
	var out []Key
	for _, e := range db.cache.Load().all {
		if e.key.Project.ID == project {
			out = append(out, e.export())
		}
	}
	return out
}

// RevokeKey ends a key; it stops working at once.
func (db *DB) RevokeKey(ctx context.Context, id int64) error {
	err := db.change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL`, micros(time.Now()), id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fault.Wrap(err, fault.NotFound, fmt.Sprintf("there is no working key with the number %d", id),
				"`umpire key list` shows which there are")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot revoke key %d: %w", id, err)
	}
	return nil
}

func (db *DB) loadKeys(ctx context.Context, tx *sql.Tx, into *snapshot) error {
	old := map[int64]*keyEntry{}
	if s := db.cache.Load(); s != nil {
		for _, e := range s.all {
			old[e.key.ID] = e
		}
	}
	rows, err := tx.QueryContext(ctx, `SELECT id, hash, kind, project, prefix, created_at, last_used, announced_at, revoked_at, name, ends_at FROM keys ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		e := &keyEntry{}
		var hash []byte
		var project uint32
		var created, used, announced, revoked, ends sql.NullInt64
		if err := rows.Scan(&e.key.ID, &hash, &e.key.Kind, &project, &e.key.Prefix, &created, &used, &announced, &revoked, &e.key.Name, &ends); err != nil {
			return err
		}
		copy(e.hash[:], hash)
		e.key.Project = into.projects[project]
		e.key.CreatedAt, e.key.RevokedAt, e.key.EndsAt = fromMicros(created), fromMicros(revoked), fromMicros(ends)
		e.lastUsed.Store(used.Int64)
		e.announcedAt.Store(announced.Int64)
		e.inherit(old[e.key.ID])
		into.all = append(into.all, e)
		if !revoked.Valid {
			into.keys[e.hash] = e
		}
	}
	return rows.Err()
}

// inherit takes over what the entry's predecessor has not saved yet.
func (e *keyEntry) inherit(from *keyEntry) {
	if from == nil || !from.unsaved.Load() {
		return
	}
	e.lastUsed.Store(max(e.lastUsed.Load(), from.lastUsed.Load()))
	e.announcedAt.Store(max(e.announcedAt.Load(), from.announcedAt.Load()))
	e.unsaved.Store(true)
}
