package chart

import (
	"html/template"
	"math"
)

const sparkHeight = 28.0

// Spark is a line without axes, for a card: from zero to the highest value. A
// value that is not known (NaN) leaves a gap; fewer than two values, or nothing
// but zeros, make no line. The numbers stand elsewhere on the page, so that it is
// hidden from screen readers.
func Spark(values []float64) template.HTML {
	highest := 0.0
	known := 0
	for _, v := range values {
		if !math.IsNaN(v) {
			highest = max(highest, v)
			known++
		}
	}
	if known < 2 || highest == 0 {
		return "" // nothing to see
	}
	at := func(i int) (x, y float64) {
		x = 100 * float64(i) / float64(len(values)-1)
		y = sparkHeight - 2 - (sparkHeight-5)*values[i]/highest
		return x, y
	}
	var m markup
	m.add(`<svg class="spark" width="100%%" height="%[1]s" aria-hidden="true"><svg viewBox="0 0 100 %[1]s" preserveAspectRatio="none" width="100%%" height="%[1]s">`, num(sparkHeight))
	last := -1
	for start := 0; start < len(values); start++ {
		end := start
		for end < len(values) && !math.IsNaN(values[end]) {
			end++
		}
		if end > start {
			run(&m, at, start, end)
			last = end - 1
			start = end
		}
	}
	x, y := at(last)
	m.add(`</svg><circle class="spark-end" cx="%s%%" cy="%s" r="2.5"/></svg>`, num(x), num(y))
	return m.html()
}

// run draws the line through the values from start up to end, and the area under it.
func run(m *markup, at func(int) (x, y float64), start, end int) {
	var line markup
	for i := start; i < end; i++ {
		x, y := at(i)
		line.add("%s,%s ", num(x), num(y))
	}
	first, _ := at(start)
	final, _ := at(end - 1)
	points := line.String()
	m.add(`<polygon class="spark-area" points="%s%s,%s %s,%s"/>`, points, num(final), num(sparkHeight), num(first), num(sparkHeight))
	m.add(`<polyline class="spark-line" points="%s"/>`, points[:len(points)-1])
}
