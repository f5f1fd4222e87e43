package reader

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// CallList implements store.Reader.
func (in *reader) CallList(ctx context.Context, f store.Filter, behind store.Place, limit int) ([]store.CallRow, error) {
	return in.callList(ctx, limited(f, limit), behind)
}

// IntentList implements store.Reader.
func (in *reader) IntentList(ctx context.Context, f store.Filter, behind store.Place, limit int) ([]store.CallRow, error) {
	q := limited(f, limit)
	q.Intents = true
	return in.callList(ctx, q, behind)
}

// MissingList implements store.Reader.
func (in *reader) MissingList(ctx context.Context, f store.Filter, behind store.Place, limit int) ([]store.CallRow, error) {
	q := limited(f, limit)
	q.Missing = true
	return in.callList(ctx, q, behind)
}

func (in *reader) callList(ctx context.Context, q statement.Question, behind store.Place) ([]store.CallRow, error) {
	q.Behind = behind
	var all []store.CallRow
	err := in.each(ctx, "calls", q, func(scan func(...any) error) error {
		var r store.CallRow
		var id, suspects string
		err := scan(&id, &r.StartedAt, &r.Tool, &r.Server, &r.Version, &r.Env, &r.Client, &r.ClientVersion, &r.Platform,
			&r.Session, &r.User, &r.SeenBy, &r.Slice, &r.Outcome, &r.Cause, &r.EmptyRule, &r.Evidence, &r.ErrorType,
			&r.ErrorStatus, &r.ErrorMessage, &r.Fingerprint, &suspects, &r.DurationUS, &r.RequestBytes, &r.ResponseBytes,
			&r.ArgsHash, &r.IsRetry, &r.Reworded, &r.Repeated, &r.Intent)
		if err != nil {
			return err
		}
		r.StartedAt = r.StartedAt.UTC()
		if err := r.ID.UnmarshalText([]byte(id)); err != nil {
			return err
		}
		all = append(all, r)
		return fromJSON(suspects, &all[len(all)-1].Suspects)
	})
	return all, err
}

// Event implements store.Reader.
func (in *reader) Event(ctx context.Context, f store.Filter, id umpire.ID) (*store.Stored, error) {
	q := statement.New(f)
	q.ID = id
	var found *store.Stored
	err := in.each(ctx, "event", q, func(scan func(...any) error) error {
		var err error
		found, err = scanEvent(scan)
		return err
	})
	return found, err
}

// scanEvent reads the row of the statement event. It is columns, the other way.
func scanEvent(scan func(...any) error) (*store.Stored, error) {
	e := &store.Stored{}
	var id, outcome, params, near, suspects, keys, types, input, output, tools, meta string
	err := scan(&id, &e.ReceivedAt, &e.StartedAt, &e.EndedAt, &e.Kind, &e.Server.Name, &e.Server.Version, &e.Server.Env,
		&e.Client.Name, &e.Client.Version, &e.Platform, &e.Protocol, &e.Transport, &e.Session, &e.User, &e.SeenBy,
		&e.SDK.Name, &e.SDK.Version, &e.Rules, &e.Tool, &outcome, &e.Empty, &e.EmptyRule, &e.Cause,
		&e.Evidence, &e.HandlerRan, &e.ErrorType, &e.ErrorStatus, &e.ErrorMessage, &params, &near, &suspects, &e.Fingerprint, &e.Late,
		&e.DurationUS, &e.RequestBytes, &e.ResponseBytes, &e.ArgsHash, &e.AskHash, &e.IsRetry, &e.Reworded, &e.Repeated,
		&keys, &types, &input, &output, &e.Intent, &e.TraceID, &e.SpanID, &e.Definition, &tools, &meta)
	if err != nil {
		return nil, err
	}
	e.ReceivedAt, e.StartedAt, e.EndedAt = e.ReceivedAt.UTC(), e.StartedAt.UTC(), e.EndedAt.UTC()
	e.Outcome = umpire.Outcome(outcome)
	e.Input, e.Output = rawJSON(input), rawJSON(output)
	if err := e.ID.UnmarshalText([]byte(id)); err != nil {
		return nil, err
	}
	for _, list := range []struct {
		text string
		into any
	}{
		{params, &e.BadParams},
		{near, &e.Near},
		{suspects, &e.Suspects},
		{keys, &e.InputKeys},
		{types, &e.InputTypes},
		{tools, &e.Tools},
		{meta, &e.Meta},
	} {
		if err := fromJSON(list.text, list.into); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// rawJSON is a value that was captured. What is no JSON, for example because it
// holds a byte that is no UTF-8, is shown as a text.
func rawJSON(text string) json.RawMessage {
	switch {
	case text == "":
		return nil
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string is always JSON
	return quoted
}

// fromJSON reads a column that holds a list or an object; an empty one is nothing.
func fromJSON(text string, into any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("cannot read a list that is stored: %w", err)
	}
	return nil
}
