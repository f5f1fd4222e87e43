package reader

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// SessionList implements store.Reader.
func (in *reader) SessionList(ctx context.Context, f store.Filter, since time.Time, a store.SessionsAsked, limit int) ([]store.SessionRow, error) {
	q := limited(f, limit)
	q.Since, q.Behind.At, q.Key, q.Failed, q.Loops = since, a.Behind, a.Session, a.Failed, a.Loops
	var all []store.SessionRow
	err := in.each(ctx, "sessions", q, func(scan func(...any) error) error {
		var r store.SessionRow
		err := scan(&r.Session, &r.FirstAt, &r.LastAt, &r.LastEnd, &r.Calls, &r.OK, &r.Empty, &r.BadArgs, &r.ToolError, &r.Crashed,
			&r.Retries, &r.Reworded, &r.Tools, &r.Client, &r.ClientVersion, &r.User, &r.Loop)
		r.FirstAt, r.LastAt, r.LastEnd = r.FirstAt.UTC(), r.LastAt.UTC(), r.LastEnd.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// SessionParts implements store.Reader.
func (in *reader) SessionParts(ctx context.Context, f store.Filter, session string) ([]store.SessionPart, error) {
	q := statement.New(f)
	q.Key = session
	var slots []store.Slot
	err := in.each(ctx, "session_slots", q, func(scan func(...any) error) error {
		var s store.Slot
		var slot time.Time
		err := scan(&slot, &s.First, &s.LastEnd)
		slots = append(slots, store.Slot{First: s.First.UTC(), LastEnd: s.LastEnd.UTC()})
		return err
	})
	return store.Parts(slots), err
}

// SessionSpan implements store.Reader.
func (in *reader) SessionSpan(ctx context.Context, project uint32, session string) (from, to time.Time, found bool, err error) {
	q := statement.New(store.Filter{Project: project})
	q.Key = session
	err = in.each(ctx, "session_span", q, func(scan func(...any) error) error {
		found = true
		return scan(&from, &to)
	})
	return from.UTC(), to.UTC().Add(time.Hour), found, err
}
