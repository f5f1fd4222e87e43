package pipeline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// deadLetters is the file of events that the store refused. A record is on disk
// before the store goes past its event, so that none is lost in between; it is
// taken back (rollback) when it turns out that the store refused everything.
type deadLetters struct {
	// trial is held while the store is tried, for as long as a mark counts; who
	// takes records away has to wait for it.
	trial sync.Mutex

	mu   sync.Mutex
	path string
	file *os.File // nil without a path
	size int64
	late int64 // where the last record ends that is Late
	// dropped are the numbers of those that were given up for ever since the start.
	dropped map[uint64]bool
}

// deadLetter is one line of the file.
type deadLetter struct {
	Seq        uint64          `json:"seq"`
	Project    uint32          `json:"project"`
	ReceivedAt time.Time       `json:"received_at"`
	SetAsideAt time.Time       `json:"set_aside_at"`
	Reason     string          `json:"reason"`
	Event      json.RawMessage `json:"event,omitempty"`
	// Late: the store had taken it. A trial that goes on meanwhile has no say in it.
	Late bool `json:"late,omitempty"`
	// Raw is the body where it is no event.
	Raw []byte `json:"raw,omitempty"`
}

// openDeadLetters opens the file. Records above position are dropped where the
// log still holds their events (below next): these are tried again.
func openDeadLetters(path string, position, next uint64) (*deadLetters, error) {
	d := &deadLetters{path: path}
	if path == "" {
		return d, nil
	}
	var err error
	if d.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("cannot open the dead letters: %w", err)
	}
	if err := d.rewrite(func(l deadLetter) bool { return l.Seq <= position || l.Seq >= next }); err != nil {
		return nil, errors.Join(err, d.file.Close())
	}
	return d, nil
}

// rewrite keeps the records that keep wants, and lines that are no records.
func (d *deadLetters) rewrite(keep func(deadLetter) bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	var out []byte
	dropped := false
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReader(d.file)
	for {
		line, err := lines.ReadBytes('\n')
		var l deadLetter
		if len(line) > 0 && json.Unmarshal(line, &l) == nil && !keep(l) {
			dropped = true
		} else {
			out = append(out, line...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("cannot read the dead letters: %w", err)
		}
	}
	if n := len(out); n > 0 && out[n-1] != '\n' { // cut by a crash
		out, dropped = append(out, '\n'), true
	}
	d.size = int64(len(out))
	if !dropped {
		return nil
	}
	return d.replace(out)
}

func (d *deadLetters) replace(content []byte) error {
	next := d.path + ".new"
	f, err := os.OpenFile(next, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("cannot rewrite the dead letters: %w", err)
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(next, d.path)
	}
	if err != nil {
		return fmt.Errorf("cannot rewrite the dead letters: %w", errors.Join(err, f.Close()))
	}
	old := d.file
	d.file = f
	_ = old.Close()
	syncDir(filepath.Dir(d.path))
	return nil
}

// syncDir makes a rename durable where the system can; where it cannot, a
// crash shows the older file, which is tried again.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// add writes a record for the entry and syncs it; rollback undoes it.
func (d *deadLetters) add(entry store.Entry, cause error) error {
	return d.write(letterOf(entry, cause))
}

func letterOf(entry store.Entry, cause error) deadLetter {
	body, reason, _ := encode(&entry.Event)
	if reason != "" {
		body = quoted(reason)
	}
	return deadLetter{
		Seq: entry.Seq, Project: entry.Project, ReceivedAt: entry.ReceivedAt,
		Reason: cause.Error(), Event: body,
	}
}

func (d *deadLetters) write(l deadLetter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	l.SetAsideAt = time.Now().UTC()
	line, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("cannot write a dead letter: %w", err)
	}
	line = append(line, '\n')
	if _, err = d.file.WriteAt(line, d.size); err == nil {
		err = d.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("cannot write a dead letter: %w", err)
	}
	d.size += int64(len(line))
	if l.Late {
		d.late = d.size
	}
	return nil
}

func (d *deadLetters) mark() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.size
}

// rollback takes back what was written since mark.
func (d *deadLetters) rollback(mark int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil || d.size == mark {
		return nil
	}
	if d.late > mark {
		return d.rollbackLate(mark)
	}
	d.size = mark
	if err := d.file.Truncate(mark); err != nil {
		return fmt.Errorf("cannot take back dead letters: %w", err)
	}
	return nil
}

// rollbackLate is rollback that leaves the records that are Late.
func (d *deadLetters) rollbackLate(mark int64) error {
	all := make([]byte, d.size)
	if _, err := d.file.ReadAt(all, 0); err != nil {
		return fmt.Errorf("cannot read the dead letters: %w", err)
	}
	kept := all[:mark:mark]
	for line := range bytes.Lines(all[mark:]) {
		var l deadLetter
		if json.Unmarshal(line, &l) == nil && l.Late {
			kept = append(kept, line...)
		}
	}
	d.size = int64(len(kept))
	d.late = d.size
	return d.replace(kept)
}

// forget removes a project's records.
func (d *deadLetters) forget(project uint32) error {
	return d.remove(func(l deadLetter) bool { return l.Project == project })
}

// remove takes away the records that gone names.
func (d *deadLetters) remove(gone func(deadLetter) bool) error {
	d.trial.Lock()
	defer d.trial.Unlock()
	return d.rewrite(func(l deadLetter) bool { return !gone(l) })
}

func (d *deadLetters) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	return err
}
