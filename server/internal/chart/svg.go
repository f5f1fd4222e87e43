package chart

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// markup builds SVG and HTML; what is not a literal goes through esc or num.
type markup struct{ strings.Builder }

func (m *markup) add(format string, args ...any) { fmt.Fprintf(m, format, args...) }

func (m *markup) html() template.HTML { return template.HTML(m.String()) } //nolint:gosec // every text in it is escaped

func esc(text string) string { return template.HTMLEscapeString(text) }

// num writes a coordinate with at most two decimals.
func num(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}

// Defs holds the hatches: of empty answers, and of a bucket that is not whole.
func Defs() template.HTML {
	return `<svg class="defs" width="0" height="0" aria-hidden="true" focusable="false"><defs>` +
		`<pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
		`<rect class="hatch-ground" width="4" height="4"/><rect class="hatch-line" width="1.2" height="4"/></pattern>` +
		`<pattern id="part" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
		`<rect class="part-line" width="2.5" height="6"/></pattern></defs></svg>`
}
