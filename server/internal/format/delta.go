package format

import (
	"math"
	"strconv"
)

// Delta is a difference to the window before, in words: a colour or an arrow
// alone says nothing to many readers.
type Delta struct {
	// Arrow is ▲, ▼ or empty.
	Arrow string
	// Spoken is what a screen reader says in place of the arrow: up, down or empty.
	Spoken string
	// Text is the size of the difference, or what stands in its place:
	// 8.2%, 1.3 pt, 40 ms, new, no change.
	Text string
	// Verdict is better, worse, or empty where neither can be said.
	Verdict string
}

// Sense says which direction of a figure is good.
type Sense int

// The senses.
const (
	Neutral Sense = iota // more calls are neither good nor bad
	MoreIsBetter
	LessIsBetter
)

// String writes the delta for a terminal: ▲ 40 ms worse.
func (d Delta) String() string {
	s := d.Text
	if d.Arrow != "" {
		s = d.Arrow + " " + s
	}
	if d.Verdict != "" {
		s += " " + d.Verdict
	}
	return s
}

// Change is the relative difference of two counts. From zero it is "new"; from
// ten times on it is a factor, because 4,100% is not read by anyone.
func Change(now, before int64) Delta {
	switch {
	case now == before:
		return Delta{Text: "no change"}
	case before == 0:
		return Delta{Text: "new"}
	}
	ratio := float64(now) / float64(before)
	if ratio >= 10 {
		return direct(1, Count(int64(math.Round(ratio)))+"×", Neutral)
	}
	return direct(sign(now-before), percent(math.Abs(ratio-1)), Neutral)
}

// Points is the difference of two shares (0 to 1) in percentage points.
func Points(now, before float64, sense Sense) Delta {
	diff := math.Abs(now-before) * 100
	switch {
	case now == before:
		return Delta{Text: "no change"}
	case diff < 0.1:
		return direct(signFloat(now-before), "<0.1 pt", sense)
	default:
		return direct(signFloat(now-before), strconv.FormatFloat(diff, 'f', 1, 64)+" pt", sense)
	}
}

// Slower is the difference of two durations in microseconds; less is better.
func Slower(now, before int64) Delta {
	if now == before {
		return Delta{Text: "no change"}
	}
	size := now - before
	if size < 0 {
		size = -size
	}
	return direct(sign(now-before), Duration(size), LessIsBetter)
}

func direct(dir int, text string, sense Sense) Delta {
	d := Delta{Arrow: "▲", Spoken: "up", Text: text}
	if dir < 0 {
		d.Arrow, d.Spoken = "▼", "down"
	}
	if sense != Neutral {
		d.Verdict = "better"
		if (dir > 0) == (sense == LessIsBetter) {
			d.Verdict = "worse"
		}
	}
	return d
}

// percent writes a relative change, which may be above 100%.
func percent(x float64) string {
	if x < 0.001 {
		return "<0.1%"
	}
	return strconv.FormatFloat(x*100, 'f', 1, 64) + "%"
}

func sign(n int64) int {
	if n < 0 {
		return -1
	}
	return 1
}

func signFloat(x float64) int {
	if x < 0 {
		return -1
	}
	return 1
}
