package chart

import (
	"math"
	"strconv"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

// ticks are round values from 0 up to max, at most four steps of them.
func ticks(max int64) []int64 {
	if max <= 0 {
		return []int64{0}
	}
	step := niceStep(max)
	out := []int64{0}
	for t := step; t <= max && t > 0; t += step {
		out = append(out, t)
	}
	return out
}

// niceStep is the smallest of 1, 2, 5 times a power of ten that needs at most
// four steps to max.
func niceStep(max int64) int64 {
	power := int64(1)
	for {
		for _, f := range []int64{1, 2, 5} {
			if step := f * power; max/step <= 4 {
				return step
			}
		}
		if power > math.MaxInt64/10/5 {
			return max
		}
		power *= 10
	}
}

// tickText is short: 500, 2,000, 20k, 1.5M.
func tickText(n int64) string {
	switch {
	case n >= 1e9:
		return strconv.FormatFloat(float64(n)/1e9, 'f', -1, 64) + "B"
	case n >= 1e6:
		return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "M"
	case n >= 10000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', -1, 64) + "k"
	default:
		return format.Count(n)
	}
}

// grid draws the lines of the y axis and their values, left of the plot, where
// the style sheet leaves room.
func grid(m *markup, max int64, top, height float64) {
	for _, t := range ticks(max) {
		y := top + height
		if max > 0 {
			y -= math.Round(height * float64(t) / float64(max))
		}
		name := "grid"
		if t == 0 {
			name = "base"
		}
		m.add(`<line class="%s" x1="0" x2="100%%" y1="%[2]s" y2="%[2]s"/>`, name, num(y+0.5))
		m.add(`<text class="tick y" x="-8" y="%s">%s</text>`, num(y+4), tickText(t))
	}
}
