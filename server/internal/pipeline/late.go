package pipeline

import (
	"errors"
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// refusedLate sets an event aside that the store refused after it had taken it
// (store.Refuser). The log has it still.
func (p *Pipeline) refusedLate(seq uint64, cause error) error {
	found := false
	_, err := p.log.Replay(seq, func(at uint64, it wal.Item) error {
		if at != seq {
			return errEnough
		}
		found = true
		e, err := decode(it.Body)
		if err != nil {
			return err
		}
		l := letterOf(store.Entry{Seq: seq, Project: it.Project, ReceivedAt: it.ReceivedAt, Event: e}, cause)
		l.Late = true
		if err := p.dead.write(l); err != nil {
			return err
		}
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("cannot set event %d aside: %w", seq, err)
	}
	if !found {
		return fmt.Errorf("cannot set event %d aside: the log does not have it", seq)
	}
	p.count.deadLetters.Add(1)
	p.count.stored.Add(-1)
	p.logg.Error("an event was set aside: the store cannot keep it", "seq", seq, "file", p.dead.path, "error", cause)
	return nil
}
