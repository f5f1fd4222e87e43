package chart

import (
	"html/template"
	"math"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

// Histogram is how long calls took.
type Histogram struct {
	// ID is unique on the page.
	ID, Title, Desc string
	Bins            []Bin
	// Lines are drawn across the picture: the percentiles.
	Lines []Line
}

// Bin counts the calls that took from FromUS up to ToUS microseconds.
type Bin struct {
	FromUS, ToUS int64
	Calls        int64
}

// Line is a named duration in microseconds: p50, p95, p99.
type Line struct {
	Name string
	US   int64
}

const (
	binHeight = 120.0
	markRow   = 15.0 // height of one row of percentile names
	binLabels = 6
	fewBins   = 12
)

// SVG draws one bar a bin, all equally wide: the bins grow with the duration, as
// on a logarithmic scale.
func (h Histogram) SVG() template.HTML {
	var m markup
	top := markRow*float64(len(h.Lines)) + 4
	m.add(`<svg class="plot" width="100%%" height="%s" role="img" aria-labelledby="%[2]s-t %[2]s-d">`, num(top+binHeight+axisHeight), esc(h.ID))
	m.add(`<title id="%[1]s-t">%[2]s</title><desc id="%[1]s-d">%[3]s</desc>`, esc(h.ID), esc(h.Title), esc(h.Desc))
	var highest int64
	for _, b := range h.Bins {
		highest = max(highest, b.Calls)
	}
	grid(&m, highest, top, binHeight)
	for i, b := range h.Bins {
		if b.Calls == 0 {
			continue
		}
		px := math.Max(2, math.Round(binHeight*float64(b.Calls)/float64(highest)))
		m.add(`<g class="bar"><title>%s</title><rect class="hit" x="%s%%" y="%s" width="%s%%" height="%s"/>`, esc(b.words()), num(h.edge(float64(i))), num(top), num(h.width()), num(binHeight))
		m.add(`<rect class="bin" x="%s%%" y="%s" width="%s%%" height="%s"/></g>`, num(h.edge(float64(i)+0.06)), num(top+binHeight-px), num(h.width()*0.88), num(px))
	}
	h.axis(&m, top)
	h.lines(&m, top)
	m.add(`</svg>`)
	return m.html()
}

// width is that of a bin, in percent. Few bins do not grow any wider: they stand
// in the middle.
func (h Histogram) width() float64 { return 100 / float64(max(len(h.Bins), fewBins)) }

// edge is where bin i begins, in percent.
func (h Histogram) edge(i float64) float64 {
	return 50 + (i-float64(len(h.Bins))/2)*h.width()
}

func (b Bin) words() string {
	return format.Duration(b.FromUS) + " to " + format.Duration(b.ToUS) + ": " + format.Plural(b.Calls, "call")
}

func (h Histogram) axis(m *markup, top float64) {
	if len(h.Bins) == 0 {
		return
	}
	edges := make([]int64, 0, len(h.Bins)+1)
	for _, b := range h.Bins {
		edges = append(edges, b.FromUS)
	}
	edges = append(edges, h.Bins[len(h.Bins)-1].ToUS)
	stride := (len(edges) + binLabels - 1) / binLabels
	for i := 0; i < len(edges); i += stride {
		name := "tick x"
		switch {
		case i == 0:
			name += " first"
		case i/stride%2 == 1:
			name += " wide"
		}
		if i == len(edges)-1 {
			name += " last"
		}
		m.add(`<text class="%s" x="%s%%" y="%s">%s</text>`, name, num(h.edge(float64(i))), num(top+binHeight+18), format.Duration(edges[i]))
	}
}

// lines draws each percentile's line, its name in a row of its own, so that two
// close ones stay readable.
func (h Histogram) lines(m *markup, top float64) {
	for row, mark := range h.Lines {
		x := h.position(mark.US)
		y := markRow*float64(row) + 11
		m.add(`<line class="pct" x1="%[1]s%%" x2="%[1]s%%" y1="%[2]s" y2="%[3]s"/>`, num(x), num(y-9), num(top+binHeight))
		name, shift := "tick pct-name", "4"
		if x > 70 {
			name, shift = "tick pct-name end", "-4"
		}
		m.add(`<text class="%s" x="%s%%" dx="%s" y="%s">%s %s</text>`, name, num(x), shift, num(y), esc(mark.Name), format.Duration(mark.US))
	}
}

// position is where a duration lies, in percent of the width.
func (h Histogram) position(us int64) float64 {
	for i, b := range h.Bins {
		if us >= b.ToUS {
			continue
		}
		if us <= b.FromUS {
			return h.edge(float64(i))
		}
		low := math.Log(math.Max(float64(b.FromUS), 1))
		part := (math.Log(float64(us)) - low) / (math.Log(float64(b.ToUS)) - low)
		return h.edge(float64(i) + part)
	}
	return h.edge(float64(len(h.Bins)))
}

// Table holds the same numbers as the picture.
func (h Histogram) Table() template.HTML {
	var m markup
	m.add(`<table class="numbers"><caption class="sr">%s</caption><thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Calls</th></tr></thead><tbody>`, esc(h.Title))
	for _, b := range h.Bins {
		name := ""
		if b.Calls == 0 {
			name = ` class="zero"`
		}
		m.add(`<tr><th scope="row">%s</th><td>%s</td><td%s>%s</td></tr>`, format.Duration(b.FromUS), format.Duration(b.ToUS), name, format.Count(b.Calls))
	}
	m.add(`</tbody></table>`)
	return m.html()
}
