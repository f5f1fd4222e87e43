package chart

import "html/template"

// The narrowest widths, in pixels, that the two stripes are laid out at. They
// turn "at least 2 pixels and a gap of 1" into a percentage.
const (
	narrowBreakdown = 270
	narrowMix       = 110
)

// Breakdown is the wide bar of the five slices.
func Breakdown(v Values) template.HTML { return stripe(v, "breakdown", 20, narrowBreakdown) }

// Mix is the small bar of a table row.
func Mix(v Values) template.HTML { return stripe(v, "mix", 12, narrowMix) }

// stripe is one horizontal bar of the five slices, left to right. The style
// sheet strokes each part with the colour of the surface, half a pixel deep on
// either side: that is the gap.
func stripe(v Values, name string, height, narrow float64) template.HTML {
	var m markup
	m.add(`<svg class="stripe %s" width="100%%" height="%s" role="img" aria-label="%s">`, name, num(height), esc(v.Words()))
	x := 0.0
	for i, w := range share(v, 100, 3*100/narrow) {
		if v[i] == 0 {
			continue
		}
		y, h := 0.0, height
		if fill(i) != "" { // its edge is drawn, and half of it lies outside
			y, h = 1, height-2
		}
		m.add(`<rect class="%s"%s x="%s%%" y="%s" width="%s%%" height="%s"/>`, class(i), fill(i), num(x), num(y), num(w), num(h))
		x += w
	}
	m.add(`</svg>`)
	return m.html()
}

// Mark is the small square that stands before a slice's name.
func Mark(slice string) template.HTML {
	var m markup
	paint := ""
	if slice == "empty" {
		paint = ` fill="url(#hatch)"`
	}
	m.add(`<svg class="mark" width="10" height="10" aria-hidden="true"><rect class="s-%s"%s x=".5" y=".5" width="9" height="9" rx="2"/></svg>`, esc(slice), paint)
	return m.html()
}
