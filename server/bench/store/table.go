package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// table is what was measured.
type table struct{ lines []line }

type line struct {
	name, floor, goal   string
	median, least, most string
}

func (t *table) add(name, floor, goal string, values []float64, format func(float64) string) {
	if len(values) == 0 {
		return
	}
	v := slices.Sorted(slices.Values(values))
	t.append(line{name, floor, goal, format(v[len(v)/2]), format(v[0]), format(v[len(v)-1])})
}

// append tells what was measured at once, too: a run may be ended before its table.
func (t *table) append(l line) {
	t.lines = append(t.lines, l)
	fmt.Fprintf(os.Stderr, "%s: %s (%s to %s)\n", l.name, l.median, l.least, l.most)
}

// question adds the median and the 95th percentile of what one question took, with
// the least and the most.
func (t *table) question(name, floor string, took []time.Duration) {
	if len(took) == 0 {
		return
	}
	v := slices.Sorted(slices.Values(took))
	at := func(q float64) string { return millis(float64(v[int(q*float64(len(v)-1)+.5)])) }
	t.append(line{name, floor, "", at(.5) + ", p95 " + at(.95), at(0), at(1)})
}

func (t *table) write(w io.Writer) {
	if len(t.lines) == 0 {
		return
	}
	fmt.Fprintln(w, "| | floor | goal | measured | least to most |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
	for _, l := range t.lines {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s to %s |\n", l.name, l.floor, l.goal, l.median, l.least, l.most)
	}
}

func whole(v float64) string   { return fmt.Sprintf("%.0f", v) }
func percent(v float64) string { return fmt.Sprintf("%.1f", v) }
func millis(v float64) string  { return fmt.Sprintf("%.1f ms", v/float64(time.Millisecond)) }
func seconds(v float64) string { return fmt.Sprintf("%.2f s", v/float64(time.Second)) }
func mega(v float64) string    { return fmt.Sprintf("%.0f MB", v/1e6) }
