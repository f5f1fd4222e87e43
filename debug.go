package umpire

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/umpire-mcp/umpire/redact"
)

// voice is everything that the package says to people, all of it on stderr:
// a few sentences once each, and the debug lines where they were asked for.
// stdout is never written to, because a stdio server speaks its protocol there.
type voice struct {
	out    io.Writer
	said   *sync.Map        // sentences already said, shared by the clients of a process
	secret string           // the key, taken out of whatever is said
	own    *redact.Redactor // the owner's rules of redaction, which read whatever is said; nil if there are none
	debug  bool
}

// processSaid keeps a program that makes many clients from repeating itself.
var processSaid sync.Map

// once says a sentence that the owner must read, the first time only.
func (v *voice) once(format string, args ...any) {
	line := v.line(format, args)
	if _, again := v.said.LoadOrStore(line, true); !again {
		v.write(line)
	}
}

// Remark says a sentence on stderr if debugging is on, the first time only. It is
// for adapters; the sentence holds nothing of a request.
func (c *Client) Remark(sentence string) {
	if c != nil && c.voice != nil && c.voice.debug {
		c.voice.once("%s", sentence)
	}
}

// debugf says a line if debugging is on. Callers pass counts, statuses, ids,
// kinds, tool names and outcomes only; texts from elsewhere go through quote.
func (v *voice) debugf(format string, args ...any) {
	if v.debug {
		v.write(v.line(format, args))
	}
}

func (v *voice) line(format string, args []any) string {
	s := fmt.Sprintf(format, args...)
	if v.secret != "" {
		s = strings.ReplaceAll(s, v.secret, "[KEY]")
	}
	if v.own != nil {
		s = v.own.String(s)
	}
	return "umpire: " + s + "\n"
}

// write ignores errors: there is nobody left to tell.
func (v *voice) write(line string) { _, _ = io.WriteString(v.out, line) }

// quote makes a text from the other side safe to print: redacted, short, and
// without control characters, so that it can neither leak nor paint a terminal.
// The standard rules hold for it whatever Options.Redact says: a log is kept by
// others than events are.
func quote(s string) string {
	return fmt.Sprintf("%q", cut(redact.String(cut(s, 1000)), 200))
}

// debugDrops says what is told to the server as lost, and why.
func (v *voice) debugDrops(drops map[string]int) {
	for _, reason := range slices.Sorted(maps.Keys(drops)) {
		v.debugf("%d dropped: %s", drops[reason], reason)
	}
}
