package pipeline

import (
	"bytes"
	"errors"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// maxRead bounds the bodies of one chunk that is read from the log.
const maxRead = 16 << 20

// backlog reads a stretch of the log again, in pieces: the next one is read and
// decoded while the store takes the last. At most two are in memory, the one that
// waits and the one that is made.
type backlog struct {
	p      *Pipeline
	pieces chan piece
	quit   chan struct{} // closed by stop
	ended  chan struct{} // when nobody reads any more
	err    error         // the first; nothing is read after it
}

// piece is a part of the stretch, or, without events, its end.
type piece struct {
	chunk
	unreadable []deadLetter
	damage     []wal.Damage
	err        error
}

var errEnough = errors.New("that was enough")

// readLog begins to read the stretch, in chunks of at most so many entries.
func (p *Pipeline) readLog(s stretch, most int) *backlog {
	b := &backlog{p: p, pieces: make(chan piece), quit: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		defer close(b.pieces)
		var next piece
		report, err := p.log.Replay(s.from, func(seq uint64, it wal.Item) error {
			if seq > s.to {
				return errEnough
			}
			p.unpack(&next, seq, it)
			if len(next.entries) < most && next.bytes < maxRead && len(next.unreadable) < most {
				return nil
			}
			full := next
			next = piece{}
			return b.send(full)
		})
		if !errors.Is(err, errEnough) {
			next.err = err
		}
		next.damage = report.Damage
		_ = b.send(next)
	}()
	return b
}

func (b *backlog) send(next piece) error {
	select {
	case b.pieces <- next:
		return nil
	case <-b.quit:
		return errEnough
	}
}

// read returns the next entries; none at the end.
func (b *backlog) read() (c chunk, err error) {
	for b.err == nil && len(c.entries) == 0 {
		next, more := <-b.pieces
		if !more {
			break
		}
		b.p.damaged(next.damage)
		for _, l := range next.unreadable {
			if b.err = b.p.setAside(l); b.err != nil {
				return chunk{}, b.err // it is all read again
			}
		}
		c, b.err = next.chunk, next.err
	}
	if len(c.entries) > 0 {
		b.p.queue.at(c.entries[0].ReceivedAt)
	}
	return c, b.err
}

func (b *backlog) stop() {
	close(b.quit)
	<-b.ended
}

// unpack adds an item of the log to the piece.
func (p *Pipeline) unpack(to *piece, seq uint64, it wal.Item) {
	e, err := decode(it.Body)
	if err != nil {
		to.unreadable = append(to.unreadable, deadLetter{Seq: seq, Project: it.Project, ReceivedAt: it.ReceivedAt, Reason: err.Error(), Raw: it.Body})
		return
	}
	if bytes.HasPrefix(it.Body, again) || p.twice[seq] {
		to.again = append(to.again, seq)
	}
	to.entries = append(to.entries, store.Entry{Seq: seq, Project: it.Project, ReceivedAt: it.ReceivedAt, Event: e})
	to.sizes = append(to.sizes, int32(len(it.Body)))
	to.bytes += int64(len(it.Body))
}

// setAside puts an item of the log that cannot be read among the dead letters.
func (p *Pipeline) setAside(l deadLetter) error {
	if err := p.dead.write(l); err != nil {
		return err
	}
	p.count.deadLetters.Add(1)
	p.logg.Error("an event of the log was set aside: it cannot be read", "seq", l.Seq, "project", l.Project, "reason", l.Reason)
	return nil
}
