//go:build !windows

package views

import (
	"io"
	"os"
	"os/exec"
)

// plumb gives the process a pipe for its replies. Its standard output is nobody's: a
// statement may make DuckDB print.
func plumb(cmd *exec.Cmd) (io.ReadCloser, func(), error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.ExtraFiles = []*os.File{w}
	return r, func() { w.Close() }, nil
}

// Pipes are where the process that holds a copy is asked and answers.
func Pipes() (io.Reader, io.Writer) { return os.Stdin, os.NewFile(3, "replies") }
