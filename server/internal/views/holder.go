package views

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// copyOf names what a copy is of.
type copyOf struct {
	project  uint32
	from, to time.Time
}

// holder is a process that holds a copy.
type holder struct {
	of    copyOf
	made  time.Time
	notes []string

	cmd     *exec.Cmd
	stdin   io.Closer
	answers io.Closer
	send    *gob.Encoder
	replies *gob.Decoder
	ended   chan struct{} // closed when the process has
}

// command starts this binary again, as what holds a copy.
func command() *exec.Cmd {
	path := "/proc/self/exe" // the same file, also if it was replaced meanwhile
	if _, err := os.Stat(path); err != nil {
		path, _ = os.Executable()
	}
	cmd := exec.Command(path, Word) //nolint:noctx // it lives as long as the copy
	cmd.Args[0] = "umpire"
	return cmd
}

// start starts a process. It is told nothing of the environment.
func start(cmd *exec.Cmd, memory int64) (*holder, error) {
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", memoryVariable, memory))
	cmd.Dir = os.TempDir()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	replies, started, err := plumb(cmd)
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		started()
		return nil, fmt.Errorf("cannot start the process that answers SQL: %w", err)
	}
	started()
	h := &holder{
		cmd: cmd, stdin: stdin, answers: replies, send: gob.NewEncoder(stdin), replies: gob.NewDecoder(replies),
		ended: make(chan struct{}),
	}
	go func() {
		_ = cmd.Wait()
		close(h.ended)
	}()
	return h, nil
}

// rows sends rows to it.
func (h *holder) rows(b *batch) error {
	if err := h.send.Encode(message{Rows: b}); err != nil {
		return fmt.Errorf("cannot send rows to the process that answers SQL: %w", err)
	}
	return nil
}

// ask asks it. Whatever goes wrong, it is of no use afterwards.
func (h *holder) ask(ctx context.Context, a ask) (r reply, err error) {
	done := make(chan error, 1)
	go func() {
		if err := h.send.Encode(message{Ask: &a}); err != nil {
			done <- err
			return
		}
		done <- h.replies.Decode(&r)
	}()
	late := time.NewTimer(a.Time + grace)
	defer late.Stop()
	select {
	case err = <-done:
		return r, err
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = errLate
	}
	h.stop()
	if gone := <-done; gone != nil {
		err = errors.Join(err, gone) // it reads and writes no more
	}
	if errors.Is(err, errLate) {
		return reply{Wrong: tooLong}, err
	}
	return reply{}, err
}

var errLate = errors.New("the statement does not stop")

// grace is how long a process has to stop a statement by itself.
const grace = 2 * time.Second

// stop ends the process and waits for its end.
func (h *holder) stop() {
	_ = h.cmd.Process.Kill()
	h.stdin.Close()
	<-h.ended
	h.answers.Close()
}
