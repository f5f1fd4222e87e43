package console

import (
	"fmt"
	"io"
	"slices"
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
	// whole: the first column is for copying, and is not cut while others can go.
	whole bool
	// later are the columns that a terminal has no room for first; none: those of
	// numbers, the last first, but for the second column.
	later []int
}

// cell is a text and the style it is written in.
type cell struct {
	text  string
	style style
}

func plain(s string) cell { return cell{text: s} }

const (
	margin  = 2  // before a row, and between columns
	least   = 8  // of a column that is cut
	legible = 16 // of a column that is cut, while others can be left out
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
	left := p.fit(widths, t)
	head := make([]cell, len(t.head))
	for i, h := range t.head {
		head[i] = cell{h, muted}
	}
	p.line(w, t, head, widths)
	for _, row := range t.rows {
		p.line(w, t, row, widths)
	}
	if len(left) > 0 {
		p.printf(muted, "%s", shorten("  no room for "+strings.Join(left, ", ")+": see --json, or a wider terminal", p.Width))
		p.newline()
	}
}

// fit makes a row fit the terminal: texts are cut to what is legible, then columns are
// left out, of which the width is then 0, then texts are cut to the least. It returns
// the names of those.
func (p *Printer) fit(widths []int, t table) (left []string) {
	if p.Width <= 0 {
		return nil
	}
	cut := t.texts
	if !t.whole {
		cut = append([]int{0}, cut...)
	}
	over := -p.Width
	for _, w := range widths {
		over += w + margin
	}
	narrowed := slices.Clone(widths)
	for later := t.leaves(); ; later = later[1:] {
		rest := p.cut(narrowed, over, cut, legible)
		if rest <= 0 || len(later) == 0 {
			p.cut(narrowed, rest, append([]int{0}, t.texts...), least)
			copy(widths, narrowed)
			return left
		}
		over -= widths[later[0]] + margin
		widths[later[0]] = 0
		left = append(left, t.head[later[0]])
		copy(narrowed, widths)
	}
}

// leaves are the columns that can be left out, in this order.
func (t table) leaves() []int {
	if t.later != nil {
		return t.later
	}
	var later []int
	for i := len(t.head) - 1; i > 1; i-- {
		if !t.isText(i) {
			later = append(later, i)
		}
	}
	return later
}

// cut takes what is over from the columns, the longest first, and tells what is left of
// it when all are as narrow as they may be.
func (p *Printer) cut(widths []int, over int, columns []int, to int) int {
	for ; over > 0; over-- {
		longest := -1
		for _, i := range columns {
			if widths[i] > to && (longest < 0 || widths[i] > widths[longest]) {
				longest = i
			}
		}
		if longest < 0 {
			break
		}
		widths[longest]--
	}
	return over
}

func (p *Printer) line(w io.Writer, t table, row []cell, widths []int) {
	var b strings.Builder
	for i, c := range row {
		if widths[i] == 0 {
			continue
		}
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
