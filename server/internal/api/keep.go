package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Retention is how many days a project keeps its single events and its rollups;
// null is for ever.
type Retention struct {
	RawDays    *int `json:"raw_days"`
	RollupDays *int `json:"rollup_days"`
}

// copied shares nothing with r.
func (r Retention) copied() Retention {
	for _, days := range []**int{&r.RawDays, &r.RollupDays} {
		if *days != nil {
			n := **days
			*days = &n
		}
	}
	return r
}

// Whose names one user or one session.
type Whose struct {
	User    string `json:"user,omitempty"`
	Session string `json:"session,omitempty"`
}

// Keeper changes what is kept. Its errors are faults.
type Keeper interface {
	Retention(project uint32) Retention
	SetRetention(ctx context.Context, project uint32, r Retention) error
	// Erase removes what is kept of a user or a session, and says what that was.
	Erase(ctx context.Context, project uint32, whose Whose) (any, error)
}

func (a *API) serveKeeper() {
	a.mux.HandleFunc("GET /api/v1/retention", a.withProject(func(_ *http.Request, project Project) (any, error) {
		return a.opt.Keeper.Retention(project.ID), nil
	}))
	a.mux.HandleFunc("PUT /api/v1/retention", a.withProject(func(r *http.Request, project Project) (any, error) {
		in := a.opt.Keeper.Retention(project.ID).copied() // what is not named stays
		if err := decode(r, &in, `send {"raw_days":90,"rollup_days":null}`); err != nil {
			return nil, err
		}
		if in.RawDays != nil && *in.RawDays < 1 || in.RollupDays != nil && *in.RollupDays < 1 {
			return nil, fault.New(fault.BadRequest, "this is no number of days to keep something", "send 1 to 36500, or null for ever")
		}
		return in, a.opt.Keeper.SetRetention(r.Context(), project.ID, in)
	}))
	a.mux.HandleFunc("POST /api/v1/erase", a.withProject(func(r *http.Request, project Project) (any, error) {
		var in Whose
		if err := decode(r, &in, `send {"user":"u-17"} or {"session":"s-4"}`); err != nil {
			return nil, err
		}
		if (in.User == "") == (in.Session == "") {
			return nil, fault.New(fault.BadRequest, "whose events are to be erased?", "name one user or one session")
		}
		return a.opt.Keeper.Erase(r.Context(), project.ID, in)
	}))
}

func decode(r *http.Request, into any, hint string) error {
	body := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<16))
	body.DisallowUnknownFields()
	if err := body.Decode(into); err != nil {
		return fault.Wrap(err, fault.BadRequest, "the body cannot be read", hint)
	}
	return nil
}
