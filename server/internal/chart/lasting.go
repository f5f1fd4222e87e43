package chart

import (
	"html/template"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

// Lasting is how long a call took beside the longest of its table; most is the longest,
// in microseconds. It is at least 2 pixels wide, so that a quick call is seen.
func Lasting(us, most int64, slice string) template.HTML {
	width := 100.0
	if most > 0 {
		width = max(1.5, 100*float64(us)/float64(most))
	}
	paint := ""
	if slice == "empty" {
		paint = ` fill="url(#hatch)"`
	}
	var m markup
	m.add(`<svg class="lasting" width="100%%" height="12" role="img" aria-label="%s">`, esc(format.Duration(us)))
	m.add(`<rect class="s-%s"%s x="0" y="1" width="%s%%" height="10" rx="2"/></svg>`, esc(slice), paint, num(width))
	return m.html()
}
