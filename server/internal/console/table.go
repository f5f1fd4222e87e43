package console

import (
	"io"
	"strings"
	"unicode/utf8"
)

// table is a list of rows; the first column is aligned left, the others right.
type table struct {
	head []string
	rows [][]cell
}

// cell is a text and the style it is written in.
type cell struct {
	text  string
	style style
}

func plain(s string) cell { return cell{text: s} }

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
	head := make([]cell, len(t.head))
	for i, h := range t.head {
		head[i] = cell{h, muted}
	}
	p.line(w, head, widths)
	for _, row := range t.rows {
		p.line(w, row, widths)
	}
}

func (p *Printer) line(w io.Writer, row []cell, widths []int) {
	var b strings.Builder
	b.WriteString("  ")
	for i, c := range row {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text))
		if i == 0 {
			b.WriteString(p.paint(c) + pad)
			continue
		}
		b.WriteString("  " + pad + p.paint(c))
	}
	io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n") //nolint:errcheck // a terminal that is gone
}
