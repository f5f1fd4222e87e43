package query

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/verdict"
)

// CallAnswer answers: what is known of this one call, and why is it judged so?
// Events that are no calls have an id and are answered, too.
type CallAnswer struct {
	Filters map[string][]string `json:"filters"`
	// Slice is where a call is counted; empty for what is in no rate.
	Slice string `json:"slice,omitempty"`
	// Why says by which rule of docs/outcomes.md, and on what evidence.
	Why string `json:"why"`
	// Verdict is Why in its parts.
	Verdict    verdict.Reasons `json:"verdict"`
	ReceivedAt time.Time       `json:"received_at"`
	EndedAt    time.Time       `json:"ended_at"`
	Event      umpire.Event    `json:"event"`
	// SessionPart names the call's session among those of Sessions; empty for none.
	SessionPart string `json:"session_part,omitempty"`
}

// Call answers: what is known of this one call, and why is it judged so? Of the
// scope only the project counts: an id means the same call in every range.
func Call(ctx context.Context, src Source, p Params, id string) (CallAnswer, error) {
	var event umpire.ID
	if err := event.UnmarshalText([]byte(id)); err != nil {
		return CallAnswer{}, fault.New(fault.NotFound, "there is no call with the id "+quote(id), "ids are UUIDs of 36 characters, as in the list of calls")
	}
	found, err := find(ctx, src, p.Filter.Project, event)
	if err != nil {
		return CallAnswer{}, err
	}
	if found == nil {
		return CallAnswer{}, fault.New(fault.NotFound, "there is no call with the id "+event.String(), "it may be of another project, or no longer kept; the list of calls has the ids")
	}
	why := verdict.Explain(&found.Event)
	return CallAnswer{
		Filters: map[string][]string{"project": {p.Project}}, Slice: sliceOf(found.Event), Why: why.String(), Verdict: why,
		ReceivedAt: found.ReceivedAt, EndedAt: found.EndedAt, Event: found.Event, SessionPart: PartAt(found.Session, found.StartedAt),
	}, nil
}

// find looks where a version 7 id says that it was made, and only then everywhere.
func find(ctx context.Context, src Source, project uint32, id umpire.ID) (*store.Stored, error) {
	always := store.Filter{Project: project, From: time.Unix(0, 0).UTC(), To: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)}
	if made, ok := madeAt(id); ok {
		near := always
		near.From, near.To = made.Add(-2*time.Hour), made.Add(10*time.Minute)
		if found, err := src.Event(ctx, near, id); found != nil || err != nil {
			return found, err
		}
	}
	return src.Event(ctx, always, id)
}

// madeAt is the moment in a UUID of version 7: of a call, mostly when it began or ended.
func madeAt(id umpire.ID) (time.Time, bool) {
	ms := int64(binary.BigEndian.Uint64(id[:8]) >> 16)
	at := time.UnixMilli(ms).UTC()
	return at, id[6]>>4 == 7 && at.Year() >= 2000 && at.Year() < 8000
}

// sliceOf is the slice of an event that is a call; else nothing.
func sliceOf(e umpire.Event) string {
	if e.Kind != "call" {
		return ""
	}
	return string(e.Slice())
}
