package door

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Fields are the members of a JSON object, read tolerantly: what is missing, null
// or of another type reads as nothing. Of two members with one name the last
// counts. Each method takes the names that the same thing may have, and the first
// that says something counts.
type Fields map[string]json.RawMessage

// Object reads a JSON object; anything else gives nil, which reads as nothing.
func Object(raw []byte) Fields {
	var f Fields
	if len(bytes.TrimSpace(raw)) == 0 || json.Unmarshal(raw, &f) != nil {
		return nil
	}
	return f
}

// List reads a JSON array; anything else gives nil.
func List(raw []byte) []json.RawMessage {
	var l []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

// Raw is a member as it was sent; null is nothing.
func (f Fields) Raw(names ...string) json.RawMessage {
	for _, name := range names {
		if raw := f[name]; len(raw) > 0 && string(raw) != "null" {
			return raw
		}
	}
	return nil
}

// Has reports whether there is a member that is not null.
func (f Fields) Has(names ...string) bool { return f.Raw(names...) != nil }

// Text is a string that is not empty.
func (f Fields) Text(names ...string) string {
	for _, name := range names {
		raw := f[name]
		var s string
		if len(raw) > 1 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// Word is Text, or a number or boolean in its own spelling.
func (f Fields) Word(names ...string) string {
	for _, name := range names {
		if s := f.Text(name); s != "" {
			return s
		}
		if raw := f.Raw(name); raw != nil && strings.IndexByte(`"[{`, raw[0]) < 0 {
			return string(raw)
		}
	}
	return ""
}

// Number is a finite number, also one that was sent as a string.
func (f Fields) Number(names ...string) (n float64, ok bool) {
	for _, name := range names {
		if n, err := strconv.ParseFloat(f.Word(name), 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
			return n, true
		}
	}
	return 0, false
}

// Size is a whole number from zero, or nil.
func (f Fields) Size(names ...string) *int64 {
	n, ok := f.Number(names...)
	if !ok || n < 0 || n > 1<<53 {
		return nil
	}
	whole := int64(math.Round(n))
	return &whole
}

// Micros is a duration in microseconds, of a number in the given unit; or nil.
func (f Fields) Micros(unit time.Duration, names ...string) *int64 {
	n, ok := f.Number(names...)
	if !ok || n < 0 || n*float64(unit) > math.MaxInt64/2 {
		return nil
	}
	us := int64(math.Round(n * float64(unit) / float64(time.Microsecond)))
	return &us
}

// True reports whether a member is the literal true.
func (f Fields) True(names ...string) bool { return string(f.Raw(names...)) == "true" }

// Object is a member that is an object.
func (f Fields) Object(names ...string) Fields {
	for _, name := range names {
		if o := Object(f[name]); o != nil {
			return o
		}
	}
	return nil
}

// Time is a moment, as RFC 3339 text or as milliseconds since 1970; the zero time
// if there is none.
func (f Fields) Time(names ...string) time.Time {
	for _, name := range names {
		if at, err := time.Parse(time.RFC3339Nano, f.Text(name)); err == nil {
			return at.UTC()
		}
		if ms, ok := f.Number(name); ok && ms > 0 && ms < 1<<52 {
			return time.UnixMicro(int64(math.Round(ms * 1000))).UTC()
		}
	}
	return time.Time{}
}
