package transcript

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Origin says whose transcript is read as events.
type Origin struct {
	// Run tells this transcript from all others: the ids of its events are made from
	// it, so that they are the same each time.
	Run string
	// At is when events happened whose lines tell no time.
	At time.Time
}

// Events reads in to its end and tells found of each event in it, with seen_by
// import: calls, and what is beside them. A call without an answer at the end is
// none. Lines that cannot be read are told to bad, as by Judge, but for those of a log
// that hold nothing like JSON.
func Events(in io.Reader, o Origin, found func(umpire.Event) error, bad func(line int, f *fault.Error)) error {
	seen := map[string]int{} // how often the same exchange was there
	j := &judge{sessions: map[string]*mcpwire.Conversation{}, run: o.Run}
	j.event = func(e *umpire.Event) {
		switch {
		case j.failed != nil, e.Kind == mcpwire.KindPending, e.Kind == mcpwire.KindRefused:
			return
		case e.StartedAt.IsZero():
			e.StartedAt = o.At
		}
		if e.ID.IsZero() || e.Kind != "call" { // whose ids the run does not tell
			key := fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%v", e.Kind, e.Tool, e.Fingerprint, e.ArgsHash, e.Tools)
			seen[key]++
			sum := sha256.Sum256(fmt.Appendf(nil, "umpire transcript v1\x00%s\x00%s\x00%d", o.Run, key, seen[key]))
			e.ID = umpire.ID(sum[:16])
			e.ID[6], e.ID[8] = e.ID[6]&0x0f|0x50, e.ID[8]&0x3f|0x80
		}
		if e.Session == "" && e.SessionID != "" && !e.SessionDerived { // as the SDK writes it (outcomes.md 6.1)
			sum := sha256.Sum256([]byte("umpire session v1\x00" + e.SessionID))
			e.Session = hex.EncodeToString(sum[:16])
		}
		if e.Arguments != nil {
			e.DigestArguments()
		}
		e.SeenBy, e.SDK = "import", umpire.Peer{Name: "umpire-import"}
		j.failed = found(*e)
	}
	j.watcher = j.watch(o.Run)
	return j.read(in, bad)
}

// Begins returns a text by which a transcript is told from others: its first line that
// holds a message, where that tells a time, so that a log may grow; "" otherwise.
func Begins(in io.Reader) string {
	reader := bufio.NewReaderSize(in, 64<<10)
	for range 1000 {
		line, long, err := readLine(reader)
		if text := bytes.TrimSpace(line); !long && len(text) > 0 {
			if e := read(text); e != nil && (e.message != nil || e.exchange != nil) {
				if e.at.IsZero() {
					return ""
				}
				sum := sha256.Sum256(text)
				return hex.EncodeToString(sum[:])
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return ""
			}
			break
		}
	}
	return ""
}
