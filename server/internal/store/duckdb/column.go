package duckdb

import (
	"database/sql/driver"
	"encoding/binary"
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
	// Of a text: has tells whether there is one, key appends what tells it from others.
	has func(e *store.Entry) bool
	key func(dst []byte, e *store.Entry) []byte
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
	text("kind", peers, func(e *umpire.Event) string { return e.Kind }),
	{name: "started_at", value: func(e *store.Entry) driver.Value { return startedAt(&e.Event) }},
	text("server_name", peers, func(e *umpire.Event) string { return e.Server.Name }),
	text("server_version", peers, func(e *umpire.Event) string { return e.Server.Version }),
	text("server_env", peers, func(e *umpire.Event) string { return e.Server.Env }),
	text("client_name", peers, func(e *umpire.Event) string { return e.Client.Name }),
	text("client_version", peers, func(e *umpire.Event) string { return e.Client.Version }),
	text("platform", peers, func(e *umpire.Event) string { return e.Platform }),
	text("protocol", peers, func(e *umpire.Event) string { return e.Protocol }),
	text("transport", peers, func(e *umpire.Event) string { return e.Transport }),
	text("session", who, func(e *umpire.Event) string { return e.Session }),
	text("user", who, func(e *umpire.Event) string { return e.User }),
	text("seen_by", peers, func(e *umpire.Event) string { return e.SeenBy }),
	text("sdk_name", peers, func(e *umpire.Event) string { return e.SDK.Name }),
	text("sdk_version", peers, func(e *umpire.Event) string { return e.SDK.Version }),
	{name: "rules", value: func(e *store.Entry) driver.Value { return cell.Clamp(int64(e.Event.Rules), cell.MaxInteger) }},
	text("tool", asked, func(e *umpire.Event) string { return e.Tool }),
	text("outcome", asked, func(e *umpire.Event) string { return string(e.Outcome) }),
	{name: "empty", value: func(e *store.Entry) driver.Value { return e.Event.Empty }},
	text("empty_rule", asked, func(e *umpire.Event) string { return e.EmptyRule }),
	text("cause", asked, func(e *umpire.Event) string { return e.Cause }),
	text("evidence", asked, func(e *umpire.Event) string { return e.Evidence }),
	text("handler_ran", asked, func(e *umpire.Event) string { return e.HandlerRan }),
	text("error_type", asked, func(e *umpire.Event) string { return e.ErrorType }),
	{name: "error_status", value: func(e *store.Entry) driver.Value { return status(e.Event.ErrorStatus) }},
	text("error_message", asked, func(e *umpire.Event) string { return e.ErrorMessage }),
	list("bad_params", asked, func(e *umpire.Event) []umpire.BadParam { return e.BadParams }),
	list("near", asked, func(e *umpire.Event) []string { return e.Near }),
	list("suspects", asked, func(e *umpire.Event) []string { return e.Suspects }),
	text("fingerprint", asked, func(e *umpire.Event) string { return e.Fingerprint }),
	{name: "late", value: func(e *store.Entry) driver.Value { return e.Event.Late }},
	{name: "duration_us", value: number(cell.MaxDurationUS, func(e *umpire.Event) *int64 { return e.DurationUS })},
	{name: "request_bytes", value: number(cell.MaxBytes, func(e *umpire.Event) *int64 { return e.RequestBytes })},
	{name: "response_bytes", value: number(cell.MaxBytes, func(e *umpire.Event) *int64 { return e.ResponseBytes })},
	text("args_hash", own, func(e *umpire.Event) string { return e.ArgsHash }),
	text("ask_hash", own, func(e *umpire.Event) string { return e.AskHash }),
	// The sender's word on these three is a hint (outcomes.md 6.2); Apply decides.
	{name: "is_retry", value: func(*store.Entry) driver.Value { return false }},
	{name: "reworded", value: func(*store.Entry) driver.Value { return false }},
	{name: "repeated", value: func(*store.Entry) driver.Value { return false }},
	list("input_keys", asked, func(e *umpire.Event) []string { return e.InputKeys }),
	object("input_types", func(e *umpire.Event) map[string]string { return e.InputTypes }),
	text("input", contents, func(e *umpire.Event) string { return string(e.Input) }),
	text("output", contents, func(e *umpire.Event) string { return string(e.Output) }),
	text("intent", contents, func(e *umpire.Event) string { return e.Intent }),
	text("trace_id", contents, func(e *umpire.Event) string { return e.TraceID }),
	text("span_id", contents, func(e *umpire.Event) string { return e.SpanID }),
	text("definition", asked, func(e *umpire.Event) string { return e.Definition }),
	list("tools", contents, func(e *umpire.Event) []umpire.ToolDefinition { return e.Tools }),
	object("meta", func(e *umpire.Event) map[string]any { return e.Meta }),
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

func text(name string, group said, field func(*umpire.Event) string) column {
	return column{
		name: name, said: group, value: func(e *store.Entry) driver.Value { return cell.Text(field(&e.Event)) },
		has: func(e *store.Entry) bool { return field(&e.Event) != "" },
		key: func(dst []byte, e *store.Entry) []byte { return appendKey(dst, field(&e.Event)) },
	}
}

// object is a column of JSON, for contents.
func object[V any](name string, field func(*umpire.Event) map[string]V) column {
	return column{
		name: name, said: contents, value: func(e *store.Entry) driver.Value { return cell.Object(field(&e.Event)) },
		has: func(e *store.Entry) bool { return len(field(&e.Event)) > 0 },
	}
}

// list is a column of JSON.
func list[T any](name string, group said, field func(*umpire.Event) []T) column {
	return column{
		name: name, said: group, value: func(e *store.Entry) driver.Value { return cell.List(field(&e.Event)) },
		has: func(e *store.Entry) bool { return len(field(&e.Event)) > 0 },
		key: func(dst []byte, e *store.Entry) []byte {
			names, ok := any(field(&e.Event)).([]string)
			if !ok {
				return appendKey(dst, cell.List(field(&e.Event)))
			}
			dst = binary.AppendUvarint(dst, uint64(len(names)))
			for _, name := range names {
				dst = appendKey(dst, name)
			}
			return dst
		},
	}
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
