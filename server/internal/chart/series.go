package chart

import (
	"html/template"
	"math"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

// Series is calls over time, stacked by slice.
type Series struct {
	// ID is unique on the page.
	ID, Title, Desc string
	// Unit heads the first column of the table: Day, Hour.
	Unit string
	// Failures says that all are failed calls: the table has no column for the slices
	// that are none.
	Failures bool
	Bars     []Bar
	// Breaks are moments from which on something was not as before.
	Breaks []Break
}

// Break marks the bar in which something changed.
type Break struct {
	Bar int
	// Name is a letter that the text beside the picture explains, Words that text.
	Name, Words string
}

// Bar is one bucket of a series.
type Bar struct {
	At time.Time
	// Label names the bucket in full, Tick below the axis; a bar without Tick is
	// never labelled there.
	Label, Tick string
	// Part says why the bucket is not whole ("so far"), or is empty.
	Part   string
	Values Values
	// Href leads to the bucket's own range; empty where there is nothing to see.
	Href string
}

const (
	plotHeight = 200.0 // pixels from the base line to the highest bar
	plotTop    = 10.0
	axisHeight = 24.0
	labels     = 7  // ticks under the x axis, at most
	fewBars    = 10 // fewer bars than this do not grow any wider
)

// SVG draws the bars. Each is a link to its range.
func (s Series) SVG() template.HTML {
	var m markup
	m.add(`<svg class="plot" width="100%%" height="%s" role="group" aria-labelledby="%[2]s-t %[2]s-d">`, num(plotTop+plotHeight+axisHeight), esc(s.ID))
	m.add(`<title id="%[1]s-t">%[2]s</title><desc id="%[1]s-d">%[3]s</desc>`, esc(s.ID), esc(s.Title), esc(s.Desc))
	highest := s.highest()
	grid(&m, highest, plotTop, plotHeight)
	for i, b := range s.Bars {
		s.bar(&m, i, b, highest)
	}
	for _, b := range s.Breaks {
		_, _, column, _ := s.place(b.Bar)
		m.add(`<g class="break"><title>%s</title><line x1="%[2]s%%" x2="%[2]s%%" y1="%[3]s" y2="%[4]s"/>`, esc(b.Name+": "+b.Words), num(column), num(plotTop+2), num(plotTop+plotHeight))
		m.add(`<text class="tick break-name" x="%s%%" y="%s">%s</text></g>`, num(column), num(plotTop-1), esc(b.Name))
	}
	s.axis(&m)
	m.add(`</svg>`)
	return m.html()
}

func (s Series) highest() int64 {
	var highest int64
	for _, b := range s.Bars {
		highest = max(highest, b.Values.Total())
	}
	return highest
}

// place is the left edge and the width of bar i, and those of its column, in percent.
func (s Series) place(i int) (x, width, column, columnWidth float64) {
	columnWidth = 100 / float64(len(s.Bars))
	column = float64(i) * columnWidth
	width = 100 / float64(max(len(s.Bars), fewBars)) * 0.86
	return column + (columnWidth-width)/2, width, column, columnWidth
}

func (s Series) bar(m *markup, i int, b Bar, highest int64) {
	if b.Values.Total() == 0 {
		return
	}
	x, w, column, columnWidth := s.place(i)
	if b.Href == "" {
		m.add(`<g class="bar">`)
	} else {
		m.add(`<a class="bar" href="%s" data-at="%s">`, esc(b.Href), b.At.UTC().Format(time.RFC3339))
	}
	m.add(`<title>%s</title>`, esc(b.words()))
	m.add(`<rect class="hit" x="%s%%" y="%s" width="%s%%" height="%s"/>`, num(column), num(plotTop), num(columnWidth), num(plotHeight))
	y := plotTop + plotHeight
	for k, h := range heights(b.Values, highest) {
		if h == 0 {
			continue
		}
		gap := 1
		if y == plotTop+plotHeight {
			gap = 0 // the lowest stands on the base line
		}
		top, tall := y-float64(h), float64(h-gap)
		if fill(k) != "" { // its edge is drawn, and half of it lies outside
			top, tall = top+0.5, tall-1
		}
		m.add(`<rect class="%s"%s x="%s%%" y="%s" width="%s%%" height="%s"/>`, class(k), fill(k), num(x), num(top), num(w), num(tall))
		y -= float64(h)
	}
	if b.Part != "" {
		m.add(`<rect class="part" fill="url(#part)" x="%s%%" y="%s" width="%s%%" height="%s"/>`, num(x), num(y), num(w), num(plotTop+plotHeight-y))
	}
	if b.Href == "" {
		m.add(`</g>`)
	} else {
		m.add(`</a>`)
	}
}

// heights are whole pixels per slice, a gap of one included in each but the
// lowest: a slice that is not zero shows at least two.
func heights(v Values, highest int64) [5]int {
	total := v.Total()
	full := math.Round(plotHeight * float64(total) / float64(highest))
	var out [5]int
	sum, largest := 0, 0
	for i, h := range share(v, full, 3) {
		out[i] = int(math.Round(h))
		sum += out[i]
		if out[i] > out[largest] {
			largest = i
		}
	}
	// Rounding may have moved the top by a pixel or two.
	if fix := int(full) - sum; out[largest]+fix >= 3 {
		out[largest] += fix
	}
	return out
}

func (b Bar) words() string {
	label := b.Label
	if b.Part != "" {
		label += " (" + b.Part + ")"
	}
	return label + ": " + format.Plural(b.Values.Total(), "call") + " – " + b.Values.Words()
}

func (s Series) axis(m *markup) {
	var ticked []int
	for i, b := range s.Bars {
		if b.Tick != "" {
			ticked = append(ticked, i)
		}
	}
	stride := (len(ticked) + labels - 1) / labels
	for n, i := range ticked {
		if n%stride != 0 {
			continue
		}
		name := "tick x"
		if n/stride%2 == 1 {
			name += " wide" // left out on a narrow screen
		}
		_, _, column, columnWidth := s.place(i)
		b := s.Bars[i]
		m.add(`<text class="%s" x="%s%%" y="%s" data-at="%s">%s</text>`, name, num(column+columnWidth/2), num(plotTop+plotHeight+18), b.At.UTC().Format(time.RFC3339), esc(b.Tick))
	}
}

// Table holds the same numbers as the picture.
func (s Series) Table() template.HTML {
	head, first := "Calls", 0
	if s.Failures {
		head, first = "Failed", 2
	}
	var m markup
	m.add(`<table class="numbers"><caption class="sr">%s</caption><thead><tr><th scope="col">%s</th><th scope="col">%s</th>`, esc(s.Title), esc(s.Unit), head)
	all := umpire.Slices()
	for _, slice := range all[first:] {
		m.add(`<th scope="col">%s</th>`, format.Slice(slice))
	}
	m.add(`</tr></thead><tbody>`)
	for _, b := range s.Bars {
		m.add(`<tr><th scope="row">%s`, esc(b.Label))
		if b.Part != "" {
			m.add(` <small>%s</small>`, esc(b.Part))
		}
		m.add(`</th>`)
		for _, n := range append([]int64{b.Values.Total()}, b.Values[first:]...) {
			if n == 0 {
				m.add(`<td class="zero">0</td>`)
			} else {
				m.add(`<td>%s</td>`, format.Count(n))
			}
		}
		m.add(`</tr>`)
	}
	m.add(`</tbody></table>`)
	return m.html()
}
