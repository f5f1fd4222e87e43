package storetest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Base is when generated events begin: a whole hour.
var Base = time.Date(2026, time.May, 4, 11, 0, 0, 0, time.UTC)

// Span is how long generated events go on.
const Span = 3 * time.Hour

// pick draws from a short list, so that values meet.
func pick[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

// moments are few and close, so that calls touch: within 30 seconds and without,
// at the same microsecond, across an hour.
func moment(t *rapid.T) time.Time {
	at := Base.Add(pick(t, "around", 0, 28*time.Minute+50*time.Second, 59*time.Minute+30*time.Second, 2*time.Hour))
	return at.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "second")) * time.Second).
		Add(time.Duration(pick(t, "micro", 0, 0, 0, 1, 999_999)) * time.Microsecond)
}

func maybe(t *rapid.T, name string, values ...int64) *int64 {
	if !rapid.Bool().Draw(t, name+" known") {
		return nil
	}
	n := pick(t, name, values...)
	return &n
}

// Event generates any event: of known and unknown kinds, judged and not, with much of
// it not known.
func Event() *rapid.Generator[umpire.Event] { return rapid.Custom(event) }

func event(t *rapid.T) umpire.Event {
	e := umpire.Event{
		ID:        umpire.NewID(),
		Kind:      pick(t, "kind", "call", "call", "call", "call", "call", "call", "cancelled", "round", "session", "resource", "prompt", "custom", "catalog", "dance"),
		StartedAt: moment(t),
		Server:    umpire.Peer{Name: pick(t, "server", "", "shop"), Version: pick(t, "version", "", "1.0", "1.1"), Env: pick(t, "env", "", "prod")},
		Client:    umpire.Peer{Name: pick(t, "client", "", "cursor", "claude"), Version: pick(t, "client version", "", "1", "2")},
		Platform:  pick(t, "platform", "", "unknown", "cursor"),
		Session:   pick(t, "session", "", "s1", "s1", "s2", "derived-1", "derived-1", "derived-2"),
		User:      pick(t, "user", "", "u1"),
		SeenBy:    pick(t, "seen by", "", "sdk", "otlp", "posthog"),
		SDK:       umpire.Peer{Name: pick(t, "sdk", "", "umpire-go", "mcp-go"), Version: pick(t, "sdk version", "", "1", "2")},
		Rules:     pick(t, "rules", 0, 1, 1, 2),
	}
	e.Tool = pick(t, "tool", "", "find", "find", "buy")
	e.Outcome = pick(t, "outcome", umpire.OK, umpire.OK, umpire.BadArgs, umpire.ToolError, umpire.Crashed, "", "future")
	e.Empty = rapid.Bool().Draw(t, "empty")
	e.EmptyRule = pick(t, "empty rule", "", "no_content", "zero_count")
	e.Cause = pick(t, "cause", "", "schema", "unknown_tool", "panic")
	e.ErrorType = pick(t, "error type", "", "net.OpError", "error", "APIConnectionTimeoutError", "shop.Closed")
	e.ErrorStatus = pick(t, "error status", 0, 0, 404, 429, 503)
	e.ErrorMessage = pick(t, "error message", "", "no such thing", "gone")
	e.Fingerprint = pick(t, "fingerprint", "", "f1", "f2")
	for range rapid.IntRange(0, 2).Draw(t, "bad params") {
		e.BadParams = append(e.BadParams, umpire.BadParam{
			Path: pick(t, "path", "/id", "/name"), Rule: pick(t, "rule", "type", "required"), Near: pick(t, "near param", "", "ids"),
		})
	}
	e.Suspects = rapid.SliceOfN(rapid.SampledFrom([]string{"error_text", "all_failed"}), 0, 2).Draw(t, "suspects")
	e.Near = rapid.SliceOfN(rapid.SampledFrom([]string{"find", "buy"}), 0, 2).Draw(t, "near")
	e.DurationUS = maybe(t, "duration", 0, 0, 1, 1000, 1_000_000, 29_000_000, 30_000_000, 45_000_000, 31*60*1_000_000)
	e.RequestBytes, e.ResponseBytes = maybe(t, "request", 0, 17), maybe(t, "response", 0, 4096)
	e.ArgsHash, e.AskHash = pick(t, "args", "", "a1", "a2"), pick(t, "ask", "", "q1", "q2", "q3")
	e.IsRetry, e.Reworded, e.Repeated = rapid.Bool().Draw(t, "retry"), rapid.Bool().Draw(t, "reworded"), rapid.Bool().Draw(t, "repeated")
	return e
}

// Call generates calls of one tool in one session, so close in time that most
// follow, overlap or touch another: at the same microsecond, 30 seconds apart, in
// no time at all.
func Call(session string) *rapid.Generator[umpire.Event] {
	return rapid.Custom(func(t *rapid.T) umpire.Event {
		e := umpire.Event{
			ID: umpire.NewID(), Kind: "call", Session: session,
			StartedAt: Base.Add(time.Duration(pick(t, "second", 0, 1, 2, 3, 29, 30, 31, 32, 33, 60, 61, 62)) * time.Second),
		}
		e.Tool = "find"
		e.Outcome = pick(t, "outcome", umpire.OK, umpire.OK, umpire.OK, umpire.BadArgs, umpire.Crashed, "")
		e.Empty = rapid.Bool().Draw(t, "empty")
		e.DurationUS = maybe(t, "duration", 0, 1, 999_999, 1_000_000, 2_000_000, 29_000_000, 30_000_000)
		e.ArgsHash, e.AskHash = pick(t, "args", "", "a1", "a2"), pick(t, "ask", "", "q1", "q2")
		return e
	})
}

// Filter generates filters over what Event generates, of the project. Half of them
// can be answered from rollups.
func Filter(project uint32) *rapid.Generator[store.Filter] {
	return rapid.Custom(func(t *rapid.T) store.Filter { return filter(t, project) })
}

func filter(t *rapid.T, project uint32) store.Filter {
	f := store.Filter{Project: project, From: Base, To: Base.Add(Span)}
	if rapid.Bool().Draw(t, "now") {
		f.Now = moment(t).Add(15 * time.Second)
	}
	f.From = f.From.Add(pick(t, "from", 0, 0, time.Hour))
	f.To = f.To.Add(-pick(t, "to", 0, 0, time.Hour))
	switch pick(t, "range", "", "", "week", "days") {
	case "week":
		f.From = Base.Truncate(24 * time.Hour)
		f.To = f.From.AddDate(0, 0, 7)
	case "days": // whole ones, and hours of others at both ends
		f.From = f.From.AddDate(0, 0, -pick(t, "days before", 0, 1, 4))
		f.To = f.To.AddDate(0, 0, pick(t, "days behind", 0, 1, 4))
	}
	few := func(name string, values ...string) []string {
		if rapid.IntRange(0, 3).Draw(t, name+" set") > 0 {
			return nil
		}
		return rapid.SliceOfN(rapid.SampledFrom(append(values, store.Unknown, "'; DROP TABLE events; --")), 1, 2).Draw(t, name)
	}
	f.Server, f.Version, f.Env = few("servers", "shop"), few("versions", "1.0"), few("envs", "prod")
	f.Tool, f.Client, f.Platform = few("tools", "find", "buy"), few("clients", "cursor", "claude"), few("platforms", "cursor")
	if rapid.Bool().Draw(t, "rollups") {
		return f
	}
	f.To = f.To.Add(-pick(t, "to part", 0, time.Second))
	f.Outcome = few("outcomes", "ok", "bad_args", "tool_error", "crashed")
	f.Slice = few("slices", "ok", "empty", "bad_args", "tool_error", "crashed")
	f.Cause, f.ErrorType, f.ErrorStatus = few("causes", "schema", "panic"), few("error types", "net.OpError", "error"), few("statuses", "404", "503")
	f.ErrorClass = few("classes", store.ClassArguments, store.Class4xx, store.Class5xx, store.ClassTimeout, store.ClassConnection, store.ClassUnnamed, store.ClassNamed)
	if rapid.IntRange(0, 3).Draw(t, "new since") == 0 {
		f.NewSince = moment(t)
	}
	f.EmptyRule, f.Mark = few("empty rules", "no_content"), few("marks", "error_text", "all_failed")
	f.ClientVersion = few("client versions", "1", "2")
	f.Fingerprint, f.Session, f.User = few("fingerprints", "f1", "f2"), few("sessions", "s1", "derived-1"), few("users", "u1")
	return f
}
