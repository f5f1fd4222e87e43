package sql

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

//go:embed *.sql
var files embed.FS

// Question is what a statement is written for.
type Question struct {
	Filter store.Filter
	// Rollups: read the hourly rollups, not the events.
	Rollups bool
	Step    time.Duration
	Limit   int
	Tool    string
	// Behind is where a list goes on, and ID names an event.
	Behind store.Place
	ID     umpire.ID
}

// New returns the question under the filter, of the rollups if they can answer.
func New(f store.Filter) Question {
	return Question{Filter: f, Rollups: f.FromRollups()}
}

// Recent is the moment after which a call must have ended to be too recent for
// first-call success; the zero time if there is none.
func (q Question) Recent() time.Time {
	if q.Filter.Now.IsZero() {
		return time.Time{}
	}
	return q.Filter.Now.Add(-store.Recent)
}

// FailureHours reports whether the hourly rollup of failures can answer, as
// Rollups does for the others: it holds all that a filter names but who called.
func (q Question) FailureHours() bool {
	f := q.Filter
	f.Outcome, f.Slice, f.Cause, f.ErrorType, f.ErrorStatus, f.Fingerprint = nil, nil, nil, nil, nil, nil
	return f.FromRollups()
}

// Dimensions are what every rollup is kept by, beside project and hour.
var Dimensions = []string{"server", "version", "env", "tool", "client", "platform"}

// Counters are the additive columns of tool_hours, and what facts.sql counts.
var Counters = []string{
	"calls", "ok", "empty", "bad_args", "tool_error", "crashed", "cancelled", "rounds", "set_aside",
	"retries", "reworded", "no_session", "first_calls", "first_ok",
	"request_bytes", "request_known", "response_bytes", "response_known",
}

var parsed = template.Must(template.New("").Funcs(template.FuncMap{
	"arg": func(any) string { return "" }, "args": func(any) string { return "" },
	"dims":       func() string { return strings.Join(Dimensions, ", ") },
	"dimensions": func() []string { return Dimensions },
	"counters":   func() []string { return Counters },
	"derived":    func() string { return store.DerivedSession },
	"outside":    func() string { return store.Outside },
	"silence":    func() string { return fmt.Sprintf("INTERVAL %d SECOND", int(store.Silence.Seconds())) },
	"first":      func(name string) bool { return strings.HasPrefix(name, "first_") },
	"buckets":    func() int { return store.Buckets },
	"unknown":    func() string { return store.Unknown },
}).ParseFS(files, "*.sql"))

// Render returns the statement of the file name.sql and the values for its
// placeholders.
func Render(name string, q Question) (statement string, args []any, err error) {
	b := &binder{}
	t, err := parsed.Clone()
	if err != nil {
		return "", nil, fmt.Errorf("cannot copy the statements: %w", err)
	}
	t.Funcs(template.FuncMap{"arg": b.one, "args": b.list})
	var out strings.Builder
	if err := t.ExecuteTemplate(&out, name+".sql", q); err != nil {
		return "", nil, fmt.Errorf("cannot write statement %q: %w", name, err)
	}
	return out.String(), b.values, nil
}

// binder collects values and hands out their placeholders.
type binder struct{ values []any }

func (b *binder) one(v any) string {
	if t, ok := v.(time.Time); ok {
		// As a number, so that no session's time zone can have a say.
		b.values = append(b.values, t.UnixMicro())
		return "make_timestamp($" + strconv.Itoa(len(b.values)) + "::BIGINT)"
	}
	if d, ok := v.(time.Duration); ok {
		v = d.Microseconds()
	}
	b.values = append(b.values, v)
	return "$" + strconv.Itoa(len(b.values))
}

func (b *binder) list(values []string) string {
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = b.one(v)
	}
	return strings.Join(marks, ", ")
}
