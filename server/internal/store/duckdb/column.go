package duckdb

import (
	"database/sql/driver"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/cell"
)

// column is one column of events: its name and an entry's value for it.
type column struct {
	name string
	// said is where the texts go on their way in: texts that come again and again are
	// brought once for all events that share them. own is all that is no text.
	said  said
	value func(e *store.Entry) driver.Value
	text  func(e *store.Entry) string // of a text, not yet valid
}

// said is a group of texts that mostly come together.
type said int

const (
	own      said = iota // the event's own
	peers                // who talked to whom
	asked                // what was called, and how it ended
	who                  // the session and its user
	contents             // what few events have
	groups   = contents
)

// columns are the columns of events in the order of the table.
var columns = []column{
	{name: "project", value: func(e *store.Entry) driver.Value { return e.Project }},
	{name: "received_at", value: func(e *store.Entry) driver.Value { return e.ReceivedAt.UTC() }},
	{name: "ended_at", value: func(e *store.Entry) driver.Value { return endedAt(&e.Event) }},
	{name: "id", value: func(e *store.Entry) driver.Value { return duck.UUID(e.Event.ID) }},
	text("kind", peers, of(func(e *umpire.Event) string { return e.Kind })),
	{name: "started_at", value: func(e *store.Entry) driver.Value { return startedAt(&e.Event) }},
	text("server_name", peers, of(func(e *umpire.Event) string { return e.Server.Name })),
	text("server_version", peers, of(func(e *umpire.Event) string { return e.Server.Version })),
	text("server_env", peers, of(func(e *umpire.Event) string { return e.Server.Env })),
	text("client_name", peers, of(func(e *umpire.Event) string { return e.Client.Name })),
	text("client_version", peers, of(func(e *umpire.Event) string { return e.Client.Version })),
	text("platform", peers, of(func(e *umpire.Event) string { return e.Platform })),
	text("protocol", peers, of(func(e *umpire.Event) string { return e.Protocol })),
	text("transport", peers, of(func(e *umpire.Event) string { return e.Transport })),
	text("session", who, of(func(e *umpire.Event) string { return e.Session })),
	text("user", who, of(func(e *umpire.Event) string { return e.User })),
	text("seen_by", peers, of(func(e *umpire.Event) string { return e.SeenBy })),
	text("sdk_name", peers, of(func(e *umpire.Event) string { return e.SDK.Name })),
	text("sdk_version", peers, of(func(e *umpire.Event) string { return e.SDK.Version })),
	{name: "rules", value: func(e *store.Entry) driver.Value { return cell.Clamp(int64(e.Event.Rules), cell.MaxInteger) }},
	text("tool", asked, of(func(e *umpire.Event) string { return e.Tool })),
	text("outcome", asked, of(func(e *umpire.Event) string { return string(e.Outcome) })),
	{name: "empty", value: func(e *store.Entry) driver.Value { return e.Event.Empty }},
	text("empty_rule", asked, of(func(e *umpire.Event) string { return e.EmptyRule })),
	text("cause", asked, of(func(e *umpire.Event) string { return e.Cause })),
	text("evidence", asked, of(func(e *umpire.Event) string { return e.Evidence })),
	text("handler_ran", asked, of(func(e *umpire.Event) string { return e.HandlerRan })),
	text("error_type", asked, of(func(e *umpire.Event) string { return e.ErrorType })),
	{name: "error_status", value: func(e *store.Entry) driver.Value { return status(e.Event.ErrorStatus) }},
	text("error_message", asked, of(func(e *umpire.Event) string { return e.ErrorMessage })),
	text("bad_params", asked, list(func(e *umpire.Event) []umpire.BadParam { return e.BadParams })),
	text("near", asked, list(func(e *umpire.Event) []string { return e.Near })),
	text("suspects", asked, list(func(e *umpire.Event) []string { return e.Suspects })),
	text("fingerprint", asked, of(func(e *umpire.Event) string { return e.Fingerprint })),
	{name: "late", value: func(e *store.Entry) driver.Value { return e.Event.Late }},
	{name: "duration_us", value: number(cell.MaxDurationUS, func(e *umpire.Event) *int64 { return e.DurationUS })},
	{name: "request_bytes", value: number(cell.MaxBytes, func(e *umpire.Event) *int64 { return e.RequestBytes })},
	{name: "response_bytes", value: number(cell.MaxBytes, func(e *umpire.Event) *int64 { return e.ResponseBytes })},
	text("args_hash", own, of(func(e *umpire.Event) string { return e.ArgsHash })),
	text("ask_hash", own, of(func(e *umpire.Event) string { return e.AskHash })),
	// The sender's word on these three is a hint (outcomes.md 6.2); Apply decides.
	{name: "is_retry", value: func(*store.Entry) driver.Value { return false }},
	{name: "reworded", value: func(*store.Entry) driver.Value { return false }},
	{name: "repeated", value: func(*store.Entry) driver.Value { return false }},
	text("input_keys", asked, list(func(e *umpire.Event) []string { return e.InputKeys })),
	text("input_types", contents, func(e *store.Entry) string { return cell.Object(e.Event.InputTypes) }),
	text("input", contents, of(func(e *umpire.Event) string { return string(e.Input) })),
	text("output", contents, of(func(e *umpire.Event) string { return string(e.Output) })),
	text("intent", contents, of(func(e *umpire.Event) string { return e.Intent })),
	text("trace_id", contents, of(func(e *umpire.Event) string { return e.TraceID })),
	text("span_id", contents, of(func(e *umpire.Event) string { return e.SpanID })),
	text("definition", asked, of(func(e *umpire.Event) string { return e.Definition })),
	text("tools", contents, list(func(e *umpire.Event) []umpire.ToolDefinition { return e.Tools })),
	text("meta", contents, func(e *store.Entry) string { return cell.Object(e.Event.Meta) }),
}

func startedAt(e *umpire.Event) time.Time { return e.StartedAt.UTC().Truncate(time.Microsecond) }

// endedAt is when the call ended: its start where the duration is not known, the
// earliest that can be true.
func endedAt(e *umpire.Event) time.Time {
	if e.DurationUS == nil {
		return startedAt(e)
	}
	return startedAt(e).Add(time.Duration(cell.Clamp(*e.DurationUS, cell.MaxDurationUS)) * time.Microsecond)
}

func text(name string, group said, field func(*store.Entry) string) column {
	return column{name: name, said: group, text: field, value: func(e *store.Entry) driver.Value { return cell.Text(field(e)) }}
}

func of(field func(*umpire.Event) string) func(*store.Entry) string {
	return func(e *store.Entry) string { return field(&e.Event) }
}

func number(limit int64, of func(*umpire.Event) *int64) func(*store.Entry) driver.Value {
	return func(e *store.Entry) driver.Value {
		if n := of(&e.Event); n != nil {
			return cell.Clamp(*n, limit)
		}
		return nil
	}
}

func status(code int) driver.Value {
	if n := cell.Status(code); n != nil {
		return *n
	}
	return nil
}

func list[T any](of func(*umpire.Event) []T) func(*store.Entry) string {
	return func(e *store.Entry) string { return cell.List(of(&e.Event)) }
}
