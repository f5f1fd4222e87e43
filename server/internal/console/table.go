package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is a list of rows. The first column is aligned left, and those of texts;
// the others, of numbers, right.
type table struct {
	head []string
	rows [][]cell
	// texts are the columns, beside the first, that hold texts. They and the first
	// are cut where the terminal is too narrow, the longest first.
	texts []int
}

// cell is a text and the style it is written in.
type cell struct {
	text  string
	style style
}

func plain(s string) cell { return cell{text: s} }

const (
	margin = 2 // before a row, and between columns
	least  = 8 // of a column that is cut
)

func (p *Printer) write(w io.Writer, t table) {
	widths := make([]int, len(t.head))
	for i, h := range t.head {
		widths[i] = utf8.RuneCountInString(h)
	}
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	p.fit(widths, append([]int{0}, t.texts...))
	head := make([]cell, len(t.head))
	for i, h := range t.head {
		head[i] = cell{h, muted}
	}
	p.line(w, t, head, widths)
	for _, row := range t.rows {
		p.line(w, t, row, widths)
	}
}

// fit makes the columns that may be cut so narrow that a row fits the terminal, or
// as narrow as they may be.
func (p *Printer) fit(widths []int, cut []int) {
	if p.Width <= 0 {
		return
	}
	over := -p.Width
	for _, w := range widths {
		over += w + margin
	}
	for over > 0 {
		longest := -1
		for _, i := range cut {
			if widths[i] > least && (longest < 0 || widths[i] > widths[longest]) {
				longest = i
			}
		}
		if longest < 0 {
			return
		}
		widths[longest]--
		over--
	}
}

func (p *Printer) line(w io.Writer, t table, row []cell, widths []int) {
	var b strings.Builder
	for i, c := range row {
		c.text = shorten(c.text, widths[i])
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text))
		b.WriteString(strings.Repeat(" ", margin))
		if i == 0 || t.isText(i) {
			b.WriteString(p.paint(c) + pad)
			continue
		}
		b.WriteString(pad + p.paint(c))
	}
	io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n") //nolint:errcheck // a terminal that is gone
}

func (t table) isText(column int) bool {
	for _, i := range t.texts {
		if i == column {
			return true
		}
	}
	return false
}

// shorten cuts a text to so many characters.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:most-1]) + "…"
}

// list writes a table under its title, or that there is none.
func (p *Printer) list(title string, t table) {
	p.printf(bold, "%s", title)
	if len(t.rows) == 0 {
		p.printf(muted, "  none")
		p.newline()
		return
	}
	p.printf(muted, "  %d", len(t.rows))
	p.newline()
	p.write(p.Out, t)
	fmt.Fprintln(p.Out)
}
