package webtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// CallID is the id of Calls[i].
func CallID(i int) umpire.ID {
	id := umpire.ID{6: 0x70, 8: 0x80}
	binary.BigEndian.PutUint32(id[12:], uint32(i)+1)
	return id
}

// CallList is one of the questions of store.Reader.
func (m *Memory) CallList(_ context.Context, f store.Filter, behind store.Place, limit int) ([]store.CallRow, error) {
	var rows []store.CallRow
	for i := len(m.Calls) - 1; i >= 0 && len(rows) < limit; i-- {
		c := m.Calls[i]
		id := CallID(i)
		older := behind.At.IsZero() || c.At.Before(behind.At) || c.At.Equal(behind.At) && bytes.Compare(id[:], behind.ID[:]) < 0
		if !older || !matches(c, f) {
			continue
		}
		rows = append(rows, c.row(id))
	}
	return rows, m.Fail["CallList"]
}

func (c Call) row(id umpire.ID) store.CallRow {
	known := func(s string) string {
		if s == "" {
			return store.Unknown
		}
		return s
	}
	us := c.US
	outcome := c.Slice
	if outcome == "empty" {
		outcome = "ok"
	}
	return store.CallRow{
		ID: id, StartedAt: c.At.UTC(), Tool: c.Tool, Client: c.Client, ClientVersion: c.Version, Session: known(c.Session),
		Server: "orders", Version: store.Unknown, Env: store.Unknown, Platform: store.Unknown, User: store.Unknown, SeenBy: "sdk",
		Slice: c.Slice, Outcome: outcome, Cause: c.Cause, ErrorType: c.ErrorType, ErrorMessage: c.Message, Fingerprint: c.Fingerprint,
		DurationUS: &us, IsRetry: c.Retry, Reworded: c.Retry,
	}
}

// Event is one of the questions of store.Reader.
func (m *Memory) Event(_ context.Context, f store.Filter, id umpire.ID) (*store.Stored, error) {
	for i, c := range m.Calls {
		if CallID(i) != id || c.At.Before(f.From) || !c.At.Before(f.To) {
			continue
		}
		r := c.row(id)
		e := umpire.Event{ID: id, Kind: "call", StartedAt: r.StartedAt, Session: c.Session, SeenBy: "sdk", Client: umpire.Peer{Name: c.Client, Version: c.Version}}
		e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType = c.Tool, umpire.Outcome(r.Outcome), c.Slice == "empty", c.Cause, c.ErrorType
		e.ErrorMessage, e.Fingerprint, e.DurationUS, e.IsRetry = c.Message, c.Fingerprint, r.DurationUS, c.Retry
		return &store.Stored{Event: e, ReceivedAt: r.StartedAt, EndedAt: r.StartedAt}, m.Fail["Event"]
	}
	return nil, m.Fail["Event"]
}

// matches is match for one call, with the filters that lists have beside.
func matches(c Call, f store.Filter) bool {
	in := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	return !c.At.Before(f.From) && c.At.Before(f.To) && in(f.Tool, c.Tool) && in(f.Client, c.Client) && in(f.ClientVersion, cmp.Or(c.Version, store.Unknown)) && in(f.Slice, c.Slice) &&
		in(f.Fingerprint, c.Fingerprint) && in(f.Session, c.Session)
}

// SessionList is one of the questions of store.Reader. Memory knows no loops.
func (m *Memory) SessionList(_ context.Context, f store.Filter, since time.Time, a store.SessionsAsked, limit int) ([]store.SessionRow, error) {
	rows := map[string]*store.SessionRow{}
	tools := map[string]bool{}
	for _, c := range m.Calls {
		if c.Session == "" || !matches(c, f) {
			continue
		}
		r := rows[c.Session]
		if r == nil {
			r = &store.SessionRow{Session: c.Session, FirstAt: c.At.UTC(), User: store.Unknown}
			rows[c.Session] = r
		}
		count(&r.Counts, c.Slice)
		r.LastAt, r.LastEnd = c.At.UTC(), c.At.UTC().Add(time.Duration(c.US)*time.Microsecond)
		r.Client, r.ClientVersion = c.Client, c.Version
		if c.Retry {
			r.Retries++
		}
		if key := c.Session + "\x00" + c.Tool; !tools[key] {
			tools[key] = true
			r.Tools++
		}
	}
	var out []store.SessionRow
	for _, r := range rows {
		behind := a.Behind.IsZero() || r.LastAt.Before(a.Behind) || r.LastAt.Equal(a.Behind) && r.Session > a.Session
		if behind && !a.Loops && !r.LastAt.Before(since) && (!a.Failed || r.BadArgs+r.ToolError+r.Crashed > 0) {
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b store.SessionRow) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt), cmp.Compare(a.Session, b.Session))
	})
	return out[:min(limit, len(out))], m.Fail["SessionList"]
}

// SessionParts is one of the questions of store.Reader. Memory has no derived sessions.
func (m *Memory) SessionParts(context.Context, store.Filter, string) ([]store.SessionPart, error) {
	return nil, m.Fail["SessionParts"]
}

// SessionSpan is one of the questions of store.Reader.
func (m *Memory) SessionSpan(_ context.Context, _ uint32, session string) (from, to time.Time, found bool, err error) {
	for _, c := range m.Calls {
		if c.Session == session {
			if !found {
				from, found = c.At.UTC().Truncate(time.Hour), true
			}
			to = c.At.UTC().Truncate(time.Hour).Add(time.Hour)
		}
	}
	return from, to, found, m.Fail["SessionSpan"]
}
