// Package chart draws the pictures of the pages as SVG, on the server: calls
// over time by slice, the breakdown into five slices, the outcome mix of a table
// row, a sparkline, and the latency histogram.
//
// In: numbers that a query returned, with labels and link targets. Out: markup
// that is safe to put into a page: every text is escaped, and there is no style
// attribute and no script, because the pages' Content-Security-Policy allows
// neither. Colours are classes (s-ok, s-empty, s-bad_args, s-tool_error,
// s-crashed) that the style sheet fills; horizontal positions are percentages,
// so that a picture fits any width without its text being scaled. A page that
// shows one puts Defs in once. It never asks a question and never counts.
package chart
