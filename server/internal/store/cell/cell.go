package cell

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire/server/internal/eventjson"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Limits on numbers, far above what can be true, so that no sum and no time
// computed from a sender's number can overflow.
const (
	MaxDurationUS = int64(366*24*time.Hour) / 1000
	MaxBytes      = int64(1) << 40
	MaxInteger    = int64(1) << 31
)

// Clamp is the number within 0 and the limit.
func Clamp(n, limit int64) int64 { return min(max(n, 0), limit) }

// Clamped is Clamp of a number that may not be known.
func Clamped(n *int64, limit int64) *int64 {
	if n == nil {
		return nil
	}
	v := Clamp(*n, limit)
	return &v
}

// Status is the HTTP status of an error; nil if there is none.
func Status(code int) *int64 {
	if code == 0 {
		return nil
	}
	v := min(max(int64(code), -MaxInteger), MaxInteger)
	return &v
}

// Text is the text in UTF-8, which is all that a database takes.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Known is Text under the name of what is not known.
func Known(s string) string {
	if s == "" {
		return store.Unknown
	}
	return Text(s)
}

// List is the list as JSON text, "" if it is empty.
func List[T any](v []T) string {
	if len(v) == 0 {
		return ""
	}
	if names, ok := any(v).([]string); ok {
		if text, ok := plainNames(names); ok {
			return text
		}
	}
	return encode(v)
}

// plainNames is encode of names that JSON writes as they are.
func plainNames(names []string) (string, bool) {
	b := make([]byte, 0, 64)
	for i, name := range names {
		b = append(b, "[,"[min(i, 1)], '"')
		for j := range len(name) {
			if c := name[j]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
				return "", false
			}
		}
		b = append(append(b, name...), '"')
	}
	return string(append(b, ']')), true
}

// Object is the object as JSON text, "" if it is empty.
func Object[V any](m map[string]V) string {
	if len(m) == 0 {
		return ""
	}
	return encode(m)
}

// encode is JSON text. A value that JSON cannot hold is stored as not known.
func encode(v any) string {
	out, err := eventjson.Marshal(v)
	if err != nil {
		return ""
	}
	return Text(string(out))
}
