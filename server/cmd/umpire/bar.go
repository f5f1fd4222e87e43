package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"github.com/umpire-mcp/umpire/server/internal/migrate"
)

// bar shows how far something is: a line that changes on a terminal. Elsewhere it is
// silent, or writes a plain line now and then.
type bar struct {
	out      io.Writer
	now      func() time.Time
	terminal bool
	plain    time.Duration // between plain lines; 0: none
	last     time.Time
	shown    bool
}

func newBar(out io.Writer) *bar {
	file, ok := out.(*os.File)
	return &bar{out: out, now: time.Now, terminal: ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"}
}

const (
	barWidth = 30
	barEvery = 100 * time.Millisecond
)

// draw shows a part of 1 between two texts, unless it did a moment ago.
func (b *bar) draw(before string, part float64, after string) {
	every := b.plain
	if b.terminal {
		every = barEvery
	}
	now := b.now()
	if every == 0 || now.Sub(b.last) < every {
		return
	}
	b.last = now
	if !b.terminal {
		fmt.Fprintln(b.out, before, after)
		return
	}
	b.shown = true
	full := int(part * barWidth)
	fmt.Fprintf(b.out, "\r\x1b[K%s [%s%s] %s", before, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), after)
}

// clear makes room for a line of text.
func (b *bar) clear() {
	if b.shown {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.shown = false
	}
}

// showMigration shows how far a migration is that began then.
func showMigration(b *bar, began time.Time, p migrate.Progress) {
	day := p.Day.Format(time.DateOnly)
	if p.Verifying {
		b.draw("comparing", 1, day)
		return
	}
	part := 1.0
	if p.Total > 0 {
		part = min(1, float64(p.Rows)/float64(p.Total))
	}
	text := fmt.Sprintf("%s of %s events", humanize.Comma(p.Rows), humanize.Comma(p.Total))
	if p.Skipped > 0 {
		text += fmt.Sprintf(", %s of them there before", humanize.Comma(p.Skipped))
	}
	if copied, took := p.Rows-p.Skipped, b.now().Sub(began); copied > 0 && took >= time.Second {
		rate := float64(copied) / took.Seconds()
		left := time.Duration(float64(p.Total-p.Rows) / rate * float64(time.Second)).Round(time.Second)
		text += fmt.Sprintf(", %s/s, %s left", humanize.Comma(int64(rate)), left)
	}
	b.draw(day, part, text)
}
