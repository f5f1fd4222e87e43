package query

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// SessionsAnswer answers: what happened in the sessions? The last call first.
type SessionsAnswer struct {
	Header
	Sessions []SessionLine `json:"sessions"`
	Next     *string       `json:"next"` // the cursor of the next part; null at the end
}

// SessionLine is a session, or a part of one that its sender derived from a user
// or a token (outcomes.md 6.1), as far as the filter's calls make it.
type SessionLine struct {
	ID        string    `json:"id"`      // names it to Session
	Session   string    `json:"session"` // as the filter of that name takes it
	StartedAt time.Time `json:"started_at"`
	LastAt    time.Time `json:"last_at"` // when the last call started
	EndedAt   time.Time `json:"ended_at"`
	// DurationUS is from the begin of the first call to the end of the last to end.
	DurationUS    int64  `json:"duration_us"`
	Worst         string `json:"worst"` // the slice of the call that ended worst
	Calls         int64  `json:"calls"`
	OK            int64  `json:"ok"`
	Empty         int64  `json:"empty"`
	BadArgs       int64  `json:"bad_args"`
	ToolError     int64  `json:"tool_error"`
	Crashed       int64  `json:"crashed"`
	Retries       int64  `json:"retries"`
	Reworded      int64  `json:"reworded"`
	Loop          bool   `json:"loop"`  // outcomes.md 6.4
	Tools         int64  `json:"tools"` // distinct
	Client        string `json:"client"`
	ClientVersion string `json:"client_version,omitempty"`
	User          string `json:"user"`
}

// Sessions answers: what happened in the sessions? Params.List narrows it to those
// that hold a failed call, or a loop.
func Sessions(ctx context.Context, src Source, p Params) (SessionsAnswer, error) {
	return asOne(ctx, src, func(src Source) (SessionsAnswer, error) { return sessionsOf(ctx, src, p) })
}

func sessionsOf(ctx context.Context, src Source, p Params) (SessionsAnswer, error) {
	at, err := p.resume("sessions")
	if err != nil {
		return SessionsAnswer{}, err
	}
	if err := keptRaw(ctx, src, p.Filter); err != nil {
		return SessionsAnswer{}, err
	}
	limit := p.List.limit()
	rows, err := newestSessions(ctx, src, p, at, limit+1)
	if err != nil {
		return SessionsAnswer{}, err
	}
	answer := SessionsAnswer{Header: p.header(), Sessions: make([]SessionLine, 0, min(len(rows), limit))}
	for i, r := range rows {
		if i == limit {
			answer.Next = p.next("sessions", rows[i-1].LastAt, rows[i-1].Session)
			break
		}
		answer.Sessions = append(answer.Sessions, sessionLine(r))
	}
	return answer, nil
}

// newestSessions looks for sessions in windows that grow backwards, as newest does
// for calls: a session lies in the window of its last call.
func newestSessions(ctx context.Context, src Source, p Params, at mark, limit int) ([]store.SessionRow, error) {
	f := p.Filter
	asked := store.SessionsAsked{Behind: at.at, Session: at.key, Failed: p.List.Failed, Loops: p.List.Loops}
	all, since, span := []store.SessionRow{}, f.To, firstWindow
	if others := at.at.Add(time.Microsecond); !at.at.IsZero() && others.Before(since) { // that called last at the same moment
		since = others
	}
	if asked.Loops {
		span = f.To.Sub(f.From) // they are few, and the windows would be looked at in vain
	}
	for len(all) < limit && f.From.Before(since) {
		if since = since.Add(-span); since.Before(f.From) {
			since = f.From
		}
		rows, err := src.SessionList(ctx, f, since, asked, limit-len(all))
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
		// What called since then has been seen: go on before it.
		asked.Behind, asked.Session = since.Add(-time.Microsecond), ""
		span *= 8
	}
	return all, nil
}

func sessionLine(r store.SessionRow) SessionLine {
	s := slicesOf(r.Counts)
	return SessionLine{
		ID: PartAt(r.Session, r.FirstAt), Session: r.Session, StartedAt: r.FirstAt, LastAt: r.LastAt, EndedAt: r.LastEnd,
		DurationUS: r.LastEnd.Sub(r.FirstAt).Microseconds(), Worst: worst(s),
		Calls: r.Calls, OK: s.OK, Empty: s.Empty, BadArgs: s.BadArgs, ToolError: s.ToolError, Crashed: s.Crashed,
		Retries: r.Retries, Reworded: r.Reworded, Loop: r.Loop, Tools: r.Tools,
		Client: r.Client, ClientVersion: r.ClientVersion, User: r.User,
	}
}

// worst is the last slice, in the order in which they are always shown, that has a call.
func worst(s Slices) string {
	for _, one := range []struct {
		n    int64
		name string
	}{{s.Crashed, "crashed"}, {s.ToolError, "tool_error"}, {s.BadArgs, "bad_args"}, {s.Empty, "empty"}} {
		if one.n > 0 {
			return one.name
		}
	}
	return "ok"
}
