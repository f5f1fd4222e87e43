package span

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Kinds of span, by their numbers in OTLP.
const (
	Unspecified = 0
	Internal    = 1
	Server      = 2
	Client      = 3
	Producer    = 4
	Consumer    = 5
)

// Statuses of a span, by their numbers in OTLP.
const (
	Unset  = 0
	OK     = 1
	Failed = 2
)

// Span is a span as it was sent. What was not sent is zero.
type Span struct {
	TraceID, ID, Parent string // hex, in lower case
	Name, Scope         string
	Kind                int
	Start, End          time.Time
	Status              int
	Message             string // of the status
	// Thrown: the sender says in a way of its own that the handler threw.
	Thrown bool
	// Cancelled: the sender says in a way of its own that the request was given up.
	Cancelled bool

	Attributes Attributes
	Resource   Attributes
	Exceptions []Exception
}

// Exception is one that was recorded on a span.
type Exception struct {
	Type, Message string
	Stack         bool
}

// Attributes are those of a span, a resource or a span's event. A value is a
// string, bool, int64, float64, []any, map[string]any, or nil.
type Attributes map[string]any

// Text is the first of the keys that holds a string that is not empty.
func (a Attributes) Text(keys ...string) string {
	for _, key := range keys {
		if s, ok := a[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// Word is Text, or a number or boolean in its own spelling.
func (a Attributes) Word(keys ...string) string {
	for _, key := range keys {
		switch v := a[key].(type) {
		case string:
			if v != "" {
				return v
			}
		case bool:
			return strconv.FormatBool(v)
		case int64:
			return strconv.FormatInt(v, 10)
		case float64:
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return ""
}

// True reports whether one of the keys holds true.
func (a Attributes) True(keys ...string) bool {
	for _, key := range keys {
		if a[key] == true {
			return true
		}
	}
	return false
}

// Int is a whole number, also one that was sent as a string or a float.
func (a Attributes) Int(keys ...string) (n int64, ok bool) {
	for _, key := range keys {
		switch v := a[key].(type) {
		case int64:
			return v, true
		case float64:
			if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
				return int64(v), true
			}
		case string:
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// Size is a whole number from zero, or nil.
func (a Attributes) Size(keys ...string) *int64 {
	if n, ok := a.Int(keys...); ok && n >= 0 {
		return &n
	}
	return nil
}

// Strings are those of a list.
func (a Attributes) Strings(key string) []string {
	list, _ := a[key].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// JSON is a value that is JSON: a text that holds it, or a structure. Nil is none.
func (a Attributes) JSON(keys ...string) json.RawMessage {
	for _, key := range keys {
		switch v := a[key].(type) {
		case string:
			if json.Valid([]byte(v)) {
				return json.RawMessage(v)
			}
		case map[string]any, []any:
			if text, err := json.Marshal(v); err == nil {
				return text
			}
		}
	}
	return nil
}
