package duckdb

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Limits on numbers, far above what can be true, so that no sum and no time
// computed from a sender's number can overflow.
const (
	maxDurationUS = int64(366*24*time.Hour) / 1000
	maxBytes      = int64(1) << 40
	maxInteger    = int64(1) << 31
)

// column is one column of events: its name and an entry's value for it.
type column struct {
	name  string
	value func(e *store.Entry) driver.Value
}

// columns are the columns of events in the order of the table.
var columns = []column{
	{"project", func(e *store.Entry) driver.Value { return e.Project }},
	{"received_at", func(e *store.Entry) driver.Value { return e.ReceivedAt.UTC() }},
	{"ended_at", func(e *store.Entry) driver.Value { return endedAt(&e.Event) }},
	{"id", func(e *store.Entry) driver.Value { return duck.UUID(e.Event.ID) }},
	{"kind", text(func(e *umpire.Event) string { return e.Kind })},
	{"started_at", func(e *store.Entry) driver.Value { return startedAt(&e.Event) }},
	{"server_name", text(func(e *umpire.Event) string { return e.Server.Name })},
	{"server_version", text(func(e *umpire.Event) string { return e.Server.Version })},
	{"server_env", text(func(e *umpire.Event) string { return e.Server.Env })},
	{"client_name", text(func(e *umpire.Event) string { return e.Client.Name })},
	{"client_version", text(func(e *umpire.Event) string { return e.Client.Version })},
	{"platform", text(func(e *umpire.Event) string { return e.Platform })},
	{"protocol", text(func(e *umpire.Event) string { return e.Protocol })},
	{"transport", text(func(e *umpire.Event) string { return e.Transport })},
	{"session", text(func(e *umpire.Event) string { return e.Session })},
	{"user", text(func(e *umpire.Event) string { return e.User })},
	{"seen_by", text(func(e *umpire.Event) string { return e.SeenBy })},
	{"sdk_name", text(func(e *umpire.Event) string { return e.SDK.Name })},
	{"sdk_version", text(func(e *umpire.Event) string { return e.SDK.Version })},
	{"rules", func(e *store.Entry) driver.Value { return clamp(int64(e.Event.Rules), maxInteger) }},
	{"tool", text(func(e *umpire.Event) string { return e.Tool })},
	{"outcome", text(func(e *umpire.Event) string { return string(e.Outcome) })},
	{"empty", func(e *store.Entry) driver.Value { return e.Event.Empty }},
	{"empty_rule", text(func(e *umpire.Event) string { return e.EmptyRule })},
	{"cause", text(func(e *umpire.Event) string { return e.Cause })},
	{"evidence", text(func(e *umpire.Event) string { return e.Evidence })},
	{"handler_ran", text(func(e *umpire.Event) string { return e.HandlerRan })},
	{"error_type", text(func(e *umpire.Event) string { return e.ErrorType })},
	{"error_status", func(e *store.Entry) driver.Value { return status(e.Event.ErrorStatus) }},
	{"error_message", text(func(e *umpire.Event) string { return e.ErrorMessage })},
	{"bad_params", list(func(e *umpire.Event) []umpire.BadParam { return e.BadParams })},
	{"near", list(func(e *umpire.Event) []string { return e.Near })},
	{"suspects", list(func(e *umpire.Event) []string { return e.Suspects })},
	{"fingerprint", text(func(e *umpire.Event) string { return e.Fingerprint })},
	{"late", func(e *store.Entry) driver.Value { return e.Event.Late }},
	{"duration_us", number(maxDurationUS, func(e *umpire.Event) *int64 { return e.DurationUS })},
	{"request_bytes", number(maxBytes, func(e *umpire.Event) *int64 { return e.RequestBytes })},
	{"response_bytes", number(maxBytes, func(e *umpire.Event) *int64 { return e.ResponseBytes })},
	{"args_hash", text(func(e *umpire.Event) string { return e.ArgsHash })},
	{"ask_hash", text(func(e *umpire.Event) string { return e.AskHash })},
	// The sender's word on these three is a hint (outcomes.md 6.2); Apply decides.
	{"is_retry", func(*store.Entry) driver.Value { return false }},
	{"reworded", func(*store.Entry) driver.Value { return false }},
	{"repeated", func(*store.Entry) driver.Value { return false }},
	{"input_keys", list(func(e *umpire.Event) []string { return e.InputKeys })},
	{"input_types", func(e *store.Entry) driver.Value { return object(e.Event.InputTypes) }},
	{"input", text(func(e *umpire.Event) string { return string(e.Input) })},
	{"output", text(func(e *umpire.Event) string { return string(e.Output) })},
	{"intent", text(func(e *umpire.Event) string { return e.Intent })},
	{"trace_id", text(func(e *umpire.Event) string { return e.TraceID })},
	{"span_id", text(func(e *umpire.Event) string { return e.SpanID })},
	{"definition", text(func(e *umpire.Event) string { return e.Definition })},
	{"tools", list(func(e *umpire.Event) []umpire.ToolDefinition { return e.Tools })},
	{"meta", func(e *store.Entry) driver.Value { return object(e.Event.Meta) }},
}

func startedAt(e *umpire.Event) time.Time { return e.StartedAt.UTC().Truncate(time.Microsecond) }

// endedAt is when the call ended: its start where the duration is not known, the
// earliest that can be true.
func endedAt(e *umpire.Event) time.Time {
	if e.DurationUS == nil {
		return startedAt(e)
	}
	return startedAt(e).Add(time.Duration(clamp(*e.DurationUS, maxDurationUS)) * time.Microsecond)
}

func text(of func(*umpire.Event) string) func(*store.Entry) driver.Value {
	return func(e *store.Entry) driver.Value { return valid(of(&e.Event)) }
}

func number(limit int64, of func(*umpire.Event) *int64) func(*store.Entry) driver.Value {
	return func(e *store.Entry) driver.Value {
		if n := of(&e.Event); n != nil {
			return clamp(*n, limit)
		}
		return nil
	}
}

func status(code int) driver.Value {
	if code == 0 {
		return nil
	}
	return min(max(int64(code), -maxInteger), maxInteger)
}

func list[T any](of func(*umpire.Event) []T) func(*store.Entry) driver.Value {
	return func(e *store.Entry) driver.Value {
		if v := of(&e.Event); len(v) > 0 {
			return encode(v)
		}
		return ""
	}
}

func object[V any](m map[string]V) driver.Value {
	if len(m) == 0 {
		return ""
	}
	return encode(m)
}

// encode is JSON text. A value that JSON cannot hold is stored as not known: one
// such event must not stop the queue.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return valid(strings.TrimSuffix(b.String(), "\n"))
}

// valid is the text in UTF-8, which is all that the database takes.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func clamp(n, limit int64) int64 { return min(max(n, 0), limit) }
