//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// privateFiles makes every file of this process readable by its user only: the
// store, the log and the keys belong to nobody else. And it sees to it that a limit
// on the size of files (ulimit -f) is an error of the write and not the end of the
// process.
func privateFiles() {
	syscall.Umask(0o077)
	signal.Ignore(syscall.SIGXFSZ)
}
