package query

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// CallsAnswer answers: which calls were these? Newest first.
type CallsAnswer struct {
	Header
	Calls []CallLine `json:"calls"`
	Next  *string    `json:"next"` // the cursor of the next part; null at the end
}

// CallLine is one call in a list. "unknown" stands for what is not known; what a
// call need not have is left out.
type CallLine struct {
	ID            umpire.ID `json:"id"`
	StartedAt     time.Time `json:"started_at"`
	Tool          string    `json:"tool"`
	Slice         string    `json:"slice"`
	Outcome       string    `json:"outcome"`
	Cause         string    `json:"cause,omitempty"`
	EmptyRule     string    `json:"empty_rule,omitempty"`
	ErrorType     string    `json:"error_type,omitempty"`
	ErrorStatus   *int64    `json:"error_status"`
	ErrorMessage  string    `json:"error_message,omitempty"`
	Fingerprint   string    `json:"fingerprint,omitempty"`
	Suspects      []string  `json:"suspects"`
	DurationUS    *int64    `json:"duration_us"`
	RequestBytes  *int64    `json:"request_bytes"`
	ResponseBytes *int64    `json:"response_bytes"`
	ArgsHash      string    `json:"args_hash,omitempty"`
	IsRetry       bool      `json:"is_retry"`
	Reworded      bool      `json:"reworded"`
	Repeated      bool      `json:"repeated"`
	Client        string    `json:"client"`
	ClientVersion string    `json:"client_version,omitempty"`
	Platform      string    `json:"platform"`
	Session       string    `json:"session"`
	User          string    `json:"user"`
	Server        string    `json:"server"`
	Version       string    `json:"version"`
	Env           string    `json:"env"`
	SeenBy        string    `json:"seen_by"`
	Evidence      string    `json:"evidence,omitempty"`
	Intent        string    `json:"intent,omitempty"`
}

// Calls answers: which calls were these? Its parts follow each other by Next,
// whatever arrives meanwhile.
func Calls(ctx context.Context, src Source, p Params) (CallsAnswer, error) {
	return asOne(ctx, src, func(src Source) (CallsAnswer, error) { return callsUnder(ctx, src, &p, "calls") })
}

// callsUnder is the part of a list of calls, the cursors of which are bound to its
// name. p goes back to the range of the first part.
func callsUnder(ctx context.Context, src Source, p *Params, list string) (CallsAnswer, error) {
	behind, before, err := p.behind(list)
	if err != nil {
		return CallsAnswer{}, err
	}
	if err := keptRaw(ctx, src, p.Filter); err != nil {
		return CallsAnswer{}, err
	}
	limit := p.List.limit()
	rows, err := newest(p.Filter, before, limit+1, func(f store.Filter, n int) ([]store.CallRow, error) {
		if list == "intents" {
			return src.IntentList(ctx, f, behind, n)
		}
		return src.CallList(ctx, f, behind, n)
	})
	if err != nil {
		return CallsAnswer{}, err
	}
	answer := CallsAnswer{Header: p.header(), Calls: make([]CallLine, 0, min(len(rows), limit))}
	for i, r := range rows {
		if i == limit {
			last := rows[i-1]
			answer.Next = p.next(list, last.StartedAt, last.ID.String())
			break
		}
		answer.Calls = append(answer.Calls, callLine(r))
	}
	return answer, nil
}

// behind is the place that the cursor names in a list of events, and the moment before
// which the rest of the list began; both are zero at its beginning.
func (p *Params) behind(list string) (place store.Place, before time.Time, err error) {
	at, err := p.resume(list)
	if err != nil || at.at.IsZero() {
		return store.Place{}, time.Time{}, err
	}
	place.At = at.at
	if err := place.ID.UnmarshalText([]byte(at.key)); err != nil {
		return store.Place{}, time.Time{}, errCursor(p.List.Cursor)
	}
	return place, at.at.Add(time.Microsecond), nil // others began at the same moment
}

func callLine(r store.CallRow) CallLine {
	return CallLine{
		ID: r.ID, StartedAt: r.StartedAt, Tool: r.Tool, Slice: r.Slice, Outcome: r.Outcome, Cause: r.Cause, EmptyRule: r.EmptyRule,
		ErrorType: r.ErrorType, ErrorStatus: known(r.ErrorStatus, r.ErrorStatus), ErrorMessage: r.ErrorMessage,
		Fingerprint: r.Fingerprint, Suspects: some(r.Suspects), DurationUS: r.DurationUS, RequestBytes: r.RequestBytes, ResponseBytes: r.ResponseBytes,
		ArgsHash: r.ArgsHash, IsRetry: r.IsRetry, Reworded: r.Reworded, Repeated: r.Repeated, Client: r.Client, ClientVersion: r.ClientVersion, Platform: r.Platform,
		Session: r.Session, User: r.User, Server: r.Server, Version: r.Version, Env: r.Env, SeenBy: r.SeenBy, Evidence: r.Evidence, Intent: r.Intent,
	}
}

// keptRaw is a fault.BadRequest where single events of the range are gone: a list
// of what is left would pass for the whole.
func keptRaw(ctx context.Context, src Source, f store.Filter) error {
	k, err := src.Kept(ctx, f.Project)
	if err != nil {
		return err
	}
	if rawGone(k, f) {
		return fault.New(fault.BadRequest, goneBefore(k.Raw), "begin the range there")
	}
	return nil
}

// Tally is how many rows the lists of calls and sessions have.
type Tally struct{ Calls, Sessions, NoSession int64 }

// Count answers: how many are these?
func Count(ctx context.Context, src Source, p Params) (Tally, error) {
	if _, err := keptFor(ctx, src, p.Filter); err != nil {
		return Tally{}, err
	}
	t, err := src.Totals(ctx, p.Filter)
	return Tally{Calls: t.Calls, Sessions: t.Sessions, NoSession: t.NoSession}, err
}
