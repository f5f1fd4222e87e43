package proxy

import (
	"bytes"
	"time"

	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// Watch is the Tap of a stdio relay: it cuts the two streams into lines and has
// them judged. The zero value is not usable; see NewWatch.
type Watch struct {
	watcher      *mcpwire.Watcher
	talk         *mcpwire.Conversation
	up, down     mcpwire.LineCutter
	upOff        bool // inside a line whose beginning was not seen
	downOff      bool
	clientFrames func(mcpwire.Frame)
	serverFrames func(mcpwire.Frame)
	at           time.Time // of the piece that is being cut
}

// NewWatch watches the one conversation of a process.
func NewWatch(w *mcpwire.Watcher) *Watch {
	t := &Watch{watcher: w, talk: w.Conversation(mcpwire.Scope{})}
	t.clientFrames = func(f mcpwire.Frame) { t.talk.FromClient(f, t.at) }
	t.serverFrames = func(f mcpwire.Frame) { t.talk.FromServer(f, t.at) }
	return t
}

// Client implements Tap.
func (t *Watch) Client(piece []byte, at time.Time) {
	t.at = at
	if piece, t.upOff = fromLineStart(piece, t.upOff); len(piece) > 0 {
		t.up.Write(piece, t.clientFrames)
	}
}

// Server implements Tap.
func (t *Watch) Server(piece []byte, at time.Time) {
	t.at = at
	if piece, t.downOff = fromLineStart(piece, t.downOff); len(piece) > 0 {
		t.down.Write(piece, t.serverFrames)
	}
}

// fromLineStart cuts off the rest of a line whose beginning is missing.
func fromLineStart(piece []byte, off bool) (rest []byte, still bool) {
	if !off {
		return piece, false
	}
	end := bytes.IndexByte(piece, '\n')
	if end < 0 {
		return nil, true
	}
	return piece[end+1:], false
}

// Gap implements Tap. The answers of the calls that are open may have passed
// unseen: nothing is said about them.
func (t *Watch) Gap(at time.Time) {
	t.up, t.down = mcpwire.LineCutter{}, mcpwire.LineCutter{}
	t.upOff, t.downOff = true, true
	t.talk.Gap(at)
}

// End implements Tap.
func (t *Watch) End(how End, at time.Time) {
	t.at = at
	t.up.Close(t.clientFrames)
	t.down.Close(t.serverFrames)
	ending := mcpwire.ProcessExit
	if how.ClientLeft {
		ending = mcpwire.ClientClosed
	}
	t.talk.End(ending, at)
}

// Tick implements Tap.
func (t *Watch) Tick(at time.Time) { t.talk.Tick(at) }
