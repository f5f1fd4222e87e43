package clickhouse

import (
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/cell"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// row is a row of event_rows.
type row struct {
	project                   uint32
	received, started, ended  time.Time
	id                        umpire.ID
	text                      [texts]string
	number                    [numbers]*int64
	rules                     int64
	empty, late               bool
	retry, reworded, repeated bool
	node                      string
	version                   uint64
	sign                      int8
}

// The columns of a text, in the order of row.text.
var textColumns = [...]struct {
	name string
	low  bool // few values: a dictionary
	of   func(*umpire.Event) string
}{
	{"kind", true, func(e *umpire.Event) string { return e.Kind }},
	{"server_name", true, func(e *umpire.Event) string { return e.Server.Name }},
	{"server_version", true, func(e *umpire.Event) string { return e.Server.Version }},
	{"server_env", true, func(e *umpire.Event) string { return e.Server.Env }},
	{"client_name", true, func(e *umpire.Event) string { return e.Client.Name }},
	{"client_version", true, func(e *umpire.Event) string { return e.Client.Version }},
	{"platform", true, func(e *umpire.Event) string { return e.Platform }},
	{"protocol", true, func(e *umpire.Event) string { return e.Protocol }},
	{"transport", true, func(e *umpire.Event) string { return e.Transport }},
	{"session", false, func(e *umpire.Event) string { return e.Session }},
	{"user", false, func(e *umpire.Event) string { return e.User }},
	{"seen_by", true, func(e *umpire.Event) string { return e.SeenBy }},
	{"sdk_name", true, func(e *umpire.Event) string { return e.SDK.Name }},
	{"sdk_version", true, func(e *umpire.Event) string { return e.SDK.Version }},
	{"tool", true, func(e *umpire.Event) string { return e.Tool }},
	{"outcome", true, func(e *umpire.Event) string { return string(e.Outcome) }},
	{"empty_rule", true, func(e *umpire.Event) string { return e.EmptyRule }},
	{"cause", true, func(e *umpire.Event) string { return e.Cause }},
	{"evidence", true, func(e *umpire.Event) string { return e.Evidence }},
	{"handler_ran", true, func(e *umpire.Event) string { return e.HandlerRan }},
	{"error_type", true, func(e *umpire.Event) string { return e.ErrorType }},
	{"error_message", false, func(e *umpire.Event) string { return e.ErrorMessage }},
	{"bad_params", false, func(e *umpire.Event) string { return cell.List(e.BadParams) }},
	{"near", false, func(e *umpire.Event) string { return cell.List(e.Near) }},
	{"suspects", false, func(e *umpire.Event) string { return cell.List(e.Suspects) }},
	{"fingerprint", false, func(e *umpire.Event) string { return e.Fingerprint }},
	{"args_hash", false, func(e *umpire.Event) string { return e.ArgsHash }},
	{"ask_hash", false, func(e *umpire.Event) string { return e.AskHash }},
	{"input_keys", true, func(e *umpire.Event) string { return cell.List(e.InputKeys) }},
	{"input_types", true, func(e *umpire.Event) string { return cell.Object(e.InputTypes) }},
	{"input", false, func(e *umpire.Event) string { return string(e.Input) }},
	{"output", false, func(e *umpire.Event) string { return string(e.Output) }},
	{"intent", false, func(e *umpire.Event) string { return e.Intent }},
	{"trace_id", false, func(e *umpire.Event) string { return e.TraceID }},
	{"span_id", false, func(e *umpire.Event) string { return e.SpanID }},
	{"definition", false, func(e *umpire.Event) string { return e.Definition }},
	{"tools", false, func(e *umpire.Event) string { return cell.List(e.Tools) }},
	{"meta", false, func(e *umpire.Event) string { return cell.Object(e.Meta) }},
}

// The columns of a number that may not be known, in the order of row.number.
var numberColumns = [...]struct {
	name string
	of   func(*umpire.Event) *int64
}{
	{"error_status", func(e *umpire.Event) *int64 { return cell.Status(e.ErrorStatus) }},
	{"duration_us", func(e *umpire.Event) *int64 { return cell.Clamped(e.DurationUS, cell.MaxDurationUS) }},
	{"request_bytes", func(e *umpire.Event) *int64 { return cell.Clamped(e.RequestBytes, cell.MaxBytes) }},
	{"response_bytes", func(e *umpire.Event) *int64 { return cell.Clamped(e.ResponseBytes, cell.MaxBytes) }},
}

const (
	texts   = len(textColumns)
	numbers = len(numberColumns)
)

// place is where a text is in row.text.
func place(name string) int {
	for i := range textColumns {
		if textColumns[i].name == name {
			return i
		}
	}
	panic("BUG: there is no column " + name)
}

var (
	kindAt, sessionAt, toolAt, outcomeAt  = place("kind"), place("session"), place("tool"), place("outcome")
	seenByAt, handlerRanAt, argsAt, askAt = place("seen_by"), place("handler_ran"), place("args_hash"), place("ask_hash")
)

// fromEntry is the row of +1 of an entry of the log.
func fromEntry(e *store.Entry, node string) *row {
	r := &row{
		project: e.Project, received: moment(e.ReceivedAt), started: moment(e.Event.StartedAt), id: e.Event.ID,
		rules: min(max(int64(e.Event.Rules), 0), cell.MaxInteger), empty: e.Event.Empty, late: e.Event.Late,
		node: node, version: incarnation(node, e.Seq), sign: 1,
	}
	for i := range textColumns {
		r.text[i] = cell.Text(textColumns[i].of(&e.Event))
	}
	for i := range numberColumns {
		r.number[i] = numberColumns[i].of(&e.Event)
	}
	r.ended = r.started
	if us := cell.Clamped(e.Event.DurationUS, cell.MaxDurationUS); us != nil {
		r.ended = moment(r.started.Add(time.Duration(*us) * time.Microsecond))
	}
	return r
}

// moment is the time as a column can hold it.
func moment(t time.Time) time.Time {
	switch t = t.UTC().Truncate(time.Microsecond); {
	case t.Before(statement.FirstMoment):
		return statement.FirstMoment
	case t.After(statement.LastMoment):
		return statement.LastMoment
	}
	return t
}

// agreed, whole and half are store.Agreed and its like, of a row.
func (r *row) agreed() bool { return store.Agreed(r.id) }

func (r *row) whole() bool {
	return r.text[seenByAt] == store.Halves && r.text[kindAt] == "call" && r.text[handlerRanAt] == "yes"
}

// yieldsTo reports whether what is stored yields to what came under the same id.
func (r *row) yieldsTo(next *row) bool {
	return r.text[seenByAt] == "proxy" && next.text[seenByAt] == "sdk" && next.agreed() ||
		r.text[seenByAt] == store.Halves && r.text[handlerRanAt] != "yes" && next.whole()
}

// chained reports whether the call takes part in retries (outcomes.md 6.2).
func (r *row) chained() bool {
	return r.text[kindAt] == "call" && umpire.Outcome(r.text[outcomeAt]).Known() && r.text[sessionAt] != "" && r.text[toolAt] != ""
}

// plainlyOK reports whether it was ok and not empty.
func (r *row) plainlyOK() bool { return r.text[outcomeAt] == string(umpire.OK) && !r.empty }
