package web

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// filterWord names a filter for a reader.
func filterWord(name string) string { return strings.ReplaceAll(name, "_", " ") }

// filterValue writes a filter's value for a reader.
func filterValue(name, value string) string {
	if name == "slice" || name == "outcome" {
		return format.Slice(umpire.Slice(value))
	}
	return value
}

// rangeText writes a range in UTC: "17 Nov – 18 Nov", "17 Nov 14:00 – 15:00 UTC".
func rangeText(from, to time.Time) string {
	from, to = from.UTC(), to.UTC()
	day := 24 * time.Hour
	if from.Equal(from.Truncate(day)) && to.Equal(to.Truncate(day)) {
		last := to.AddDate(0, 0, -1)
		if !last.After(from) {
			return from.Format("2 Jan 2006") + ", UTC"
		}
		return from.Format("2 Jan") + " – " + last.Format("2 Jan 2006") + ", UTC"
	}
	if from.Format("2 Jan 2006") == to.Format("2 Jan 2006") {
		return from.Format("2 Jan 15:04") + " – " + to.Format("15:04") + " UTC"
	}
	return from.Format("2 Jan 15:04") + " – " + to.Format("2 Jan 15:04") + " UTC"
}

// before names the window that the deltas compare with.
func before(p query.Params) string {
	if n, found := strings.CutSuffix(p.Last, "d"); found {
		if days, err := strconv.ParseInt(n, 10, 64); err == nil {
			return "previous " + format.Plural(days, "day")
		}
	}
	if n, found := strings.CutSuffix(p.Last, "h"); found {
		if hours, err := strconv.ParseInt(n, 10, 64); err == nil {
			return "previous " + format.Plural(hours, "hour")
		}
	}
	return "the same length before"
}

// lastWords names the range of a page: "the last 7 days".
func lastWords(p query.Params) string {
	if text, found := strings.CutPrefix(before(p), "previous "); found {
		return "the last " + text
	}
	return rangeText(p.Filter.From, p.Filter.To)
}

// step reads a granularity: 1m 5m 1h 6h 1d 7d.
func step(granularity string) time.Duration {
	if n, found := strings.CutSuffix(granularity, "d"); found {
		if days, err := strconv.Atoi(n); err == nil && days > 0 {
			return time.Duration(days) * 24 * time.Hour
		}
	}
	if d, err := time.ParseDuration(granularity); err == nil && d > 0 {
		return d
	}
	return time.Hour
}

// per writes a step inside "Calls per …".
func per(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d%u.size == 0 {
			if n := int64(d / u.size); n > 1 {
				return format.Plural(n, u.name)
			}
			return u.name
		}
	}
	return d.String()
}

// shown makes a name from outside fit for show: what has no form of its own, or
// turns the direction of writing around, is shown as a sign that stands for it.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\ufeff':
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// sentence makes a message or a hint of a fault a sentence.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	word, _, _ := strings.Cut(text, " ")
	if !strings.ContainsAny(word, "_./-=0123456789") { // a name is left as it is
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// sliceName is a slice with its name for a reader.
type sliceName struct{ Name, Text string }

// sliceNames are the five slices in the order in which they are always shown.
func sliceNames() []sliceName {
	var out []sliceName
	for _, s := range umpire.Slices() {
		out = append(out, sliceName{string(s), format.Slice(s)})
	}
	return out
}
