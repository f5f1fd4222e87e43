package query

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// rawGone reports whether raw events of the filter's range are gone.
func rawGone(k store.Kept, f store.Filter) bool { return f.From.Before(k.Raw) }

// keptFor is what the project keeps, or a fault.BadRequest where the whole question
// needs what is gone: a part of it would be a wrong number.
func keptFor(ctx context.Context, src Source, f store.Filter) (store.Kept, error) {
	k, err := src.Kept(ctx, f.Project)
	if err != nil {
		return k, err
	}
	return k, answerable(k, f)
}

func answerable(k store.Kept, f store.Filter) error {
	day := func(t time.Time) string { return t.Format(time.DateOnly) }
	switch {
	case f.From.Before(k.Rollups):
		return fault.New(fault.BadRequest, fmt.Sprintf("figures from before %s are no longer kept", day(k.Rollups)), "begin the range there, or later")
	case rawGone(k, f) && !f.FromRollups():
		return fault.New(fault.BadRequest, goneBefore(k.Raw),
			"begin the range there, or ask in whole hours and without filters on outcome, slice, cause, error, fingerprint, session and user")
	}
	return nil
}

// goneBefore says that single events are gone.
func goneBefore(raw time.Time) string {
	return fmt.Sprintf("single events from before %s are no longer kept, and this question needs them", raw.Format(time.DateOnly))
}

// hide is a list that single events are needed for: where they are gone it is null,
// and its name is among what was not narrowed.
func hide[T any](h *Header, gone bool, name string, list *[]T) {
	if gone {
		*list, h.NotFiltered = nil, append(h.NotFiltered, name)
	}
}

// MarshalJSON makes figures that are not kept any more null.
func (p Previous) MarshalJSON() ([]byte, error) {
	if p.Range.To.IsZero() {
		return []byte("null"), nil
	}
	type plain Previous
	return json.Marshal(plain(p))
}
