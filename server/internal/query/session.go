package query

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// SessionAnswer answers: what happened in this one session, call by call?
type SessionAnswer struct {
	Header
	// Session sums up the calls of the range, all parts of the list together.
	Session SessionLine `json:"session"`
	// Calls are in the order in which they began; of a list with several parts, the
	// first part has the newest.
	Calls []SessionCall `json:"calls"`
	Next  *string       `json:"next"` // the cursor of the part before in time; null at the begin
}

// SessionCall is a call of a timeline.
type SessionCall struct {
	CallLine
	// GapUS is how long nothing ran before it; null for the first call shown.
	GapUS *int64 `json:"gap_us"`
	// InLoop: it is one of the calls that make a loop (outcomes.md 6.4).
	InLoop bool `json:"in_loop"`
}

// PartAt names the session, or the part of a derived one, that a call of it began
// in: a derived session by any moment within the part, so that a link stays good
// when a late call shows that it began earlier.
func PartAt(session string, at time.Time) string {
	if !strings.HasPrefix(session, store.DerivedSession) {
		return session
	}
	return session + "@" + strconv.FormatInt(at.UnixMicro(), 10)
}

// cutPart is PartAt the other way; the time is zero where none is named.
func cutPart(id string) (session string, at time.Time) {
	name, moment, found := strings.Cut(id, "@")
	if us, err := strconv.ParseInt(moment, 10, 64); found && err == nil && strings.HasPrefix(name, store.DerivedSession) {
		return name, time.UnixMicro(us).UTC()
	}
	return id, time.Time{}
}

// Session answers: what happened in this one session? It is shown within the range;
// one that did not call in it, at the time when it did.
func Session(ctx context.Context, src Source, p Params, id string) (SessionAnswer, error) {
	return asOne(ctx, src, func(src Source) (SessionAnswer, error) { return sessionOf(ctx, src, p, id) })
}

func sessionOf(ctx context.Context, src Source, p Params, id string) (SessionAnswer, error) {
	name, at := cutPart(id)
	p.asked = Range{From: p.Filter.From, To: p.Filter.To}
	p.Filter.Session = []string{name}
	span := func() (from, to time.Time, found bool, err error) {
		return src.SessionSpan(ctx, p.Filter.Project, name)
	}
	if !at.IsZero() {
		part, found, err := partOf(ctx, src, p.Filter.Project, name, at)
		if err != nil {
			return SessionAnswer{}, err
		}
		if !found {
			return SessionAnswer{}, noSession(id)
		}
		span = func() (from, to time.Time, found bool, err error) { return part.From, part.To, true, nil }
		if part.From.After(p.Filter.From) {
			p.Filter.From = part.From
		}
		if part.To.Before(p.Filter.To) {
			p.Filter.To = part.To
		}
	}
	answer, err := timeline(ctx, src, p, id)
	if err != nil || len(answer.Calls) > 0 || p.List.Cursor != "" {
		return answer, err
	}
	from, to, found, err := span()
	if err != nil {
		return SessionAnswer{}, err
	}
	if !found {
		return SessionAnswer{}, noSession(id)
	}
	p.Filter.From, p.Filter.To = from, to
	if answer, err = timeline(ctx, src, p, id); err == nil && len(answer.Calls) == 0 {
		err = noSession(id)
	}
	return answer, err
}

func noSession(id string) error {
	return fault.New(fault.NotFound, "there are no calls of a session "+quote(id), "it may be of another project, filtered out, or no longer kept; the list of sessions has the names")
}

// partOf finds the part of a derived session that a moment lies in. It looks around
// the moment, and farther only where the part may have begun before.
func partOf(ctx context.Context, src Source, project uint32, session string, at time.Time) (store.SessionPart, bool, error) {
	const slack = 25 * time.Hour // a call may take a day
	for _, around := range []time.Duration{2 * day, 16 * day, 20 * 366 * day} {
		f := store.Filter{Project: project, From: at.Add(-around), To: at.Add(around)}
		parts, err := src.SessionParts(ctx, f, session)
		if err != nil {
			return store.SessionPart{}, false, err
		}
		i := slices.IndexFunc(parts, func(p store.SessionPart) bool {
			return !at.Before(p.From) && !at.After(p.LastEnd) && (p.To.IsZero() || at.Before(p.To))
		})
		if i < 0 {
			return store.SessionPart{}, false, nil
		}
		part := parts[i]
		if part.To.IsZero() {
			part.To = part.LastEnd.Add(time.Microsecond)
		}
		if part.From.Sub(f.From) > slack && f.To.Sub(part.To) > slack {
			return part, true, nil
		}
	}
	return store.SessionPart{}, false, nil
}

// timeline is the calls of the filter's one session within its range.
func timeline(ctx context.Context, src Source, p Params, id string) (SessionAnswer, error) {
	list := p
	calls, err := callsUnder(ctx, src, &list, "session "+id)
	if err != nil {
		return SessionAnswer{}, err
	}
	answer := SessionAnswer{Header: list.header(), Next: calls.Next, Calls: make([]SessionCall, 0, len(calls.Calls))}
	if len(calls.Calls) == 0 {
		return answer, nil
	}
	slices.Reverse(calls.Calls)
	looping := inLoop(calls.Calls)
	var end time.Time
	for i, c := range calls.Calls {
		one := SessionCall{CallLine: c, InLoop: looping[i]}
		if i > 0 {
			gap := max(0, c.StartedAt.Sub(end).Microseconds())
			one.GapUS = &gap
		}
		if e := endOf(c); e.After(end) {
			end = e
		}
		answer.Calls = append(answer.Calls, one)
	}
	rows, err := src.SessionList(ctx, list.Filter, list.Filter.From, store.SessionsAsked{}, 1)
	if err != nil {
		return SessionAnswer{}, err
	}
	if len(rows) > 0 {
		answer.Session = sessionLine(rows[0])
		answer.Session.ID = id
	}
	return answer, nil
}

func endOf(c CallLine) time.Time {
	if c.DurationUS == nil {
		return c.StartedAt
	}
	return c.StartedAt.Add(time.Duration(*c.DurationUS) * time.Microsecond)
}

// inLoop tells which calls, in the order of time, make a loop: the same tool, the
// same arguments and the same slice four times, or two such in turn, three times
// (outcomes.md 6.4).
func inLoop(calls []CallLine) []bool {
	type question struct{ tool, args, slice string }
	of := func(i int) question { return question{calls[i].Tool, calls[i].ArgsHash, calls[i].Slice} }
	in, times := make([]bool, len(calls)), map[question]int{}
	for i := range calls {
		if calls[i].ArgsHash != "" {
			times[of(i)]++
		}
	}
	turns := 0 // how many calls up to this one are two in turn
	for i := range calls {
		in[i] = calls[i].ArgsHash != "" && times[of(i)] >= 4
		switch {
		case calls[i].ArgsHash == "":
			turns = 0
		case i >= 2 && turns >= 2 && of(i) == of(i-2) && of(i) != of(i-1):
			turns++
		case i >= 1 && calls[i-1].ArgsHash != "" && of(i) != of(i-1):
			turns = 2
		default:
			turns = 1
		}
		for back := i; turns >= 6 && back > i-turns; back-- {
			in[back] = true
		}
	}
	return in
}
