package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/umpire-mcp/umpire/redact"
)

const (
	// maxAside bounds the file; what comes then is only counted.
	maxAside = 16 << 20
	// maxAsideBody is how much of one body is kept.
	maxAsideBody = 4 << 10
)

// aside keeps what a sender sent that nobody could read, or that no project
// wants, where the sender must not be told: for the operator to look at.
type aside struct {
	path  string
	count atomic.Int64
	mu    sync.Mutex
	full  bool
}

// Aside is one line of the file.
type Aside struct {
	At     time.Time `json:"at"`
	Door   string    `json:"door"`
	Reason string    `json:"reason"`
	// Body is its beginning, redacted.
	Body string `json:"body"`
}

// SetAside counts a body that was answered as if it had been taken, and keeps its
// beginning, redacted.
func (f *Front) SetAside(door, reason string, body []byte) {
	n := f.aside.count.Add(1)
	if n == 1 {
		f.opts.Logger.Warn("a body was set aside; further ones are only counted", "door", door, "reason", reason, "file", f.aside.path)
	}
	if err := f.aside.keep(Aside{At: time.Now().UTC(), Door: door, Reason: reason, Body: beginning(body)}); err != nil && n == 1 {
		f.opts.Logger.Error("cannot keep what was set aside", "err", err)
	}
}

// Aside is how many bodies were set aside since the start.
func (f *Front) Aside() int64 { return f.aside.count.Load() }

// beginning is redacted as a whole before it is cut, so that nothing is seen in
// half that is known by its whole.
func beginning(body []byte) string {
	text := redact.String(string(body[:min(len(body), 4*maxAsideBody)]))
	return text[:min(len(text), maxAsideBody)]
}

// ReadAside returns the newest bodies of such a file, at most limit.
func ReadAside(path string, limit int) (list []Aside, err error) {
	text, err := os.ReadFile(path) // at most maxAside
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("cannot read what was set aside: %w", err)
	}
	for line := range bytes.Lines(text) {
		var l Aside
		if json.Unmarshal(line, &l) == nil {
			list = append(list, l)
		}
	}
	slices.Reverse(list)
	return list[:min(len(list), limit)], nil
}

func (a *aside) keep(l Aside) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.path == "" || a.full {
		return nil
	}
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(a.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size()+int64(len(line)) > maxAside {
		a.full = err == nil
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return err
}
