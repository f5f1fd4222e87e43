package chart

import (
	"strings"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

// Values are the calls of the five slices, in the order of umpire.Slices.
type Values [5]int64

// Total is the number of calls.
func (v Values) Total() int64 {
	var sum int64
	for _, n := range v {
		sum += n
	}
	return sum
}

// Words reads the values out: "28,209 OK, 147 empty, 69 crashed"; slices without
// a call are left out.
func (v Values) Words() string {
	var parts []string
	for i, s := range umpire.Slices() {
		if v[i] > 0 {
			parts = append(parts, format.Count(v[i])+" "+sliceNoun(s))
		}
	}
	if parts == nil {
		return format.NoCalls
	}
	return strings.Join(parts, ", ")
}

// sliceNoun is the slice's name inside a sentence.
func sliceNoun(s umpire.Slice) string {
	if s == umpire.Slice(umpire.OK) {
		return format.Slice(s)
	}
	return strings.ToLower(format.Slice(s))
}

// class is the style sheet's name of a slice.
func class(i int) string { return "s-" + string(umpire.Slices()[i]) }

// fill is the hatch for empty, which no class can name, and nothing for the rest.
func fill(i int) string {
	if umpire.Slices()[i] == "empty" {
		return ` fill="url(#hatch)"`
	}
	return ""
}

// share divides size units among the values in proportion, each at least floor
// when it is not zero, so that three crashes in ten thousand are seen. What the
// small ones are given is taken from the largest, where it is not noticed. The
// shares add up to size, or to the floors when size is too small for them.
func share(v Values, size, floor float64) [5]float64 {
	var out [5]float64
	total := v.Total()
	if total == 0 {
		return out
	}
	owed, room := 0.0, 0.0
	for i, n := range v {
		if n == 0 {
			continue
		}
		out[i] = size * float64(n) / float64(total)
		if out[i] < floor {
			owed += floor - out[i]
			out[i] = floor
		} else {
			room += out[i] - floor
		}
	}
	if owed == 0 || room == 0 {
		return out
	}
	// Those with room give in proportion to it, and never below the floor.
	part := min(owed/room, 1)
	for i := range out {
		if out[i] > floor {
			out[i] -= (out[i] - floor) * part
		}
	}
	return out
}
