package pipeline

import (
	"bytes"
	"context"
	"fmt"

	"github.com/umpire-mcp/umpire"
)

// Erase removes a project's events that gone names, everywhere: erase takes them
// out of the store, once all that was acknowledged is in it; then the log and the
// dead letters let go of them. Submit waits meanwhile. text is what a dead letter
// that is no event must not hold. It returns how many dead letters it removed.
func (p *Pipeline) Erase(ctx context.Context, project uint32, gone func(*umpire.Event) bool, text string, erase func(context.Context) error) (letters int, err error) {
	p.quiet.Lock()
	defer p.quiet.Unlock()
	if err := p.Sync(ctx); err != nil {
		return 0, fmt.Errorf("cannot erase: %w", err)
	}
	if err := erase(ctx); err != nil {
		return 0, err
	}
	err = p.dead.remove(func(l deadLetter) bool {
		if l.Project != project || !l.isOf(gone, text) {
			return false
		}
		letters++
		return true
	})
	if err == nil {
		err = p.log.Rotate()
	}
	var position uint64
	if err == nil {
		position, err = p.store.Position(ctx)
	}
	if err == nil {
		err = p.log.Truncate(position)
	}
	if err != nil {
		return letters, fmt.Errorf("cannot erase from the log and the dead letters: %w", err)
	}
	return letters, nil
}

func (l deadLetter) isOf(gone func(*umpire.Event) bool, text string) bool {
	if e, err := decode(l.Event); err == nil {
		return gone(&e)
	}
	return bytes.Contains(l.Raw, []byte(text))
}
