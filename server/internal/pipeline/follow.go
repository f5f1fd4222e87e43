package pipeline

import (
	"errors"
	"fmt"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

var errFollowed = errors.New("read as far as asked")

// Follow hands out what the log still holds behind the sequence number after, up to
// upto, in order, without what was set aside and what belongs to projects that were
// deleted. Lost is how many the log does not hold any more. What yield fails with is
// returned.
func (p *Pipeline) Follow(after, upto uint64, yield func(store.Entry) error) (lost uint64, err error) {
	refused, err := p.dead.refused()
	if err != nil {
		return 0, fmt.Errorf("cannot follow the log: %w", err)
	}
	next := after + 1
	_, err = p.log.Replay(next, func(seq uint64, it wal.Item) error {
		if seq > upto {
			return errFollowed
		}
		if seq > next {
			lost += seq - next
		}
		next = seq + 1
		e, err := decode(it.Body)
		if err != nil || refused[seq] || p.wasDeleted(it.Project) {
			return nil //nolint:nilerr // the applier sets it aside
		}
		return yield(store.Entry{Seq: seq, Project: it.Project, ReceivedAt: it.ReceivedAt, Event: e})
	})
	if err != nil && !errors.Is(err, errFollowed) {
		return lost, fmt.Errorf("cannot follow the log: %w", err)
	}
	if next <= upto {
		lost += upto + 1 - next
	}
	return lost, nil
}

func (p *Pipeline) wasDeleted(project uint32) bool {
	p.gate.RLock()
	defer p.gate.RUnlock()
	return p.deleted[project]
}

// AppliedTo is the sequence number up to which all is in the store, or set aside.
func (p *Pipeline) AppliedTo() uint64 {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	return p.queue.applied
}

// LoggedTo is the sequence number of the last event in the log.
func (p *Pipeline) LoggedTo() uint64 { return p.log.Next() - 1 }

// kept is up to where the log may be shortened, if the store holds position: for a
// follower's sake it keeps its newest MaxFollowed bytes.
func (p *Pipeline) kept(position uint64) uint64 {
	if p.opts.Followed == nil {
		return position
	}
	return min(position, max(p.opts.Followed(), p.log.Beyond(p.opts.MaxFollowed)))
}
