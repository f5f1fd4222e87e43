package live

import (
	"slices"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Event is what is shown of an event; its fields are named as in the list of calls.
// What only the calls around it tell (a retry, a repetition) is not known yet.
type Event struct {
	ID            umpire.ID `json:"id"`
	Kind          string    `json:"kind"`
	StartedAt     time.Time `json:"started_at"`
	Tool          string    `json:"tool"`
	Slice         string    `json:"slice,omitempty"` // of calls
	Outcome       string    `json:"outcome,omitempty"`
	Cause         string    `json:"cause,omitempty"`
	ErrorType     string    `json:"error_type,omitempty"`
	ErrorStatus   int64     `json:"error_status,omitempty"`
	ErrorMessage  string    `json:"error_message,omitempty"`
	Fingerprint   string    `json:"fingerprint,omitempty"`
	DurationUS    *int64    `json:"duration_us"`
	Client        string    `json:"client"`
	ClientVersion string    `json:"client_version,omitempty"`
	Platform      string    `json:"platform"`
	Session       string    `json:"session"`
	User          string    `json:"user"`
	Server        string    `json:"server"`
	Version       string    `json:"version"`
	Env           string    `json:"env"`
}

func known(s string) string {
	if s == "" {
		return store.Unknown
	}
	return s
}

func ofEvent(e *umpire.Event) Event {
	out := Event{
		ID: e.ID, Kind: e.Kind, StartedAt: e.StartedAt.UTC(), Tool: known(e.Tool), Cause: e.Cause, ErrorType: e.ErrorType,
		ErrorStatus: int64(e.ErrorStatus), ErrorMessage: e.ErrorMessage, Fingerprint: e.Fingerprint, DurationUS: e.DurationUS,
		Client: known(e.Client.Name), ClientVersion: e.Client.Version, Platform: known(e.Platform), Session: known(e.Session), User: known(e.User),
		Server: known(e.Server.Name), Version: known(e.Server.Version), Env: known(e.Server.Env),
	}
	if e.Kind == "call" {
		out.Slice, out.Outcome = known(string(e.Slice())), string(e.Outcome)
		if !e.Outcome.Known() {
			out.Outcome = store.Unknown
		}
		if e.Outcome.Failed() {
			out.Cause, out.ErrorType, out.Fingerprint = known(e.Cause), known(e.ErrorType), known(e.Fingerprint)
		}
	}
	return out
}

func ofRow(r store.CallRow) Event {
	return Event{
		ID: r.ID, Kind: "call", StartedAt: r.StartedAt, Tool: r.Tool, Slice: r.Slice, Outcome: r.Outcome, Cause: r.Cause, ErrorType: r.ErrorType,
		ErrorStatus: r.ErrorStatus, ErrorMessage: r.ErrorMessage, Fingerprint: r.Fingerprint, DurationUS: r.DurationUS, Client: r.Client,
		ClientVersion: r.ClientVersion, Platform: r.Platform, Session: r.Session, User: r.User, Server: r.Server, Version: r.Version, Env: r.Env,
	}
}

// Passes reports whether the filter lets the event through; its project and range
// are not looked at.
func (e Event) Passes(f store.Filter) bool {
	status := ""
	switch {
	case e.ErrorStatus != 0:
		status = strconv.FormatInt(e.ErrorStatus, 10)
	case umpire.Outcome(e.Outcome).Failed():
		status = store.Unknown
	}
	for _, d := range []struct {
		list  []string
		value string
	}{
		{f.Tool, e.Tool},
		{f.Client, e.Client},
		{f.Platform, e.Platform},
		{f.Server, e.Server},
		{f.Version, e.Version},
		{f.Env, e.Env},
		{f.Outcome, known(e.Outcome)},
		{f.Slice, known(e.Slice)},
		{f.Cause, e.Cause},
		{f.ErrorType, e.ErrorType},
		{f.ErrorStatus, status},
		{f.Fingerprint, e.Fingerprint},
		{f.Session, e.Session},
		{f.User, e.User},
	} {
		if len(d.list) > 0 && !slices.Contains(d.list, d.value) {
			return false
		}
	}
	return true
}
